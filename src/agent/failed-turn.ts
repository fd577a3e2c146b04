// Owns what the model is told of a turn's results: each as it is, or one generic text when all failed (B28). Pure.
import type { Message, ToolResultBlock } from '../models/model.ts';

/** What stands for a failure that is not told; providers refuse an error without any content. */
const failed = 'The call failed.';

/** The message that answers a turn's calls: every call has its result in any case, in call order (E9). */
export function answersOf(
  results: readonly ToolResultBlock[],
  allFailedText: string | undefined,
): Message {
  const isAllFailed = results.length > 0 && results.every((result) => result.is_error === true);
  if (allFailedText === undefined || !isAllFailed) return { role: 'user', content: results };
  return {
    role: 'user',
    content: [
      ...results.map((result) => ({ ...result, content: failed })),
      { type: 'text', text: allFailedText },
    ],
  };
}
