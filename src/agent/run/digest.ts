// Owns the digest of the own messages of a run: its last text, tools called in a row. Folded as messages come. Pure.
import { toolCallsOf } from '../../protocol/history.ts';
import type { Digest, Streak } from '../../protocol/saved-run.ts';
import { countCalls, noStreak } from '../../tools/repetition.ts';
import type { Conversation } from '../compaction.ts';
import { textOf } from '../turn.ts';

/** Of none of its messages. */
export const emptyDigest: Digest = { upTo: 0, textAt: -1, responseAt: -1, streak: noStreak };

/** The digest of a conversation, from that of its first messages. */
export function digestOf({ messages, begins }: Conversation, before: Digest = emptyDigest): Digest {
  if (before.upTo === messages.length) return before;
  let { textAt, responseAt, streak } = before;
  for (let at = Math.max(begins, before.upTo); at < messages.length; at += 1) {
    const message = messages[at];
    if (message?.role !== 'assistant') continue;
    if (textOf(message.content) !== '') textAt = at;
    streak = withResponse({ messages, begins }, streak, responseAt);
    responseAt = at;
  }
  return { upTo: messages.length, textAt, responseAt, streak };
}

/** The last text of the model. */
export function textIn({ messages }: Conversation, { textAt }: Digest): string {
  const message = messages[textAt];
  return message?.role === 'assistant' ? textOf(message.content) : '';
}

/** Calls count once the run has gone by their response: with `isAtResponse` those of the last one do not. */
export function streakIn(
  conversation: Conversation,
  digest: Digest,
  isAtResponse: boolean,
): Streak {
  const { streak, responseAt } = digest;
  const isLast = isAtResponse && responseAt === conversation.messages.length - 1;
  return isLast ? streak : withResponse(conversation, streak, responseAt);
}

function withResponse({ messages }: Conversation, streak: Streak, at: number): Streak {
  const message = messages[at];
  if (message?.role !== 'assistant') return streak;
  const names = toolCallsOf(message.content).map(({ name }) => name);
  return countCalls(streak, names).streak;
}
