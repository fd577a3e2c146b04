// Owns who receives a steer by an id or a path: a task's run, a persistent agent's run, or no run any more.

import type { Agent } from '../tasks/state.ts';
import type { SteerReceipt } from '../tasks/steer-receipt.ts';
import type { Steering } from '../tasks/steering.ts';
import type { TaskScheduler } from '../tasks/task-scheduler.ts';

/** Rejects `unknown_task`, `invalid_options`, `mailbox_full`. */
export async function steerById(
  { registry, steering }: TaskScheduler,
  idOrPath: string,
  text: string,
): Promise<SteerReceipt> {
  const found = registry.lookup(idOrPath);
  if (found.type === 'agent') return steerAgent(steering, found.agent, text);
  if (found.type === 'task') return steering.steer(found.task, text);
  const { agent, taskId } = found.ended.outcome;
  return steering.miss(text, { agentId: agent.id, path: agent.path, depth: agent.depth, taskId });
}

/** The run that is on takes it, else the first that waits. */
export async function steerAgent(
  steering: Steering,
  agent: Agent,
  text: string,
): Promise<SteerReceipt> {
  const [next] = agent.queue;
  const entry = agent.run?.task ?? next;
  return entry === undefined ? steering.miss(text, agent.subject) : steering.steer(entry, text);
}
