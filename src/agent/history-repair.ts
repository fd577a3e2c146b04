// Owns the one invariant of history: every `tool_use` has exactly one `tool_result`, in the next user message.
import {
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
  toolCallsOf,
  type UserBlock,
} from '../protocol/history.ts';

/** The calls of the last response, while they wait for their results. */
export function openCallsOf(messages: readonly Message[]): readonly ToolUseBlock[] {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? toolCallsOf(last.content) : [];
}

/** The result that a model receives for a call that was unanswered when its run ended. */
const runEndedFirst = 'The run ended before this call did.';

/** A result for each call: its own where it has one, else an error that says why there is none. */
export function closedCalls(
  calls: readonly ToolUseBlock[],
  resultOf: (id: string) => ToolResultBlock | undefined,
): readonly ToolResultBlock[] {
  return calls.map(
    ({ id }) =>
      resultOf(id) ?? {
        type: 'tool_result',
        tool_use_id: id,
        content: runEndedFirst,
        is_error: true,
      },
  );
}

/** Closes a history that was cut in the middle of a turn: each open call is answered (S5). */
export function repair(
  messages: readonly Message[],
  resultOf: (id: string) => ToolResultBlock | undefined = () => undefined,
): readonly Message[] {
  const open = openCallsOf(messages);
  if (open.length === 0) return messages;
  return [...messages, { role: 'user', content: closedCalls(open, resultOf) }];
}

/**
 * The same messages with each call's result where it belongs: messages that came between the two follow them. A call without
 * a result is answered as one that its run never saw the end of; a result without its call is left out.
 */
export function paired(messages: readonly Message[]): readonly Message[] {
  if (pairingFault(messages) === null) return messages;
  const results = new Map<string, ToolResultBlock>();
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === 'tool_result') results.set(block.tool_use_id, block);
    }
  }
  return messages.flatMap((message): readonly Message[] => {
    if (message.role === 'assistant') return repair([message], (id) => results.get(id));
    const content = message.content.filter((block) => !isResult(block));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** What breaks the invariant, or null: for tests, and for transcripts that come from elsewhere. */
export function pairingFault(messages: readonly Message[]): string | null {
  for (const [index, message] of messages.entries()) {
    const asked = message.role === 'assistant' ? toolCallsOf(message.content).map((c) => c.id) : [];
    const following = messages[index + 1];
    const answered =
      following?.role === 'user'
        ? following.content.flatMap((b) => (b.type === 'tool_result' ? [b.tool_use_id] : []))
        : [];
    if (message.role === 'assistant' && asked.join() !== answered.join()) {
      return `message ${index} asks for [${asked}], the next answers [${answered}]`;
    }
    const isAnswer = message.role === 'user' && message.content.some(isResult);
    if (isAnswer && messages[index - 1]?.role !== 'assistant') {
      return `message ${index} answers a call that nobody made`;
    }
  }
  return null;
}

function isResult(block: UserBlock): boolean {
  return block.type === 'tool_result';
}
