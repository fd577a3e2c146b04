// Checks the one invariant of history: however a run was cut, every call has exactly one answer.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCallsOf, pairingFault, repair } from '#src/agent/history-repair.js';
import type { Message, ToolResultBlock } from '#src/protocol/history.js';

const prompt: Message = { role: 'user', content: [{ type: 'text', text: 'Do it.' }] };

function asks(...ids: readonly string[]): Message {
  return {
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })),
  };
}

function result(id: string, content = 'found'): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: id, content };
}

function answers(...ids: readonly string[]): Message {
  return { role: 'user', content: ids.map((id) => result(id)) };
}

const answer: Message = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] };

/** A run of whole turns, each with so many calls, cut after any of its messages. */
const cutRun = fc
  .record({
    turns: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 6 }),
    keep: fc.nat(20),
  })
  .map(({ turns, keep }) => {
    const whole: Message[] = [prompt];
    for (const [turn, count] of turns.entries()) {
      const ids = Array.from({ length: count }, (_, at) => `t${turn}c${at}`);
      if (ids.length === 0) whole.push(answer, prompt);
      else whole.push(asks(...ids), answers(...ids));
    }
    return whole.slice(0, 1 + keep);
  });

describe('repair', () => {
  it('answers every open call of any history that was cut, and nothing else (S5)', () => {
    fc.assert(
      fc.property(cutRun, (history) => {
        const repaired = repair(history);

        expect(pairingFault(repaired)).toBeNull();
        expect(repaired.slice(0, history.length)).toEqual(history);
        expect(openCallsOf(repaired)).toEqual([]);
        expect(repaired).toHaveLength(history.length + (openCallsOf(history).length === 0 ? 0 : 1));
      }),
    );
  });

  it('changes nothing when it is done again (S5)', () => {
    fc.assert(
      fc.property(cutRun, (history) => {
        const repaired = repair(history);

        expect(repair(repaired)).toBe(repaired);
      }),
    );
  });

  it('keeps what was finished and answers the rest as errors, in call order (S9)', () => {
    const whole = result('b', 'whole');
    const repaired = repair([prompt, asks('a', 'b', 'c')], (id) =>
      id === 'b' ? whole : undefined,
    );

    expect(repaired.at(-1)).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: 'The run ended before this call did.',
          is_error: true,
        },
        whole,
        {
          type: 'tool_result',
          tool_use_id: 'c',
          content: 'The run ended before this call did.',
          is_error: true,
        },
      ],
    });
  });
});

describe('pairingFault', () => {
  it.each([
    ['an unanswered call', [prompt, asks('a')]],
    ['a call answered later', [prompt, asks('a'), answer, answers('a')]],
    ['an answer too few', [prompt, asks('a', 'b'), answers('a')]],
    ['an answer twice', [prompt, asks('a'), answers('a', 'a')]],
    ['answers in another order', [prompt, asks('a', 'b'), answers('b', 'a')]],
    ['an answer to nobody', [prompt, answer, answers('a')]],
    ['an answer before anything was asked', [answers('a')]],
    ['answers to a user message', [prompt, answers('a')]],
  ])('finds %s', (_what, history) => {
    expect(pairingFault(history)).not.toBeNull();
  });

  it.each([
    ['no message', []],
    ['a prompt', [prompt]],
    ['turns with and without calls', [prompt, asks('a', 'b'), answers('a', 'b'), answer]],
  ])('accepts %s', (_what, history) => {
    expect(pairingFault(history)).toBeNull();
  });
});
