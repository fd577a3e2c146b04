// Owns where a transcript is found, and the files that transcripts grow in when they are wanted (C47).
import type { Clock } from '../base/clock.ts';
import { copyData } from '../base/copy-data.ts';
import type { EventBus } from '../events/events.ts';
import { TranscriptFiles } from '../observe/transcript-files.ts';
import type { Message } from '../protocol/history.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import { appendTo, createFresh } from './log-files.ts';

/** A copy of the conversation of a run's agent, by task id, agent id or path; null when it names none. */
export function transcriptOf(registry: TaskRegistry, id: string): readonly Message[] | null {
  return copyData(messagesOf(registry, id));
}

function messagesOf(registry: TaskRegistry, id: string): readonly Message[] | null {
  const persistent = registry.findPersistent(id);
  if (persistent !== null) return persistent.memory;
  const entry = registry.find(id);
  const run = entry?.run ?? null;
  if (run !== null) return run.record.messages;
  const ended = registry.history.find(id);
  if (ended !== null) return ended.messages;
  return entry === null ? null : [];
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
    transcript: (taskId) => messagesOf(registry, taskId) ?? [],
    create: (name) => createFresh({ directory, name, extension: '.jsonl' }),
    append: appendTo,
  });
}
