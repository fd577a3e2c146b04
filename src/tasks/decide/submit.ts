// Decides about tasks and agents that the program or a tool asks for: accepted, admitted or refused (V7, S8).
import { failure } from '../../base/failures.ts';
import type { FoundRun } from '../messages.ts';
import { givenUp, overLimit, refused } from '../refusals.ts';
import type { AgentSpec } from '../resolve/agent-spec.ts';
import { Agent, subjectOf, type TaskRecord } from '../state.ts';
import type { Task } from '../task.ts';
import type { World } from '../world.ts';
import { admission, requestOf, rootOfProgram } from './admission.ts';
import { endWaiting } from './end.ts';
import { restore } from './restore.ts';
import { handOut } from './slots.ts';
import { writeAccepted } from './write.ts';

/** Accepts the tasks of one call; those whose spec is not resolved yet are admitted later. */
export function submit(world: World, tasks: readonly TaskRecord[], isFrozen: boolean): void {
  for (const task of tasks) {
    enter(world, task, world.queue.waiting);
    if (task.spec !== null) admitTask(world, task, task.spec, isFrozen);
  }
}

/** Gives a task its agent and its place in the queue, or ends it with the limit that it meets. */
export function admitTask(
  world: World,
  task: TaskRecord,
  spec: AgentSpec,
  isFrozen: boolean,
): void {
  if (task.isEnded) return;
  task.spec = spec;
  const { parent, signal } = task.origin;
  // An activation on its way to a warm thread may ask its model before an interrupt catches up with it.
  if (signal?.aborted === true) {
    endWaiting(world, task, givenUp);
    return;
  }
  if (task.written.restored !== null) restore(world, task, spec);
  if (task.isEnded) return;
  const verdict = admission(world, requestOf(task, isFrozen));
  // One that was admitted by an earlier process has its place.
  if (verdict.type === 'reject' && (task.written.restored === null || world.isClosed)) {
    endWaiting(world, task, overLimit(verdict));
    return;
  }
  if (parent !== null) {
    // Counted when it is admitted: a queued task will be part of the tree.
    parent.root.treeTotal += 1;
    task.isCounted = true;
  }
  const { name } = task.task;
  const { depth } = task;
  task.agent = new Agent({ spec, name, lifetime: 'task', parent, depth, survivesCrash: false });
  if (task.earlier !== null) task.agent.branch = task.earlier.branch;
  task.agent.queue.add(task);
  join(world, task.agent);
}

/** A persistent agent: without a thread until its first run when it is lazy, and queued for a slot otherwise (P2). */
export function spawn(world: World, agent: Agent, isLazy: boolean): void {
  if (isLazy) {
    world.push({ type: 'create', agent, begins: 'passivated' });
    return;
  }
  const verdict = admission(world, rootOfProgram);
  if (verdict.type === 'reject') {
    agent.status = 'ended';
    const why = failure(verdict.limit, verdict.message, { retryable: true });
    world.push({ type: 'ready', agent, why });
    return;
  }
  join(world, agent);
}

/**
 * A persistent agent of an earlier process: its run goes on as that of a task does, and what it was asked waits for its end.
 * Without a run it has no thread until its first one begins.
 */
export function restoreAgent(world: World, agent: Agent, runs: readonly FoundRun[]): void {
  for (const { task, why } of runs) {
    enter(world, task, agent.queue.size);
    agent.queue.add(task);
    if (why === null) restore(world, task, agent.spec, agent.memory ?? []);
    else endWaiting(world, task, refused(why));
  }
  const [next] = agent.queue;
  if (next?.written.restored?.run != null) join(world, agent);
  else world.push({ type: 'create', agent, begins: 'passivated' });
}

/** A run of a persistent agent begins when the agent is free. */
export function ask(world: World, agent: Agent, task: TaskRecord): void {
  enter(world, task, agent.queue.size);
  agent.queue.add(task);
  world.free.add(agent);
}

function enter(world: World, task: TaskRecord, position: number): void {
  const { id, origin } = task;
  world.push({ type: 'accept' });
  world.registry.tasks.set(id, task);
  origin.parent?.branch.children.add(task);
  const { goal, idempotencyKey } = task.task;
  if (idempotencyKey !== undefined && origin.parent === null) {
    world.registry.keyed.set(idempotencyKey, task);
  }
  if (task.written.isFound) {
    task.written.acceptanceEnded(null);
    return;
  }
  const { index, width } = origin;
  const name = nameOf(task.task);
  const payload = { goal, position, index, width };
  world.emit('task_queued', subjectOf(task), name === undefined ? payload : { ...payload, name });
  writeAccepted(world, task);
}

/** The next of the same call is admitted after this one has its slot. */
function join(world: World, agent: Agent): void {
  world.queue.join(agent);
  world.areSlotsDue = true;
  handOut(world);
}

function nameOf({ name, agent }: Task): string | undefined {
  return name ?? (typeof agent === 'object' ? agent.name : agent);
}
