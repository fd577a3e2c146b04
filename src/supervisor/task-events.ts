// Owns the events of one task: its own and those of what it delegated, up to its end.

import type { TroupeEvent } from '../events/event-types.ts';
import type { TaskRecord } from '../tasks/state.ts';

/** Reads them out of all events, which are asked for when the first is: who never asks for one leaves no reader behind. */
export async function* eventsOfTask(
  entry: TaskRecord,
  readAll: () => AsyncIterableIterator<TroupeEvent>,
): AsyncIterableIterator<TroupeEvent> {
  const agents = new Set<string>();
  for await (const event of readAll()) {
    if (event.type === 'events_dropped') {
      yield event;
      if (entry.endedSeq <= event.missedTo) return;
    }
    const isOwn = event.taskId === entry.id;
    const isBelow = event.parentId !== undefined && agents.has(event.parentId);
    if (!isOwn && !isBelow) continue;
    if (event.agentId !== undefined) agents.add(event.agentId);
    yield event;
    if (isOwn && event.type === 'task_completed') return;
  }
}
