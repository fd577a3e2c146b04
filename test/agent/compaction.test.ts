// Checks how a run makes room: shorter, with its prompt and newest turn, every call with its results, both copies alike.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLeftOut, shorten, shortened } from '#src/agent/compaction.js';
import { pairingFault } from '#src/agent/history-repair.js';
import { cutMark } from '#src/agent/memory-window.js';
import { openConversation, preambleOf } from '#src/agent/prompt/preamble.js';
import { RunRecord } from '#src/agent/run/record.js';
import { countChars } from '#src/models/token-estimate.js';
import type { Message } from '#src/protocol/history.js';
import { savedState } from '../support/saved-state.ts';

function says(role: 'user' | 'assistant', text: string): Message {
  return { role, content: [{ type: 'text', text }] };
}

function turn(id: string, chars: number): readonly [Message, Message] {
  const input = { id };
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'look', input }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: 'x'.repeat(chars) }],
    },
  ];
}

const sizes = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 6 });

/** A run in its conversation, perhaps ended by an answer that was cut off; after earlier runs, perhaps opened. */
const arranged = fc
  .record({ earlier: fc.array(sizes, { maxLength: 3 }), turns: sizes, isCut: fc.boolean() })
  .chain((parts) =>
    fc.boolean().map((isOpened) => {
      const opening = isOpened
        ? preambleOf({ environment: 'On a ship.', examples: [{ role: 'user', content: 'ping' }] })
        : preambleOf({});
      const memory = parts.earlier.flatMap((run, at) => [
        says('user', `earlier ${at}`),
        ...run.flatMap((chars, place) => turn(`e${at}c${place}`, chars)),
        says('assistant', `answer ${at}`),
      ]);
      const prompt = says('user', 'the prompt');
      const opened = openConversation(opening, memory, [prompt]);
      const own = parts.turns.flatMap((chars, at) => turn(`c${at}`, chars));
      const cut: readonly Message[] = parts.isCut ? [turn('cut', 0)[0]] : [];
      const messages = [...opened.messages, ...own, ...cut];
      return { conversation: { messages, begins: opened.begins }, opening, prompt, own, ...parts };
    }),
  );

describe('shorten', () => {
  it('leaves less, with opening, prompt and newest turn, and every call with its results (S5)', () => {
    fc.assert(
      fc.property(arranged, ({ conversation, opening, prompt, own, isCut }) => {
        const shortening = shorten(conversation, { opening, isCut });
        if (shortening === null) return;
        const asked = conversation.messages.slice(0, isCut ? -1 : undefined);

        const { messages, begins } = shortened(conversation, shortening);

        expect(countChars(messages)).toBeLessThan(countChars(asked));
        expect(pairingFault(messages)).toBeNull();
        expect(messages.slice(0, opening.preamble.length)).toEqual(opening.preamble);
        expect(messages.slice(begins - opening.examples.length, begins)).toEqual(opening.examples);
        expect(messages[begins]).toEqual(prompt);
        expect(messages[begins + 1]).toEqual(shortening.summary);
        if (own.length > 0) expect(messages.at(-2)).toEqual(own.at(-2));
        const memory = messages.slice(opening.preamble.length, begins - opening.examples.length);
        expect(memory[0]?.content[0]?.type ?? 'text').toBe('text');
        expect(memory[0]?.role ?? 'user').toBe('user');
      }),
    );
  });

  it('makes the supervisor’s copy the same as the thread’s, also when it went over a wire (S9)', () => {
    fc.assert(
      fc.property(arranged, ({ conversation, opening, isCut }) => {
        const shortening = shorten(conversation, { opening, isCut });
        if (shortening === null) return;
        const record = new RunRecord(conversation.messages, conversation.begins);

        const { messages, begins } = shortened(conversation, shortening);
        const commit = {
          type: 'shortened',
          turn: 1,
          shortening: structuredClone(shortening),
        } as const;
        record.apply({ ...commit, state: savedState() });

        expect(record.messages).toEqual(messages);
        expect(record.begins).toBe(begins);
      }),
    );
  });

  it('cuts long results first, no shorter than is needed', () => {
    const messages = [says('user', 'go'), ...turn('a', 100_000), ...turn('b', 3_000)];

    const shortening = shorten({ messages, begins: 0 }, { isCut: false });

    expect(shortening).toMatchObject({ maxResultChars: 20_000, leftOut: [], at: 1 });
    if (shortening === null) throw new Error('nothing was shortened');
    const after = shortened({ messages, begins: 0 }, shortening).messages;
    expect(JSON.stringify(after[3])).toContain(`${'x'.repeat(20_000)}${cutMark}`);
    expect(after[5]).toEqual(messages[4]);
  });

  it('then leaves earlier runs out, then older turns, and says how many messages', () => {
    const memory = [says('user', 'before'), says('assistant', 'y'.repeat(2_000))];
    const own = ['a', 'b', 'c'].flatMap((id) => turn(id, 600));
    const messages = [...memory, says('user', 'go'), ...own];

    const shortening = shorten({ messages, begins: 2 }, { isCut: false });

    expect(shortening?.leftOut).toEqual([
      { from: 0, to: 2 },
      { from: 3, to: 5 },
    ]);
    expect(JSON.stringify(shortening?.summary)).toContain('4 older messages were left out');
    expect(countLeftOut(shortening ?? { leftOut: [] })).toBe(4);
  });

  it.each<[string, readonly Message[]]>([
    ['a prompt alone', [says('user', 'z'.repeat(9_000))]],
    ['a prompt and short results', [says('user', 'go'), ...turn('a', 10)]],
  ])('has nothing to take from %s', (_what, messages) => {
    expect(shorten({ messages, begins: 0 }, { isCut: false })).toBeNull();
    const cutOff = [...messages, says('assistant', 'half an')];
    expect(shorten({ messages: cutOff, begins: 0 }, { isCut: true })).toBeNull();
  });
});
