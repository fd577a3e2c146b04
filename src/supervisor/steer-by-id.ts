// Owns who receives a steer by an id or a path: a task's run, a spawned agent's run, or no run any more.

import { describe, TroupeError } from '../base/failures.ts';
import type { PersistentAgent } from '../tasks/persistent-agent.ts';
import type { SteerReceipt } from '../tasks/steer-receipt.ts';
import type { SteeringQueue } from '../tasks/steering-queue.ts';
import type { SupervisorParts } from './build-supervisor.ts';

/** Rejects `unknown_task`, `invalid_options`, `mailbox_full`. */
export async function steerById(
  { scheduler: { registry }, steering }: Pick<SupervisorParts, 'scheduler' | 'steering'>,
  idOrPath: string,
  text: string,
): Promise<SteerReceipt> {
  const persistent = registry.findPersistent(idOrPath);
  if (persistent !== null) return steerAgent(steering, persistent, text);
  const entry = registry.find(idOrPath);
  if (entry !== null) return steering.steer(entry, text);
  const ended = registry.history.find(idOrPath);
  if (ended === null) {
    throw new TroupeError('unknown_task', `there is no task or agent ${describe(idOrPath)}`);
  }
  const { agent, taskId } = ended.outcome;
  return steering.miss(text, { agentId: agent.id, path: agent.path, depth: agent.depth, taskId });
}

/** The run that is on takes it, else the first that waits. */
export async function steerAgent(
  steering: SteeringQueue,
  agent: PersistentAgent,
  text: string,
): Promise<SteerReceipt> {
  const [next] = agent.waiting;
  const entry = agent.run?.task ?? next;
  return entry === undefined ? steering.miss(text, agent.subject) : steering.steer(entry, text);
}
