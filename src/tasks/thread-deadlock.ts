// Finds which request is refused when every thread is held by a call that waits for children, which need one (W7). Pure.
import { failure } from '../base/failures.ts';
import type { EndOfWaiting } from './refusals.ts';
import type { Agent } from './state.ts';
import { isStuck } from './waits.ts';

/** How its task ends. */
export const threadDeadlock: EndOfWaiting = {
  exitReason: 'rejected',
  error: failure(
    'deadlock',
    'deadlock: every thread is held by tools that wait in it for children',
  ),
};

/**
 * The newest agent that waits for a thread and that a stuck parent waits for, one that has not begun before one that goes on;
 * null when there is none.
 */
export function newestBelowStuck(agents: Iterable<Agent>): Agent | null {
  let newest: Agent | null = null;
  let newestBegun: Agent | null = null;
  for (const agent of agents) {
    const { parent, run, cell } = agent;
    if (parent === null || run === null || !isStuck(parent)) continue;
    if (parent.background?.isUnawaited(run.task.id) === true) continue;
    const { status } = cell?.state ?? {};
    const hasBegun = run.thread.hasLeft || run.record.turns > 0;
    if (status === 'starting' && !hasBegun) newest = agent;
    else if (hasBegun && (status === 'starting' || status === 'activating')) newestBegun = agent;
  }
  return newest ?? newestBegun;
}
