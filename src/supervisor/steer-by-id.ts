// Owns whom a steer is for, by an id or a path: a task's run, a spawned agent's, or nobody any more.

import { describe, TroupeError } from '../base/failures.ts';
import type { StandingAgent } from '../tasks/persistent-agent.ts';
import type { Steering, SteerReceipt } from '../tasks/steering-queue.ts';
import type { System } from './build-supervisor.ts';

/** Rejects `unknown_task`, `invalid_options`, `mailbox_full`. */
export async function steerById(
  { desk: { books }, steering }: Pick<System, 'desk' | 'steering'>,
  idOrPath: string,
  text: string,
): Promise<SteerReceipt> {
  const standing = books.findStanding(idOrPath);
  if (standing !== null) return steerAgent(steering, standing, text);
  const entry = books.find(idOrPath);
  if (entry !== null) return steering.steer(entry, text);
  const ended = books.archive.find(idOrPath);
  if (ended === null) {
    throw new TroupeError('unknown_task', `there is no task or agent ${describe(idOrPath)}`);
  }
  const { agent, taskId } = ended.outcome;
  return steering.miss(text, { agentId: agent.id, path: agent.path, depth: agent.depth, taskId });
}

/** The run that is on takes it, else the first that waits. */
export async function steerAgent(
  steering: Steering,
  agent: StandingAgent,
  text: string,
): Promise<SteerReceipt> {
  const [next] = agent.waiting;
  const entry = agent.run?.task ?? next;
  return entry === undefined ? steering.miss(text, agent.subject) : steering.steer(entry, text);
}
