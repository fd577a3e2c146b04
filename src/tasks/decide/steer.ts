// Decides about messages to runs from outside: sent, confirmed, sent again on the next thread, undelivered (M2).
import type { EventSubject } from '../../events/event-types.ts';
import type { SteerStatus } from '../../protocol/steer-receipt.ts';
import type { Delivery, OpenDelivery } from '../delivery.ts';
import type { TaskRecord } from '../state.ts';
import type { World } from '../world.ts';

/** Adds a message to a run's conversation, once. */
export function deliver(world: World, task: TaskRecord, delivery: Delivery): void {
  const open: OpenDelivery = { ...delivery, isSent: false };
  if (task.isEnded) {
    miss(world, task, open);
    return;
  }
  task.steers ??= [];
  task.steers.push(open);
  const { run } = task;
  // A parked run has no thread; its next activation receives what came meanwhile.
  if (run === null || run.cell.state.status === 'parked') return;
  open.isSent = true;
  const { id, text } = open;
  const { cell } = run;
  world.push({
    type: 'control',
    cell,
    control: { type: 'steer', runId: task.id, steer: { id, text } },
  });
}

/** Takes a message back that the run has not taken; emits no event. */
export function retract(world: World, task: TaskRecord, id: string): void {
  const retracted = remove(task, id);
  if (retracted === null) return;
  if (retracted.isSent && task.run !== null) {
    const { cell } = task.run;
    world.push({ type: 'control', cell, control: { type: 'retract', runId: task.id, id } });
  }
  world.push({ type: 'settle', delivery: retracted, end: 'undelivered' });
}

/** The run's thread has it. */
export function confirm(world: World, task: TaskRecord, id: string, turn: number): void {
  const taken = remove(task, id);
  if (taken === null) return;
  publish(world, task, { steerId: id, status: 'delivered', turn });
  world.push({ type: 'settle', delivery: taken, end: 'taken' });
}

/** The activation that had them is over, the run is not (V7): they are sent again. */
export function sendAgain({ steers }: TaskRecord): void {
  for (const each of steers ?? []) each.isSent = false;
}

/** The task is over: what its run did not take is undelivered. */
export function missAll(world: World, task: TaskRecord): void {
  for (const each of task.steers ?? []) miss(world, task, each);
  task.steers = null;
}

function remove({ steers }: TaskRecord, id: string): OpenDelivery | null {
  const at = steers?.findIndex((each) => each.id === id) ?? -1;
  const [removed] = at < 0 ? [] : (steers?.splice(at, 1) ?? []);
  return removed ?? null;
}

function miss(world: World, task: TaskRecord, delivery: OpenDelivery): void {
  publish(world, task, { steerId: delivery.id, status: 'undelivered' });
  world.push({ type: 'settle', delivery, end: 'undelivered' });
}

function publish(
  world: World,
  { run, id: taskId, depth }: TaskRecord,
  payload: { steerId: string; status: SteerStatus; turn?: number },
): void {
  const subject: EventSubject = run?.subject ?? { taskId, depth };
  world.emit('steering_updated', subject, payload);
}
