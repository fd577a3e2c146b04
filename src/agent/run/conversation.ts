// Owns how a commit changes a run's conversation: the copy in its thread and the supervisor's become the same by it. Pure.
import type { RunEvent } from '../../protocol/run-events.ts';
import { type Conversation, shortened } from '../compaction.ts';
import { isBlank } from '../turn.ts';

type WithoutState<Event> = Event extends RunEvent ? Omit<Event, 'state'> : never;

/** A run event that changes the conversation, before the state is added that it leaves. */
export type Commit = WithoutState<
  Extract<
    RunEvent,
    { type: 'model_response' | 'tool_results' | 'prompted' | 'steered' | 'shortened' }
  >
>;

export function afterCommit(before: Conversation, commit: Commit): Conversation {
  const { messages, begins } = before;
  switch (commit.type) {
    case 'shortened':
      return shortened(before, commit.shortening);
    case 'model_response': {
      const { message } = commit;
      // Providers refuse a history with a response of thoughts alone.
      const isKept = message.role === 'assistant' && !isBlank(message.content);
      return isKept ? { messages: [...messages, message], begins } : before;
    }
    default:
      return { messages: [...messages, commit.message], begins };
  }
}
