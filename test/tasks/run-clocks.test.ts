// Checks which probe a clock believes when another clock asks the thread at the moment at which it fires (V9).
import { describe, expect, it } from 'vitest';
import type { Cell } from '#src/actor/cell.js';
import { RunRecord } from '#src/agent/run/record.js';
import { ManualClock } from '#src/base/clock.js';
import { EventBus } from '#src/events/events.js';
import type { AgentRuntime, Liveness } from '#src/tasks/agent-runtime.js';
import type { Fired } from '#src/tasks/end-cause.js';
import { PausableTimer } from '#src/tasks/pausable-timer.js';
import type { AgentSpec } from '#src/tasks/resolve/agent-spec.js';
import { RunClocks } from '#src/tasks/run-clocks.js';
import { Agent, Run, TaskRecord } from '#src/tasks/state.js';

type Limits = { readonly idleTimeoutMs: number; readonly totalTimeoutMs: number };

/** An agent of which only its clocks are real. Its probes say what `verdicts` say, in the order in which they are made. */
function timed(limits: Limits, verdicts: readonly Liveness[]) {
  const clock = new ManualClock();
  const probedAt: number[] = [];
  const fired: Fired[] = [];
  const runtime: Pick<AgentRuntime, 'heartbeats' | 'probe'> = {
    heartbeats: () => 0,
    probe() {
      const verdict = verdicts[probedAt.length] ?? 'answers';
      probedAt.push(clock.now());
      return { verdict: () => verdict };
    },
  };
  const spec = limits as AgentSpec;
  const cell = { address: { id: 'a1', path: '/agent' } } as Cell;
  const parent = null;
  const agent = new Agent({
    spec,
    name: 'agent',
    lifetime: 'task',
    parent,
    depth: 0,
    survivesCrash: false,
  });
  const origin = { parent, index: 0, width: 1 };
  const task = new TaskRecord({ id: 't1', task: { goal: 'any' }, origin, acceptedAt: 0, agent });
  const run = new Run({
    agent,
    cell,
    task,
    record: new RunRecord([]),
    budget: { shared: [], accounts: [] },
    startedAt: 0,
  });
  new RunClocks({
    clock,
    events: new EventBus(clock),
    runtime: runtime as AgentRuntime,
    dispatch: (message) => {
      if (message.type !== 'timed_out') throw new Error(`unexpected: ${message.type}`);
      fired.push(message.fired);
      run.timers.stop();
    },
    toolTimeoutMs: undefined,
    interruptGraceMs: 0,
  }).start(run);
  return { run, clock, probedAt, fired };
}

describe('the clocks of a run', () => {
  it.each([
    ['idle', { idleTimeoutMs: 800, totalTimeoutMs: 1_000 }, [640, 800]],
    ['total', { idleTimeoutMs: 1_000, totalTimeoutMs: 800 }, [640, 800]],
  ])(
    'the %s one believes the probe it made at 80 %, not one just made (V9)',
    async (name, limits, times) => {
      const { clock, probedAt, fired } = timed(limits, ['answers', 'blocked']);
      // The other clock asks first at the same moment.
      await clock.advance(800);

      expect(fired).toMatchObject([{ clock: name, limitMs: 800, phase: 'starting' }]);
      expect(probedAt).toEqual(times);
    },
  );

  it('forget the timer of a call whose id is used again (V8)', async () => {
    const { run, clock } = timed({ idleTimeoutMs: 1_000, totalTimeoutMs: 1_000 }, []);
    const fired: string[] = [];
    const timer = (name: string) => new PausableTimer(clock, 100, () => fired.push(name));
    run.timers.setCall('c1', timer('first'), 'everything');
    await clock.advance(50);
    run.timers.setCall('c1', timer('second'), 'everything');

    await clock.advance(99);
    expect(fired).toEqual([]);
    await clock.advance(1);
    expect(fired).toEqual(['second']);
  });
});
