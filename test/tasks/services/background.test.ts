// Checks what is kept of background tasks: no end is lost, none is reported twice, waiting changes nothing.
import { describe, expect, it } from 'vitest';
import { noUsage } from '#src/base/outcome.js';
import { resolvedWithin } from '#src/base/resolved-within.js';
import type { Outcome } from '#src/index.js';
import { Background, type Completion } from '#src/tasks/services/background.js';
import { TaskRecord } from '#src/tasks/state.js';
import { ManualClock } from '#src/testing.js';
import { rejection, turns } from '../../supervisor/support.ts';

const outcome = (text: string): Outcome =>
  ({
    status: 'completed',
    exitReason: 'goal',
    text,
    usage: { own: noUsage, subtree: noUsage },
    filesTouched: [],
    metadata: {},
    agent: {},
  }) as unknown as Outcome;

function finish(task: TaskRecord | undefined, text: string): void {
  const ended = outcome(text);
  task?.end(ended);
  task?.settle(ended, 1);
}

function rig() {
  const clock = new ManualClock();
  const delivered: Completion[] = [];
  const background = new Background(clock, {
    submit: () => [],
    interrupt: async () => {},
    steer: async () => ({ id: 's1', status: 'delivered' }),
    setPaused: () => {},
    ended(completion) {
      delivered.push(completion);
      return () => delivered.splice(delivered.indexOf(completion), 1);
    },
  });
  const start = (id: string): TaskRecord => {
    const origin = { parent: null, index: 0, width: 1 };
    const task = { goal: `goal of ${id}` };
    const entry = new TaskRecord({ id, task, origin, acceptedAt: 0, agent: null });
    background.add(entry);
    return entry;
  };
  return { clock, delivered, background, start };
}

describe('Background', () => {
  it('lists what runs and what has ended, and forgets what was acknowledged', async () => {
    const { background, start, delivered } = rig();
    const one = start('t1');
    start('t2');

    finish(one, 'one');
    await turns(1);

    expect(background.unfinished()).toHaveLength(1);
    expect(background.list()).toMatchObject([
      { taskId: 't1', goal: 'goal of t1', status: 'completed' },
      { taskId: 't2', status: 'queued' },
    ]);
    expect(delivered).toEqual(background.completions());
    const [{ id } = { id: '' }] = delivered;
    expect([background.acknowledge(id), background.acknowledge(id)]).toEqual([true, false]);
    expect(background.completions()).toEqual([]);
    expect(background.list()).toHaveLength(1);
  });

  it('keeps completions in the order of the ends until they are read', async () => {
    const { background, start } = rig();
    const entries = ['t1', 't2', 't3'].map(start);

    for (const at of [2, 0, 1]) {
      finish(entries[at], `${at}`);
      await turns(1);
    }

    expect(background.completions().map(({ id }) => id)).toEqual(['c1', 'c2', 'c3']);
    expect(background.completions().map(({ taskId }) => taskId)).toEqual(['t3', 't1', 't2']);
  });

  it('takes no more while 1,024 ends are unacknowledged, and again when one is acknowledged (M5)', async () => {
    const { background, start } = rig();
    for (let at = 1; at <= 1_024; at += 1) {
      background.refuseWhenFull();
      finish(start(`t${at}`), 'done');
    }
    await turns(1);

    expect(() => background.refuseWhenFull()).toThrow(
      expect.objectContaining({ code: 'mailbox_full', retryable: true }),
    );
    background.acknowledge('c1');
    background.refuseWhenFull();

    expect(background.completions()).toHaveLength(1_023);
    expect(background.list()).toHaveLength(1_023);
  });

  it('gives an end to every call that waits for it, without a notice', async () => {
    const { background, start, delivered } = rig();
    const one = start('t1');
    const waits = [background.wait('t1'), background.wait('t1')];

    finish(one, 'one');

    const got = await Promise.all(waits);
    expect(got.map((each) => each?.outcome.text)).toEqual(['one', 'one']);
    expect([delivered, background.list()]).toEqual([[], []]);
  });

  it('retracts the notice of an end when a call waits for it before delivery', async () => {
    const { background, start, delivered } = rig();
    finish(start('t1'), 'one');
    await turns(1);
    expect(delivered).toHaveLength(1);

    expect((await background.wait('t1'))?.outcome.text).toBe('one');

    expect([delivered, background.list()]).toEqual([[], []]);
  });

  it('waits in vain as often as it is asked, and then not', async () => {
    const { background, start, clock } = rig();
    const one = start('t1');
    const first = background.wait('t1', { timeoutMs: 1_000 });
    await clock.advance(1_000);

    expect(await first).toBeNull();
    expect(await background.wait('t1', { timeoutMs: 0 })).toBeNull();
    const second = background.wait('t1', { timeoutMs: 1_000 });
    finish(one, 'one');

    expect((await second)?.outcome.text).toBe('one');
  });

  it('sends a notice of an end when the call that waited gave up', async () => {
    const { background, start, delivered } = rig();
    const one = start('t1');
    const control = new AbortController();
    const given = rejection(background.wait('t1', { signal: control.signal }));

    control.abort(new Error('enough'));
    expect(await given).toMatchObject({ message: 'enough' });
    finish(one, 'one');
    await turns(1);

    expect(delivered).toHaveLength(1);
  });

  it('sends no second notice of an end when a call that waits for it has given up already', async () => {
    const { background, start, delivered } = rig();
    finish(start('t1'), 'one');
    await turns(1);

    await rejection(background.wait('t1', { signal: AbortSignal.abort() }));

    expect(delivered).toHaveLength(1);
  });

  it('names what there is when it is asked for what there is not', async () => {
    const { background, start } = rig();
    start('t7');

    expect(await rejection(background.wait('t1'))).toMatchObject({
      code: 'unknown_task',
      message: expect.stringMatching(/"t1"; there is: t7/),
    });
  });
});

describe('resolvedWithin', () => {
  it('leaves no timer behind', async () => {
    const clock = new ManualClock();

    const settled = await resolvedWithin(Promise.resolve(), {
      clock,
      timeoutMs: 1_000,
      signal: undefined,
    });

    expect([settled, clock.pending]).toEqual([true, 0]);
  });
});
