// Decides what begins no more for a while, or at all: one task, the supervisor, at its close (C46, V8).
import { type Failure, failure } from '../../base/failures.ts';
import type { TaskRecord } from '../state.ts';
import type { World } from '../world.ts';
import { endWaiting } from './end.ts';
import { resumeParked } from './step.ts';
import { writeEntry } from './write.ts';

export function pauseAll(world: World): void {
  world.queue.isPaused = true;
  world.emit('supervisor_paused', {}, {});
}

export function resumeAll(world: World): void {
  world.queue.isPaused = false;
  world.emit('supervisor_resumed', {}, {});
  for (const agent of world.registry.persistent()) world.free.add(agent);
}

/** A waiting task is skipped, a run pauses at the end of its turn, with its clocks. */
export function pauseTask(world: World, task: TaskRecord): void {
  if (task.isEnded || task.isPaused) return;
  task.isPaused = true;
  writeEntry(world, task, { type: 'paused' });
  const { run, id: runId } = task;
  if (run !== null) {
    // Its message may not have been handed over yet: then it does not begin.
    if (run.record.phase === 'starting' && !run.thread.hasLeft) {
      world.push({ type: 'hold', cell: run.cell });
      world.push({ type: 'suspend_clocks', task, run });
    }
    world.push({ type: 'control', cell: run.cell, control: { type: 'pause', runId } });
  }
  publish(world, 'task_paused', task);
}

export function resumeTask(world: World, task: TaskRecord): void {
  if (task.isEnded || !task.isPaused) return;
  task.isPaused = false;
  writeEntry(world, task, { type: 'resumed' });
  world.push({ type: 'resume_clocks', task });
  const { run, id: runId } = task;
  if (run !== null) {
    world.push({ type: 'let_go', cell: run.cell });
    if (run.agent.isParked) resumeParked(world, run);
    world.push({ type: 'control', cell: run.cell, control: { type: 'resume', runId } });
  }
  publish(world, 'task_resumed', task);
}

/** Nothing starts any more; waiting tasks end, the running ones end with their actors. */
export function close(world: World): void {
  refuseAgents(world, failure('closed', 'the supervisor is closed'));
  for (const task of [...world.registry.tasks.values()]) {
    if (task.run !== null) task.run.endFor('interrupted', closing);
    else endWaiting(world, task, { exitReason: 'interrupted', error: closing });
  }
}

/** The same for a fault of this code: every task ends with it. */
export function closeOnFault(world: World, error: Failure): void {
  refuseAgents(world, error);
  for (const task of [...world.registry.tasks.values()]) {
    if (task.run === null) endWaiting(world, task, { exitReason: 'error', error });
    else {
      task.run.endFor('error', error);
      world.push({ type: 'kill', cell: task.run.cell });
    }
  }
}

/** Nothing starts any more; the caller of `spawn` of an agent that waits for its first slot learns that it will have none. */
function refuseAgents(world: World, why: Failure): void {
  world.isClosed = true;
  const { queue } = world;
  for (const agent of queue.persistent()) {
    queue.leave(agent);
    // A passivated agent ends with its actor.
    if (agent.status !== 'queued') continue;
    agent.status = 'ended';
    world.push({ type: 'ready', agent, why });
  }
}

function publish(
  world: World,
  type: 'task_paused' | 'task_resumed',
  { run, id: taskId, depth }: TaskRecord,
): void {
  world.emit(type, run?.subject ?? { taskId, depth }, {});
}

const closing = failure('interrupted', 'the supervisor is closing');
