// Owns what is kept of an agent's list of todos when the call that wrote it is left out of the conversation. Pure.
import { type Message, toolCallsOf } from '../protocol/history.ts';
import type { Span } from '../protocol/shortening.ts';
import { todosIn, todoText, todoToolName } from '../tools/builtin/todo-list.ts';

/** The list as its agent wrote it last, when that call is left out; null when it is kept, there is none, or it is empty. */
export function todosLeftOut(
  messages: readonly Message[],
  leftOut: readonly Span[],
): string | null {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const todos = writtenAt(messages, at);
    if (todos === null) continue;
    const isLeftOut = leftOut.some(({ from, to }) => at >= from && at < to);
    return isLeftOut && todos.length > 0 ? todoText(todos) : null;
  }
  return null;
}

/** What the calls of a response wrote, the last of them; null when none of them did. */
function writtenAt(messages: readonly Message[], at: number) {
  const [message, next] = messages.slice(at, at + 2);
  if (message?.role !== 'assistant' || next?.role !== 'user') return null;
  const failed = new Set(
    next.content.flatMap((block) =>
      block.type === 'tool_result' && block.is_error === true ? [block.tool_use_id] : [],
    ),
  );
  const written = toolCallsOf(message.content).filter(
    ({ id, name }) => name === todoToolName && !failed.has(id),
  );
  return written.reduce<ReturnType<typeof todosIn>>(
    (last, { input }) => todosIn(input) ?? last,
    null,
  );
}
