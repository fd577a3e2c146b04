// Checks what an agent remembers from run to run: within its limits, without the opening, every call with its answer.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pairingFault } from '#src/agent/history-repair.js';
import { cutMark, cutResults, remembered, trim } from '#src/agent/memory-window.js';
import { fromStored, openConversation, preambleOf } from '#src/agent/prompt/preamble.js';
import { countChars } from '#src/models/token-estimate.js';
import type { Message } from '#src/protocol/history.js';

function says(role: 'user' | 'assistant', text: string): Message {
  return { role, content: [{ type: 'text', text }] };
}

function asks(...ids: readonly string[]): Message {
  return {
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })),
  };
}

function answers(ids: readonly string[], text: string): Message {
  return {
    role: 'user',
    content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: text })),
  };
}

/** Whole runs: each a prompt, turns with calls, perhaps a reminder of the loop, and an answer. */
const history: fc.Arbitrary<readonly Message[]> = fc
  .array(
    fc.record({
      turns: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4 }),
      isReminded: fc.boolean(),
      text: fc.string({ maxLength: 30, unit: 'grapheme' }),
    }),
    { maxLength: 5 },
  )
  .map((runs) =>
    runs.flatMap(({ turns, isReminded, text }, run) => [
      says('user', `prompt ${run}`),
      ...turns.flatMap((count, turn) => {
        const ids = Array.from({ length: count }, (_, at) => `r${run}t${turn}c${at}`);
        return [asks(...ids), answers(ids, text)];
      }),
      ...(isReminded ? [says('assistant', 'hm'), says('user', 'go on')] : []),
      says('assistant', `answer ${run}`),
    ]),
  );
const limits = fc.record(
  { maxMessages: fc.integer({ min: 1, max: 30 }), maxChars: fc.integer({ min: 1, max: 300 }) },
  { requiredKeys: [] },
);

describe('trim', () => {
  it('keeps within its limits, in order, and never parts a call from its result (A51)', () => {
    fc.assert(
      fc.property(history, limits, (messages, { maxMessages, maxChars }) => {
        const kept = trim(messages, {
          ...(maxMessages === undefined ? {} : { maxMessages }),
          ...(maxChars === undefined ? {} : { maxChars }),
        });

        expect(pairingFault(kept)).toBeNull();
        expect(kept.length).toBeLessThanOrEqual(maxMessages ?? Infinity);
        expect(countChars(kept)).toBeLessThanOrEqual(maxChars ?? Infinity);
        const places = kept.map((message) => messages.indexOf(message));
        expect(places).toEqual([...places].sort((a, b) => a - b));
        expect(kept[0]?.role ?? 'user').toBe('user');
        expect(kept[0]?.content[0]?.type ?? 'text').toBe('text');
      }),
    );
  });

  it('changes nothing that fits, and nothing when it is done again (A51)', () => {
    fc.assert(
      fc.property(history, limits, (messages, some) => {
        const exact = { maxMessages: messages.length + 1, maxChars: countChars(messages) + 1 };
        expect(trim(messages, exact)).toEqual(messages);
        expect(trim(messages, {})).toBe(messages);

        const known = Object.fromEntries(
          Object.entries(some).filter(([, each]) => each !== undefined),
        );
        const kept = trim(messages, known);
        expect(trim(kept, known)).toEqual(kept);
      }),
    );
  });

  it('keeps the newest runs whole, and of a last run that is too long its prompt and newest turns', () => {
    const first = [says('user', 'one'), says('assistant', 'uno')];
    const turn = (id: string): readonly Message[] => [asks(id), answers([id], id)];
    const last = [says('user', 'two'), ...turn('a'), ...turn('b'), says('assistant', 'due')];

    expect(trim([...first, ...last], { maxMessages: 7 })).toEqual(last);
    expect(trim([...first, ...last], { maxMessages: 5 })).toEqual([
      last[0],
      ...turn('b'),
      says('assistant', 'due'),
    ]);
    expect(trim([...first, ...last], { maxMessages: 1 })).toEqual([last[0]]);
    expect(trim(last, { maxChars: 1 })).toEqual([]);
  });
});

describe('cutResults', () => {
  it('cuts a result of 2001 characters to 2000 and says so, one of 2000 stays (A51)', () => {
    const long = answers(['a'], 'x'.repeat(2_001));
    const fits = answers(['b'], 'x'.repeat(2_000));

    expect(cutResults([long, fits], 2_000)).toEqual([
      answers(['a'], `${'x'.repeat(2_000)}...[truncated]`),
      fits,
    ]);
  });

  it('cuts no pair in two, no character in half, and nothing when it is done again (A51)', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 40 }), (messages, maxChars) => {
        const kept = cutResults(messages, maxChars);

        expect(pairingFault(kept)).toBeNull();
        expect(kept).toHaveLength(messages.length);
        expect(cutResults(kept, maxChars)).toEqual(kept);
        for (const { content } of kept) {
          for (const block of content) {
            if (block.type !== 'tool_result') continue;
            expect(String(block.content).length).toBeLessThanOrEqual(maxChars + cutMark.length);
            // It throws for half a surrogate pair.
            expect(() => encodeURIComponent(String(block.content))).not.toThrow();
          }
        }
      }),
    );
  });

  it('counts the text of all blocks of a result, and keeps its images (A51)', () => {
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png', data: 'AAAA' },
    };
    const blocks = [
      { type: 'text' as const, text: 'abcd' },
      image,
      { type: 'text' as const, text: 'efgh' },
    ];
    const message: Message = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: blocks }],
    };

    const once = cutResults([message], 4);
    expect(once[0]?.content).toMatchObject([{ content: [blocks[0], image, { text: cutMark }] }]);
    expect(cutResults(once, 4)).toEqual(once);
    expect(cutResults([message], 6)).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [blocks[0], image, { type: 'text', text: `ef${cutMark}` }],
          },
        ],
      },
    ]);
  });
});

describe('the opening', () => {
  const opening = preambleOf({
    environment: 'You are on a ship.',
    examples: [
      { role: 'user', content: 'ping' },
      { role: 'assistant', content: 'pong' },
    ],
  });

  it('stands around the memory and is no part of it, whatever the run said (B14, A56)', () => {
    fc.assert(
      fc.property(history, history, (memory, added) => {
        const prompt = says('user', 'now');
        const { messages, begins } = openConversation(opening, memory, [prompt]);

        expect(messages.slice(0, 2)).toEqual(opening.preamble);
        expect(messages.slice(2, -3)).toEqual(memory);
        expect(messages.slice(-3)).toEqual([...opening.examples, prompt]);
        expect(remembered({ opening }, [...messages, ...added], begins)).toEqual([
          ...memory,
          prompt,
          ...added,
        ]);
      }),
    );
  });

  it('leaves messages of the system out (A51)', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('user', 'assistant', 'system')), (roles) => {
        const kept = fromStored(roles.map((role) => ({ role, content: 'x' })));

        expect(kept.map(({ role }) => role)).toEqual(roles.filter((role) => role !== 'system'));
      }),
    );
  });

  it('refuses examples whose calls and results do not pair', () => {
    const unanswered = [{ role: 'assistant' as const, content: asks('a').content }];

    expect(() => preambleOf({ examples: unanswered })).toThrow(
      expect.objectContaining({
        code: 'invalid_agent',
        message: expect.stringContaining('initialMessages'),
      }),
    );
  });
});
