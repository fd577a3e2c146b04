// Owns the message with a turn's results, and the extra text when all calls failed without a message (B28). Pure.
import type { Message, ToolResult, ToolResultBlock } from '../protocol/history.ts';
import { failedSilently } from '../tools/call.ts';

/** The answer to one call. */
export function resultBlock(callId: string, { content, isError }: ToolResult): ToolResultBlock {
  const block = { type: 'tool_result', tool_use_id: callId, content } as const;
  return isError ? { ...block, is_error: true } : block;
}

/** The message that answers a turn's calls: every call has its result in any case, in call order (E9). */
export function answersOf(
  results: readonly ToolResultBlock[],
  allFailedText: string | undefined,
): Message {
  const blocks = results.map(withText);
  const isAllSilent =
    blocks.length > 0 && blocks.every(({ content }) => content === failedSilently);
  if (allFailedText === undefined || !isAllSilent) return { role: 'user', content: blocks };
  return { role: 'user', content: [...blocks, { type: 'text', text: allFailedText }] };
}

/** Providers refuse an error without any content, and a hook may have left none. */
function withText(result: ToolResultBlock): ToolResultBlock {
  const { type, tool_use_id, content, is_error } = result;
  if (is_error !== true || content.length > 0) return result;
  return { type, tool_use_id, content: failedSilently, is_error };
}
