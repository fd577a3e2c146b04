// Checks which end of a run is undone by steering messages, and what of them an agent keeps for a run that has not begun.
import { describe, expect, it } from 'vitest';
import { ControlsBeforeRun } from '#src/agent/controls-before-run.js';
import { advance } from '#src/agent/run/advance.js';
import type { RunInput } from '#src/agent/run/run-effects.js';
import { newRun, type RunRules, type RunState } from '#src/agent/run/run-state.js';
import { failure } from '#src/base/failures.js';
import type { StopReason } from '#src/protocol/history.js';
import type { Steer, SteerControl } from '#src/protocol/run-controls.js';
import { modelAnswer } from './run-driver.ts';

const steer = (runId: string, id: string): SteerControl => ({
  type: 'steer',
  runId,
  steer: { id, text: `text of ${id}` },
});
const steerInput = (id: string): RunInput => ({ type: 'steer', steer: { id, text: id } });
const idsOf = (steers: readonly Steer[]) => steers.map(({ id }) => id);
const rules: RunRules = { tools: [], toolSettings: {}, maxTurns: 5 };

/** A run that waits for the answer to its first request. */
function asking(): RunState {
  const run = newRun(rules, [], { runId: 't1', messages: [] }, { steers: [], isPaused: false });
  advance(rules, run, { type: 'continue' });
  return run;
}

function answered(stopReason: StopReason, text = 'an answer'): RunInput {
  const { response } = modelAnswer(text);
  return { type: 'model_answered', response: { ...response, stopReason } };
}

describe('a steering message that arrives before the end of a run', () => {
  it.each<[StopReason, string, string]>([
    ['end_turn', 'an answer', 'asking'],
    ['stop_sequence', 'an answer', 'asking'],
    ['end_turn', '', 'ended'],
    ['refusal', 'an answer', 'ended'],
    ['max_tokens', 'an answer', 'ended'],
    ['model_context_window_exceeded', 'an answer', 'ended'],
  ])(
    'gives it another turn only when it reached its goal (%s, %j) (S9)',
    (stopReason, text, step) => {
      const run = asking();
      advance(rules, run, steerInput('s1'));

      advance(rules, run, answered(stopReason, text));

      expect(run.step.type).toBe(step);
    },
  );

  it('is not taken by a run that has no turn left, or is interrupted (S9)', () => {
    const last = asking();
    const interrupted = asking();
    for (const run of [last, interrupted]) advance(rules, run, steerInput('s1'));
    last.turn = rules.maxTurns;
    const error = failure('interrupted', 'enough');
    advance(rules, interrupted, { type: 'interrupted', error });

    for (const run of [last, interrupted]) advance(rules, run, answered('end_turn'));

    expect(last.step).toMatchObject({ type: 'ended', end: { exitReason: 'goal' } });
    expect(interrupted.step).toMatchObject({ type: 'ended', end: { exitReason: 'goal' } });
    expect([idsOf(last.steers), idsOf(interrupted.steers)]).toEqual([['s1'], ['s1']]);
  });

  it('is taken once and in order, unless it is retracted before (M2)', () => {
    const run = asking();
    for (const id of ['s1', 's2', 's3']) advance(rules, run, steerInput(id));
    advance(rules, run, { type: 'retract', id: 's1' });

    const effects = advance(rules, run, answered('end_turn'));
    advance(rules, run, { type: 'retract', id: 's2' });

    const taken = effects.flatMap((effect) =>
      effect.type === 'publish' && effect.event.type === 'steered' ? [effect.event.id] : [],
    );
    expect(taken).toEqual(['s2', 's3']);
    expect(run.steers).toEqual([]);
  });
});

describe('a paused run', () => {
  it('asks its model nothing until it is resumed (C46)', () => {
    const run = newRun(rules, [], { runId: 't1', messages: [] }, { steers: [], isPaused: true });

    const paused = advance(rules, run, { type: 'continue' });
    const steered = advance(rules, run, steerInput('s1'));
    const resumed = advance(rules, run, { type: 'resume' });

    expect(paused).toMatchObject([{ type: 'publish', event: { type: 'paused' } }]);
    expect(steered).toEqual([]);
    expect(resumed.map((each) => (each.type === 'publish' ? each.event.type : each.type))).toEqual([
      'went_on',
      'steered',
      'turn_started',
      'ask_model',
    ]);
  });

  it('ends when it is interrupted (C46, S5)', () => {
    const run = newRun(rules, [], { runId: 't1', messages: [] }, { steers: [], isPaused: true });
    advance(rules, run, { type: 'continue' });

    const effects = advance(rules, run, {
      type: 'interrupted',
      error: failure('interrupted', 'enough'),
    });

    expect(effects).toMatchObject([
      { type: 'publish', event: { type: 'went_on' } },
      { type: 'end', end: { exitReason: 'interrupted', error: { message: 'enough' } } },
    ]);
  });
});

describe('the controls of a run that has not begun', () => {
  it('follow those that came with it, in order (M2)', () => {
    const controls = new ControlsBeforeRun();
    controls.receive(steer('t1', 's2'));
    controls.receive(steer('t1', 's3'));

    const early = controls.begin('t1', [{ id: 's1', text: 'with the run' }]);

    expect(idsOf(early.steers)).toEqual(['s1', 's2', 's3']);
    expect(idsOf(controls.begin('t1').steers)).toEqual([]);
  });

  it('are of that run alone', () => {
    const controls = new ControlsBeforeRun();
    controls.receive(steer('t1', 's1'));
    controls.receive({ type: 'pause', runId: 't1' });

    expect(controls.begin('t2')).toEqual({ steers: [], isPaused: false });
    expect(controls.begin('t1')).toEqual({ steers: [], isPaused: false });
  });

  it('are newer than what came with it: it goes on, without messages that were retracted (C46, M2)', () => {
    const controls = new ControlsBeforeRun();
    const cameWith = ['s1', 's2'].map((id) => ({ id, text: id }));
    // Both came when its next activation was on its way to a thread, after its arguments had been made.
    controls.receive({ type: 'resume', runId: 't1' });
    controls.receive({ type: 'retract', runId: 't1', id: 's1' });

    const early = controls.begin('t1', cameWith, true);

    expect([early.isPaused, idsOf(early.steers)]).toEqual([false, ['s2']]);
  });

  it('pause it, as does a pause that comes with it (C46)', () => {
    const paused = new ControlsBeforeRun();
    const pausedOnItsWay = new ControlsBeforeRun();
    pausedOnItsWay.receive({ type: 'resume', runId: 't1' });
    pausedOnItsWay.receive({ type: 'pause', runId: 't1' });

    expect(paused.begin('t1', [], true).isPaused).toBe(true);
    expect(pausedOnItsWay.begin('t1', [], false).isPaused).toBe(true);
  });
});
