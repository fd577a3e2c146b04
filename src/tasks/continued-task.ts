// Owns what it means to go on with an ended task: its agent, its conversation, another goal. Pure.
import { describe, TroupeError } from '../base/failures.ts';
import type { Message } from '../protocol/history.ts';
import type { TaskOrigin } from './state.ts';
import { checkTask, type Task } from './task.ts';
import type { Ended } from './task-history.ts';
import type { TaskRegistry } from './task-registry.ts';

/**
 * A task as it is now, with what it takes over from the one that it continues; what it sets itself wins. Throws `invalid_task`
 * for what is wrong with it, or with going on, and `unknown_task` to go on with a task that is not kept, or that its caller did
 * not delegate.
 */
export function taskToRun(
  value: unknown,
  { index, parent, isToolCall, sessionId }: TaskOrigin,
  { history, tasks }: Pick<TaskRegistry, 'history' | 'tasks'>,
): Task {
  const checked = checkTask(value, index);
  if (checked.continues === undefined) return checked;
  const { continues, ...task } = checked;
  const running = tasks.get(continues);
  const ended = history.ofTask(continues);
  const from = running ?? ended;
  const parentId = running?.origin.parent?.id ?? ended?.outcome.agent.parentId ?? null;
  const isOwn = parent === null ? from?.sessionId === sessionId : true;
  if (from === null || (isToolCall === true && !(parentId === (parent?.id ?? null) && isOwn))) {
    const who = isToolCall === true ? 'you delegated' : 'is kept';
    const why = `there is no ended task ${describe(continues)} that ${who}`;
    throw new TroupeError('unknown_task', why);
  }
  if (ended === null)
    throw refused(`task ${continues} has not ended: steer it, or wait for its end`);
  const { agentName: agent } = ended;
  return { ...(agent === undefined ? {} : { agent }), ...task, history: conversationOf(ended) };
}

/** Without its opening, which the run that goes on has anew. */
function conversationOf({ messages, begins, opening }: Ended): readonly Message[] {
  const memory = messages.slice(opening.preamble, begins - opening.examples);
  return [...memory, ...messages.slice(begins)];
}

function refused(why: string): TroupeError {
  return new TroupeError('invalid_task', `task: continues: ${why}`, {
    detail: { field: 'continues' },
  });
}
