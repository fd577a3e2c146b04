// Finds the deadlock where runs use every slot and wait for children that need one: the newest is refused (V7). Pure.
import { failure } from '../base/failures.ts';
import type { EndOfWaiting } from './refusals.ts';
import type { SlotQueue } from './slot-queue.ts';
import type { Agent } from './state.ts';
import { isStuck } from './waits.ts';

/** How its task ends. */
export const slotDeadlock: EndOfWaiting = {
  exitReason: 'rejected',
  error: failure(
    'deadlock',
    'deadlock: every slot is held by tools that wait in their threads for children',
  ),
};

/**
 * The newest agent that waits for a slot that will never be free, and that its parent waits for; null while some run may
 * still free one.
 */
export function newestInDeadlock(agents: Iterable<Agent>, queue: SlotQueue): Agent | null {
  let stuck = 0;
  for (const { run, isLive } of agents) {
    if (run !== null && isStuck(run)) stuck += 1;
    else if (run !== null && isLive) return null;
  }
  if (stuck < queue.live) return null;
  return queue.newestOf(({ parent, queue: tasks }) => {
    if (parent === null || !isStuck(parent)) return false;
    const [task] = tasks;
    return task !== undefined && parent.background?.isUnawaited(task.id) !== true;
  });
}
