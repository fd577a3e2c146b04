// Checks what of a run's end is undone by words that came in time, and the steering of one activation between its runs.
import { describe, expect, it } from 'vitest';
import { goesOn, RunControl } from '#src/agent/run-control.js';
import { failure } from '#src/base/failures.js';
import { outcomeExitReasons } from '#src/base/outcome.js';
import type { SteerControl } from '#src/protocol/run-controls.js';
import type { RunEnd } from '#src/protocol/run-events.js';

const steer = (runId: string, id: string): SteerControl => ({
  type: 'steer',
  runId,
  steer: { id, text: `words of ${id}` },
});
const ids = (steering: RunControl) => steering.take().map(({ id }) => id);

describe('goesOn', () => {
  const facts = { hasSteers: true, turn: 3, maxTurns: 5, isInterrupted: false };

  it.each(outcomeExitReasons)('undoes an end only when it is a good one (%s)', (exitReason) => {
    const end: RunEnd = { exitReason, text: 'so far', error: failure('internal', 'why') };

    expect(goesOn({ ...facts, end })).toBe(exitReason === 'goal');
  });

  it.each([
    [{}, true],
    [{ hasSteers: false }, false],
    [{ turn: 4 }, true],
    [{ turn: 5 }, false],
    [{ isInterrupted: true }, false],
  ])('keeps an answer that no turn could follow (%j) (S9)', (but, expected) => {
    expect(goesOn({ ...facts, ...but, end: { exitReason: 'goal', text: 'done' } })).toBe(expected);
  });
});

describe('the steering of an activation', () => {
  it('gives each word once, in order: those that came with the run, then those that came by themselves (M2)', () => {
    const steering = new RunControl();
    steering.hear(steer('t1', 's2'));

    steering.begin('t1', [{ id: 's1', text: 'with the run' }]);
    steering.hear(steer('t1', 's3'));

    expect(steering.hasSteers).toBe(true);
    expect(ids(steering)).toEqual(['s1', 's2', 's3']);
    expect([steering.hasSteers, ids(steering)]).toEqual([false, []]);
  });

  it('keeps nothing of one run for the next, and takes nothing of another while one is on', () => {
    const steering = new RunControl();
    steering.begin('t1');
    steering.hear(steer('t2', 's1'));
    steering.hear({ type: 'pause', runId: 't2' });
    expect([steering.hasSteers, steering.isPaused]).toEqual([false, false]);
    steering.hear(steer('t1', 's2'));
    steering.hear({ type: 'pause', runId: 't1' });
    steering.end();
    steering.hear(steer('t1', 's3'));

    steering.begin('t2');

    expect([steering.isPaused, ids(steering)]).toEqual([false, []]);
  });

  it('takes words back that the run has not taken, and no others (M2)', () => {
    const steering = new RunControl();
    steering.begin('t1');
    for (const id of ['s1', 's2']) {
      steering.hear({ type: 'steer', runId: 't1', steer: { id, text: id } });
    }

    steering.hear({ type: 'unsay', runId: 't1', id: 's1' });
    const taken = ids(steering);
    steering.hear({ type: 'unsay', runId: 't1', id: 's2' });

    expect([taken, ids(steering)]).toEqual([['s2'], []]);
  });

  it('a run that comes with a pause and with words hears what was said since: it goes on, without those taken back (C46, M2)', () => {
    const steering = new RunControl();
    const cameWith = [steer('t1', 's1'), steer('t1', 's2')].flatMap((each) =>
      each.type === 'steer' ? [each.steer] : [],
    );
    // Both were said when its next activation was on its way to a thread, after its arguments had been made.
    steering.hear({ type: 'resume', runId: 't1' });
    steering.hear({ type: 'unsay', runId: 't1', id: 's1' });

    steering.begin('t1', cameWith, true);

    expect([steering.isPaused, ids(steering)]).toEqual([false, ['s2']]);
  });

  it('a run that comes with a pause is held, and one that is paused on its way is too (C46)', () => {
    const paused = new RunControl();
    const pausedOnItsWay = new RunControl();
    pausedOnItsWay.hear({ type: 'resume', runId: 't1' });
    pausedOnItsWay.hear({ type: 'pause', runId: 't1' });

    paused.begin('t1', [], true);
    pausedOnItsWay.begin('t1', [], false);

    expect([paused.isPaused, pausedOnItsWay.isPaused]).toEqual([true, true]);
  });

  it('holds a run until it is resumed or interrupted, and holds nobody who is not paused (C46)', async () => {
    const steering = new RunControl();
    const abort = new AbortController();
    const order: string[] = [];
    steering.begin('t1', [], true);
    const resumed = steering.released(abort.signal).then(() => order.push('resumed'));
    order.push('paused');

    steering.hear({ type: 'resume', runId: 't1' });
    await resumed;
    await steering.released(abort.signal);
    steering.hear({ type: 'pause', runId: 't1' });
    const interrupted = steering.released(abort.signal).then(() => order.push('interrupted'));
    abort.abort();
    await interrupted;
    await steering.released(abort.signal);

    expect(order).toEqual(['paused', 'resumed', 'interrupted']);
  });
});
