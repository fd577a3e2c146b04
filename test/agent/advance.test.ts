// Proves that a run is plain data at every moment: serialised and revived after every input it goes on as if it had not been.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance } from '#src/agent/run/advance.js';
import type { RunEffect, RunInput } from '#src/agent/run/run-effects.js';
import { newRun, type RunRules, type RunState } from '#src/agent/run/run-state.js';
import { failure } from '#src/base/failures.js';
import { answerTo, Dice, someRules } from './random-run.ts';

/** What comes from outside, at any time. */
function control(dice: Dice, id: number): RunInput | null {
  switch (dice.roll(24)) {
    case 0:
      return { type: 'steer', steer: { id: `s${id}`, text: `steer ${id}` } };
    case 1:
      return { type: 'retract', id: `s${id - 1}` };
    case 2:
      return { type: 'pause' };
    case 3:
    case 4:
      return { type: 'resume' };
    case 5:
      return { type: 'emitted', name: 'found', value: 'v' };
    case 6:
      return { type: 'interrupted', error: failure('interrupted', 'enough') };
    default:
      return null;
  }
}

type History = {
  readonly effects: readonly RunEffect[];
  /** Those that it wanted after it was interrupted. */
  readonly late: readonly RunEffect[];
  readonly run: RunState;
};

/** Plays a run to its end; answers come in any order. `between` is what becomes of its state after each input. */
function play(
  rules: RunRules,
  numbers: readonly number[],
  between: (run: RunState) => RunState,
): History {
  const dice = new Dice(numbers);
  const effects: RunEffect[] = [];
  const late: RunEffect[] = [];
  const open: RunInput[] = [];
  let run = newRun(
    rules,
    [],
    { runId: 't1', messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] },
    { steers: [], isPaused: dice.roll(6) === 0 },
  );
  const take = (input: RunInput): void => {
    const wasInterrupted = run.interrupted !== null;
    const wanted = advance(rules, run, input);
    effects.push(...structuredClone(wanted));
    if (wasInterrupted) late.push(...wanted);
    run = between(run);
    for (const effect of wanted) {
      const answer = answerTo(dice, effect);
      if (answer !== null) open.push(answer);
    }
  };
  take({ type: 'continue' });
  for (let step = 0; run.step.type !== 'ended'; step += 1) {
    if (step > 2_000) throw new Error(`the run does not end: it is ${run.step.type}`);
    const given = control(dice, step);
    if (given !== null) take(given);
    const [answer] = open.splice(dice.roll(Math.max(1, open.length)), 1);
    if (answer !== undefined) take(answer);
    else if (run.step.type === 'paused') take({ type: 'resume' });
  }
  return { effects, late, run };
}

const numbers = fc.array(fc.nat({ max: 10_000 }), { minLength: 40, maxLength: 80 });

describe('a run', () => {
  it('is the same when it is serialised and revived after every input (S9, O1)', () => {
    fc.assert(
      fc.property(someRules, numbers, (rules, drawn) => {
        const straight = play(rules, drawn, (run) => run);
        const revived = play(rules, drawn, (run) => structuredClone(run));
        const asText = play(rules, drawn, (run) => JSON.parse(JSON.stringify(run)));

        expect(revived).toEqual(straight);
        // JSON leaves fields out that are undefined: toEqual takes those for equal.
        expect(asText).toEqual(straight);
      }),
      { numRuns: 1_000 },
    );
  });

  it('ends once, and gives every call that began one result (O2, B27, E9)', () => {
    fc.assert(
      fc.property(someRules, numbers, (rules, drawn) => {
        const { effects, run } = play(rules, drawn, (each) => each);

        expect(effects.filter(({ type }) => type === 'end')).toHaveLength(1);
        expect(effects.at(-1)?.type).toBe('end');
        const asked = run.messages.flatMap(({ role, content }) =>
          role === 'assistant'
            ? content.flatMap((each) => (each.type === 'tool_use' ? [each.id] : []))
            : [],
        );
        const results = run.messages.flatMap(({ role, content }) =>
          role === 'user'
            ? content.flatMap((each) => (each.type === 'tool_result' ? [each.tool_use_id] : []))
            : [],
        );
        const answered = asked.filter((id) => results.includes(id));
        expect(results).toEqual(answered);
        const published = effects.flatMap((each) => (each.type === 'publish' ? [each.event] : []));
        const started = published.flatMap((each) =>
          each.type === 'tool_started' ? [each.callId] : [],
        );
        const completed = published.flatMap((each) =>
          each.type === 'tool_completed' ? [each.callId] : [],
        );
        expect(new Set(completed).size).toBe(completed.length);
        expect(started.filter((id) => !completed.includes(id))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('asks its model nothing and calls no tool once it is interrupted (S8)', () => {
    let interrupted = 0;
    fc.assert(
      fc.property(someRules, numbers, (rules, drawn) => {
        const { late, run } = play(rules, drawn, (each) => each);

        if (run.interrupted !== null) interrupted += 1;
        expect(late.filter(({ type }) => type === 'ask_model' || type === 'call_tool')).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
    expect(interrupted).toBeGreaterThan(50);
  });
});
