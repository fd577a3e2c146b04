// Owns what a subagent's history keeps of a run (A15, A51). Pure.

import { cutResults, trim } from '../../agent/memory-window.ts';
import { plainCopy } from '../../agent/plain-copy.ts';
import { fromStored, type StoredMessage } from '../../agent/prompt/preamble.ts';
import { parseOptions } from '../../base/parse-options.ts';
import { historySchema } from '../../tasks/task.ts';

/** A copy of messages that a program hands over. Throws `invalid_options` for those that no run could go on from. */
export function givenMessages(
  messages: readonly StoredMessage[],
  what: string,
): readonly StoredMessage[] {
  parseOptions(historySchema, messages, what);
  return plainCopy(messages, { what, field: 'messages', code: 'invalid_options' });
}

/** Characters of one tool result that history keeps. */
const maxResultChars = 2_000;

/**
 * The history with a run's messages at its end: none of the system, tool results cut, the newest so many. Calls and their
 * results are kept or dropped together, and what is kept begins with a user's message.
 */
export function withRun(
  history: readonly StoredMessage[],
  added: readonly StoredMessage[],
  maxMessages: number,
): readonly StoredMessage[] {
  const all = [...fromStored(history), ...cutResults(fromStored(added), maxResultChars)];
  return trim(all, { maxMessages });
}
