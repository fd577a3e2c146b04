// Owns the random moves of the scheduler's model: what actors do by themselves, and what programs ask for.
import { expect } from 'vitest';
import type { SavedCall } from '#src/protocol/saved-run.js';
import { Agent, type Run, TaskRecord } from '#src/tasks/state.js';
import { parkedState, savedState } from '../support/saved-state.ts';
import { type Actor, spec } from './scheduler-actor.ts';
import type { SchedulerRig } from './scheduler-rig.ts';

/** Its activation reports that it has started. */
export function start(rig: SchedulerRig, actor: Actor): void {
  actor.status = 'live';
  actor.cell.state.status = 'running';
  rig.dispatch({ type: 'started', agent: actor.agent });
}

/** What an actor does next by itself. */
export function advance(rig: SchedulerRig, actor: Actor): void {
  const { agent, cell } = actor;
  const { run } = agent;
  if (actor.status === 'starting') {
    start(rig, actor);
  } else if (actor.status === 'asked') {
    rig.release(actor, rig.chance(0.1) ? 'crashed' : 'interrupted');
  } else if (actor.status === 'passivating') {
    actor.cell.state.status = 'passivated';
    actor.status = 'passivated';
    rig.dispatch({ type: 'passivated', agent, lost: null, spent: null });
  } else if (actor.status === 'parking') {
    park(rig, actor);
  } else if (actor.status === 'live' && run !== null) {
    turn(rig, actor, run);
  } else if (actor.status === 'parked' && run !== null && actor.calls.length > 0) {
    rig.answer(actor, run);
  } else if (actor.status === 'parked' && run !== null) {
    rig.answerModel(actor, rig.chance(0.5) ? 'answer' : 'calls');
  }
  expect(cell.address.id).toBe(agent.id);
}

function turn(rig: SchedulerRig, actor: Actor, run: Run): void {
  const turn = run.record.turns;
  if (actor.isCancelled) {
    actor.isCancelled = false;
    for (const id of actor.calls.splice(0)) rig.open.delete(`${run.task.id}/${id}`);
    const end = { exitReason: 'interrupted', text: '' } as const;
    rig.event(run, { type: 'run_ended', runId: run.task.id, end });
  } else if (actor.calls.length > 0) {
    rig.answer(actor, run);
  } else if (run.record.callsOfTurn.length > 0) {
    // Its thread goes on with what its model answered while it had none.
    callTools(rig, actor, run, turn);
  } else if (run.record.phase !== 'waiting_for_model') {
    rig.event(run, { type: 'turn_started', turn: turn + 1 });
  } else if (rig.chance(0.4)) {
    call(rig, actor, run, turn);
  } else {
    const end = { exitReason: 'goal', text: 'done' } as const;
    rig.event(run, { type: 'run_ended', runId: run.task.id, end });
    if (actor.agent.lifetime === 'task') rig.release(actor, 'normal');
  }
}

/** Its model calls tools of the host, which wait for subtasks. */
export function call(rig: SchedulerRig, actor: Actor, run: Run, turn: number): void {
  const calls = ['c1', 'c2'].slice(0, rig.chance(0.5) ? 1 : 2);
  const content = calls.map((id) => ({
    type: 'tool_use' as const,
    id,
    name: 'delegate',
    input: {},
  }));
  const message = { role: 'assistant', content } as const;
  const state = savedState({ turn });
  rig.event(run, {
    type: 'model_response',
    turn,
    message,
    model: 'm',
    stopReason: 'tool_use',
    state,
  });
  callTools(rig, actor, run, turn);
}

function callTools(rig: SchedulerRig, actor: Actor, run: Run, turn: number): void {
  const calls = run.record.callsOfTurn.map(({ id }) => id);
  for (const callId of calls) {
    rig.open.add(`${run.task.id}/${callId}`);
    actor.calls.push(callId);
    const call = { turn, callId, name: 'delegate', where: 'host', inputPreview: '{}' } as const;
    rig.event(run, { type: 'tool_started', ...call });
    const tasks = calls.map((_, index) => rig.task({ parent: run, index, isToolCall: true }));
    rig.dispatch({ type: 'submit', tasks, isFrozen: actor.status === 'asked' });
  }
}

/** It gives its thread up, its calls in hand. */
function park(rig: SchedulerRig, actor: Actor): void {
  const { agent } = actor;
  const { run } = agent;
  const isAsking = run?.record.phase === 'waiting_for_model';
  if (run === null || (actor.calls.length === 0 && !isAsking) || actor.isCancelled) {
    actor.status = 'live';
    const leaks = rig.chance(0.1) ? ['Timeout'] : [];
    if (run !== null) rig.event(run, { type: 'park_refused', leaks });
    return;
  }
  const calls = run.record.callsOfTurn.map(({ id }): SavedCall => {
    const isDone = !actor.calls.includes(id);
    const block = { type: 'tool_result', tool_use_id: id, content: 'done' } as const;
    return { step: isDone ? 'done' : 'running', isNoticed: false, block: isDone ? block : null };
  });
  const turn = run.record.turns;
  const state = isAsking ? savedState({ turn, step: { type: 'asking' } }) : parkedState(calls);
  rig.event(run, { type: 'run_parked', state, known: 0, isAsked: true });
  actor.status = 'parked';
  actor.cell.state.status = 'parked';
  rig.dispatch({ type: 'parked', run, spent: null, early: [] });
}

/** One random thing happens. */
export function step(rig: SchedulerRig): void {
  const { world } = rig;
  const tasks = [...world.registry.tasks.values()];
  const task = rig.pick(tasks);
  const actor = rig.pick([...rig.actors.values()]);
  const move = rig.random();
  if (move < 0.62 && actor !== undefined) {
    advance(rig, actor);
  } else if (move < 0.8) {
    const count = 1 + Math.floor(rig.random() * 3);
    const roots = Array.from({ length: count }, (_, index) => rig.task({ index, width: count }));
    rig.dispatch({ type: 'submit', tasks: roots, isFrozen: false });
  } else if (move < 0.85 && task !== undefined) {
    rig.interrupt(task);
  } else if (move < 0.86) {
    usePersistent(rig);
  } else if (move < 0.9 && actor !== undefined) {
    rig.release(actor, 'crashed');
  } else if (move < 0.93 && task !== undefined) {
    rig.dispatch({ type: task.isPaused ? 'resume_task' : 'pause_task', task });
  } else if (move < 0.95) {
    rig.dispatch({ type: world.queue.isPaused || rig.chance(0.8) ? 'resume' : 'pause' });
  } else if (move < 0.98 && task !== undefined) {
    const delivery = { id: 's', text: 'more', source: 'steer' as const, settle: () => {} };
    rig.dispatch({ type: 'steer', task, delivery });
  } else if (move < 0.99) {
    const missing = Math.floor(rig.random() * 4);
    const need = { missing, canGrow: rig.chance(0.9), isAlwaysNeeded: false };
    rig.dispatch({ type: 'threads_needed', need });
  } else if (task?.run != null) {
    const fired = { clock: 'idle', limitMs: 1, phase: 'in_tool', message: 'idle' } as const;
    rig.dispatch({ type: 'timed_out', run: task.run, fired });
  }
}

/** Spawns a persistent agent, or asks one. */
function usePersistent(rig: SchedulerRig): void {
  const persistent = rig.world.registry.persistent();
  const agent = rig.pick(persistent.filter(({ isTaking }) => isTaking));
  if (persistent.length < 3 || agent === undefined) {
    const facts = { spec, name: 'p', lifetime: 'persistent', parent: null, depth: 0 } as const;
    const spawned = new Agent({ ...facts, survivesCrash: true });
    rig.dispatch({ type: 'spawn', agent: spawned, isLazy: rig.chance(0.5) });
    return;
  }
  for (let count = 0; count < 3; count += 1) {
    const { id, task, origin } = rig.task();
    const asked = new TaskRecord({ id, task, origin, acceptedAt: 0, agent });
    rig.dispatch({ type: 'ask', agent, task: asked });
  }
}
