// Drives the scheduler's decisions with random messages against a model of actors, without threads, and checks after each what
// always holds: slots, waits, order, ends (V7, W3, S4, O2).
import { expect, test } from 'vitest';
import type { StreamedDelta } from '#src/protocol/model-messages.js';
import { goesOn } from '#src/tasks/parking.js';
import { maxLive } from './scheduler-actor.ts';
import { advance, call, start, step } from './scheduler-moves.ts';
import { SchedulerRig } from './scheduler-rig.ts';

/** What holds between any two messages. */
function check(rig: SchedulerRig): void {
  const { queue, registry } = rig.world;
  const live = [...registry.agents.values()].filter(({ isLive }) => isLive).length;
  expect(queue.live).toBe(live);
  expect(rig.accepted - rig.completed).toBe(registry.tasks.size);
  const waits = [...registry.tasks.values()].some(
    ({ run, agent, isPaused }) => run === null && !isPaused && agent?.status === 'queued',
  );
  if (waits && !queue.isPaused) expect(queue.isFull).toBe(true);
  for (const agent of registry.persistent()) {
    const isFree = agent.status === 'live' && agent.run === null && agent.queue.size > 0;
    if (!isFree || queue.isPaused || agent.cell?.state.status === 'passivating') continue;
    // A passivated one waits for a slot, one with a thread begins at once.
    expect([agent.cell?.state.status, queue.has(agent)]).toEqual(['passivated', true]);
  }
  for (const run of registry.runs()) {
    const { agent, record } = run;
    if (!agent.isParked || agent.isReady || record.end !== null) continue;
    if (record.saved.step?.type === 'in_tools') expect(goesOn(run)).toBe(false);
  }
}

/** A walk without one of these has checked less than it says. */
const mustHappen = [
  'task_started',
  'agent_parked',
  'agent_activated',
  'agent_passivated',
  'agent_stopped',
  'interrupt_requested',
  'timeout_fired',
  'task_paused',
  'steering_updated',
];

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  '10,000 random messages leave no slot idle, no run waiting for nothing, each task with one end, seed %i (V7, W3, S4, O2)',
  (seed) => {
    const model = new SchedulerRig(seed);
    while (model.messages < 10_000) {
      step(model);
      check(model);
    }
    model.end();

    for (const kind of mustHappen)
      expect([kind, model.kinds.get(kind) ?? 0]).not.toEqual([kind, 0]);
    expect(model.world.registry.tasks.size).toBe(0);
    expect(model.completed).toBe(model.accepted);
    expect(model.world.queue.live).toBe(0);
    for (const [id, events] of model.events) {
      expect([id, events.filter((each) => each === 'task_completed')]).toEqual([
        id,
        ['task_completed'],
      ]);
      expect([id, events[0], events.at(-1)]).toEqual([id, 'task_queued', 'task_completed']);
    }
  },
);

test('a fault in a decision ends every task failed, internal, and nothing starts after it (W3, O2)', () => {
  const model = new SchedulerRig(1);
  model.isCalm = true;
  const tasks = Array.from({ length: maxLive + 2 }, () => model.task());
  model.dispatch({ type: 'submit', tasks, isFrozen: false });
  model.fail();
  for (const actor of [...model.actors.values()]) advance(model, actor);

  expect(tasks.map(({ outcome }) => [outcome?.status, outcome?.error?.code])).toEqual(
    tasks.map(() => ['failed', 'internal']),
  );
  const late = model.task();
  model.dispatch({ type: 'submit', tasks: [late], isFrozen: false });
  expect(late.outcome?.error?.code).toBe('closed');
  expect(model.actors.size).toBe(0);
});

test('a run whose calls reach the host before the report that it started is asked for its thread then (W1)', () => {
  const model = new SchedulerRig(1);
  model.isCalm = true;
  const need = { missing: 1, canGrow: false, isAlwaysNeeded: false };
  model.dispatch({ type: 'submit', tasks: [model.task()], isFrozen: false });
  const [actor] = [...model.actors.values()];
  const run = actor?.agent.run;
  if (actor === undefined || run == null) throw new Error('no run');
  model.dispatch({ type: 'threads_needed', need });
  model.event(run, { type: 'turn_started', turn: 1 });
  call(model, actor, run, 1);
  expect([actor.status, run.thread.isAsked]).toEqual(['starting', false]);

  start(model, actor);

  expect([actor.status, run.thread.isAsked]).toEqual(['parking', true]);
});

test('what streams ahead of the report of its turn is an event after it, once (O1)', () => {
  const model = new SchedulerRig(1);
  model.isCalm = true;
  model.dispatch({ type: 'submit', tasks: [model.task()], isFrozen: false });
  const [actor] = [...model.actors.values()];
  const run = actor?.agent.run;
  if (actor === undefined || run == null) throw new Error('no run');
  start(model, actor);

  const delta = (turn: number, text: string): StreamedDelta => ({
    type: 'model_delta',
    callId: turn,
    turn,
    delta: { type: 'text', text },
  });
  model.dispatch({ type: 'streamed', run, delta: delta(1, 'early ') });
  expect([run.record.streamed, model.kinds.get('model_delta')]).toEqual(['', undefined]);
  model.event(run, { type: 'turn_started', turn: 1 });
  model.dispatch({ type: 'streamed', run, delta: delta(1, 'late') });
  // The answer of this turn has come to its thread, which has asked again.
  model.dispatch({ type: 'streamed', run, delta: delta(2, 'next') });

  expect([run.record.streamed, model.kinds.get('model_delta')]).toEqual(['early late', 2]);
  expect(model.events.get(run.task.id)?.slice(-3)).toEqual([
    'turn_started',
    'model_delta',
    'model_delta',
  ]);
});
