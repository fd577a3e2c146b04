// Decides what begins no more for a while, or at all: one task, the supervisor, at its close (C46, V8).
import { failure } from '../../base/failures.ts';
import type { TaskRecord } from '../state.ts';
import type { World } from '../world.ts';
import { endWaiting } from './end.ts';

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
  const { run, id: runId } = task;
  if (run !== null) {
    // Its message may not have been handed over yet: then it does not begin.
    if (run.record.phase === 'starting') {
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
  world.push({ type: 'resume_clocks', task });
  const { run, id: runId } = task;
  if (run !== null) {
    world.push({ type: 'let_go', cell: run.cell });
    world.push({ type: 'control', cell: run.cell, control: { type: 'resume', runId } });
  }
  publish(world, 'task_resumed', task);
}

/** Nothing starts any more; waiting tasks end, the running ones end with their actors. */
export function close(world: World): void {
  world.isClosed = true;
  const { queue, registry } = world;
  for (const agent of queue.persistent()) {
    queue.leave(agent);
    // A passivated agent ends with its actor.
    if (agent.status !== 'queued') continue;
    agent.status = 'ended';
    const why = failure('closed', 'the supervisor is closed');
    world.push({ type: 'ready', agent, why });
  }
  for (const task of [...registry.tasks.values()]) {
    if (task.run !== null) task.run.endFor('interrupted', closing);
    else endWaiting(world, task, { exitReason: 'interrupted', error: closing });
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
