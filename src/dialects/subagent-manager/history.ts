// Owns what a subagent's history keeps of a run (A15, A51). Pure.
import { fromStored, type StoredMessage } from '../../agent/prompt/opening.ts';
import { cutResults, trim } from '../../agent/remembering.ts';

/** Characters of one tool result that history keeps. */
const mostResultChars = 2_000;

/**
 * The history with a run's messages at its end: none of the system, tool results cut, the newest so many. Calls and their
 * results stay or go together, and what is kept begins with words of a user.
 */
export function withRun(
  history: readonly StoredMessage[],
  said: readonly StoredMessage[],
  maxMessages: number,
): readonly StoredMessage[] {
  const all = [...fromStored(history), ...cutResults(fromStored(said), mostResultChars)];
  return trim(all, { maxMessages });
}
