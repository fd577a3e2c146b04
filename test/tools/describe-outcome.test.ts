// Checks what a model reads of a task that it delegated, for every way in which a run ends.
import { describe, expect, it } from 'vitest';
import { failure } from '#src/base/failures.js';
import { outcomeExitReasons } from '#src/base/outcome.js';
import { delegateOne } from '#src/tools/delegate-one.js';
import { describeOutcome } from '#src/tools/describe-outcome.js';
import { rejection } from '../supervisor/support.ts';

describe('the description of an outcome', () => {
  it('has an answer for a goal, without a text too', () => {
    expect(describeOutcome({ exitReason: 'goal', text: 'found it' }).answer).toBe('found it');
    expect(describeOutcome({ exitReason: 'goal', text: '' }).answer).toBe('(no text)');
  });

  it('has an answer that mentions used up turns, unless it is blank', () => {
    const error = failure('max_turns', '3 turns were used up');

    expect(describeOutcome({ exitReason: 'max_turns', text: 'half', error }).answer).toBe(
      'half\n\n[It may be incomplete: 3 turns were used up]',
    );
    expect(describeOutcome({ exitReason: 'max_turns', text: ' ', error }).answer).toBeNull();
  });

  const failed = outcomeExitReasons.filter((each) => each !== 'goal' && each !== 'max_turns');

  it.each(failed)('has a reason and the text so far when a run ends %s', (exitReason) => {
    const error = failure('model_overloaded', 'try later', { retryable: true });

    expect(describeOutcome({ exitReason, text: 'half', error })).toEqual({
      answer: null,
      reason: error,
      soFar: '\nWhat it had so far:\nhalf',
    });
    expect(describeOutcome({ exitReason, text: '' })).toEqual({
      answer: null,
      reason: failure('crashed', `the run ended: ${exitReason}`),
      soFar: '',
    });
  });
});

describe('the delegation of one task', () => {
  it('rejects internal when no outcome comes back', async () => {
    const delegation = delegateOne({ delegate: async () => [] }, { goal: 'look' });

    expect(await rejection(delegation)).toMatchObject({ code: 'internal' });
  });
});
