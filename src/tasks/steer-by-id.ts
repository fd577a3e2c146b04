// Owns who receives a steer by an id or a path: a task's run, a persistent agent's run, or no run any more.

import type { SteerReceipt } from '../protocol/steer-receipt.ts';
import type { Agent } from './state.ts';
import type { Steering } from './steering.ts';
import type { TaskRegistry } from './task-registry.ts';

/** Rejects `unknown_task`, `invalid_options`, `mailbox_full`. */
export async function steerById(
  { registry, steering }: { readonly registry: TaskRegistry; readonly steering: Steering },
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
