// Finds the deadlock where runs use every slot and wait for children that need one: the newest is refused (V7). Pure.
import { failure } from '../base/failures.ts';
import type { EndOfWaiting } from './refusals.ts';
import type { Run } from './run.ts';
import type { SlotQueue } from './slot-queue.ts';
import type { TaskRecord } from './task-record.ts';

/** How its task ends. */
export const slotDeadlock: EndOfWaiting = {
  exitReason: 'rejected',
  error: failure(
    'deadlock',
    'deadlock: every slot is held by tools that wait in their threads for children',
  ),
};

/** The newest task that waits for a slot that will never be free; null while some run may still free one. */
export function newestInDeadlock(agents: Iterable<Run>, queue: SlotQueue): TaskRecord | null {
  let stuck = 0;
  for (const agent of agents) {
    if (agent.isStuck) stuck += 1;
    else if (agent.slot === 'occupied' || agent.slot === 'parking') return null;
  }
  if (stuck < queue.live) return null;
  return queue.newestOf((entry) => entry.origin.parent?.isStuck === true);
}
