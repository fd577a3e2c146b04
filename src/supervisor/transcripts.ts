// Owns where a transcript is found, and the files that transcripts grow in when they are wanted (C47).
import { appendFile } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import { copyData } from '../base/copy-data.ts';
import { unreachable } from '../base/failures.ts';
import type { EventBus } from '../events/events.ts';
import { TranscriptFiles } from '../observe/transcript-files.ts';
import type { Message } from '../protocol/history.ts';
import type { Found, TaskRegistry } from '../tasks/task-registry.ts';
import type { TaskScheduler } from '../tasks/task-scheduler.ts';
import { createFresh } from './log-files.ts';

/** A copy of the conversation of a run's agent, by task id, agent id or path. Throws `unknown_task`. */
export function transcriptOf(
  { registry, persistent }: Pick<TaskScheduler, 'registry' | 'persistent'>,
  id: string,
): readonly Message[] {
  const found = registry.lookup(id);
  const isAgent = found.type === 'agent';
  return copyData(isAgent ? persistent.historyOf(found.agent) : messagesOf(found));
}

function messagesOf(found: Exclude<Found, { readonly type: 'agent' }>): readonly Message[] {
  switch (found.type) {
    case 'task':
      return found.task.run?.record.messages ?? [];
    case 'ended':
      return found.ended.messages;
    default:
      return unreachable(found);
  }
}

/** Writes each run into a file of its own in the directory; null when no directory is given. */
export function transcriptFiles(
  directory: string | undefined,
  parts: { readonly registry: TaskRegistry; readonly events: EventBus; readonly clock: Clock },
): TranscriptFiles | null {
  if (directory === undefined) return null;
  const { registry, events, clock } = parts;
  return new TranscriptFiles({
    events,
    clock,
    transcript: (taskId) => {
      const found = registry.find(taskId);
      return found === null || found.type === 'agent' ? [] : messagesOf(found);
    },
    create: (name) => createFresh({ directory, name, extension: '.jsonl' }),
    append: appendFile,
  });
}
