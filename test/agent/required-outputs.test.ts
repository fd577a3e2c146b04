// Checks what follows a turn of a run that owes something: pure decisions over every mixture of debts and progress.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterText,
  afterTools,
  missingVariables,
  noProgress,
} from '#src/agent/required-outputs.js';
import type { ToolResultBlock, ToolUseBlock } from '#src/protocol/history.js';

const toolNames = { tool: 'emit_value', name: 'name', value: 'value' };
const names = ['alpha', 'beta', 'gamma'];
const outputs = { variables: Object.fromEntries(names.map((name) => [name, name])), toolNames };
const answer = { tool: 'generate_response', maxCorrections: 2 };
const goal = { exitReason: 'goal' as const, text: 'done' };

const requirements = fc.constantFrom({}, { outputs }, { answer }, { outputs, answer });
const progresses = fc.record({
  emitted: fc.subarray(names),
  isAnswered: fc.boolean(),
  corrections: fc.integer({ min: 0, max: 4 }),
});

function calls(...tools: readonly string[]): readonly ToolUseBlock[] {
  return tools.map((name, at) => ({ type: 'tool_use', id: `c${at}`, name, input: {} }));
}

function results(...errors: readonly boolean[]): readonly ToolResultBlock[] {
  return errors.map((isError, at) => ({
    type: 'tool_result',
    tool_use_id: `c${at}`,
    content: `result ${at}`,
    ...(isError ? { is_error: true } : {}),
  }));
}

describe('after a turn without calls', () => {
  it('ends a run without debts, and reminds of exactly what is missing (B20)', () => {
    fc.assert(
      fc.property(requirements, progresses, (required, progress) => {
        const { next } = afterText(required, progress, goal);
        const missing = missingVariables(required, progress);
        const lacksAnswer = 'answer' in required && !progress.isAnswered;

        if (missing.length === 0 && !lacksAnswer) {
          expect(next).toEqual({ type: 'finish', end: goal });
        } else if (next.type === 'remind') {
          expect(names.filter((name) => next.text.includes(name))).toEqual(missing);
          expect(next.text.includes('generate_response')).toBe(lacksAnswer);
        } else {
          expect(lacksAnswer && progress.corrections >= answer.maxCorrections).toBe(true);
          expect(next.end.error?.code).toBe('output_invalid');
        }
      }),
    );
  });

  it.each(['refused', 'error', 'budget'] as const)(
    'ends a run that ended %s, debts or not',
    (exitReason) => {
      const end = { exitReason, text: '' };

      expect(afterText({ outputs, answer }, noProgress, end).next).toEqual({ type: 'finish', end });
    },
  );
});

describe('after a turn with calls', () => {
  it('ends when nothing is owed any more, and never before (D19, B21)', () => {
    fc.assert(
      fc.property(requirements, progresses, fc.boolean(), (required, progress, isError) => {
        const turn = { calls: calls('generate_response'), results: results(isError), text: 't' };

        const { end } = afterTools(required, progress, turn);

        const isAnswered = !('answer' in required) || progress.isAnswered || !isError;
        const isPaid = isAnswered && missingVariables(required, progress).length === 0;
        if (Object.keys(required).length === 0) expect(end).toBeNull();
        else expect(end?.exitReason === 'goal').toBe(isPaid);
      }),
    );
  });

  it('counts a turn as one correction, however many wrong answers it had (D19)', () => {
    const turn = {
      calls: calls('generate_response', 'generate_response'),
      results: results(true, true),
      text: '',
    };

    expect(afterTools({ answer }, noProgress, turn)).toEqual({
      progress: { ...noProgress, corrections: 1 },
      end: null,
    });
    expect(afterTools({ answer }, { ...noProgress, corrections: 2 }, turn).end).toMatchObject({
      exitReason: 'error',
      error: { code: 'output_invalid' },
    });
  });

  it('takes the first finishing tool that succeeded, once nothing is owed (D17)', () => {
    const required = { finishTools: ['say', 'end'] };
    const turn = {
      calls: calls('look', 'end', 'say'),
      results: results(false, true, false),
      text: 'talk',
    };

    expect(afterTools(required, noProgress, turn).end).toEqual({
      exitReason: 'goal',
      text: 'result 2',
    });
    expect(afterTools({ ...required, outputs }, noProgress, turn).end).toBeNull();
    expect(afterTools({ finishTools: [] }, noProgress, turn).end).toBeNull();
  });
});
