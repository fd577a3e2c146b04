// Owns the wait of a caller of the program for its tasks, which end when its signal aborts.
import { copyData } from '../copy-data.ts';
import { awaitTasks } from '../delegation/await-tasks.ts';
import type { Desk } from '../delegation/desk.ts';
import type { TaskEntry } from '../delegation/task-entry.ts';
import type { Outcome } from '../outcome.ts';
import { whyAborted } from '../when-aborted.ts';

export async function awaitOutcomes(
  desk: Desk,
  entries: readonly TaskEntry[],
  signal: AbortSignal | undefined,
): Promise<readonly Outcome[]> {
  const outcomes = await awaitTasks(entries, signal, (aborted) => {
    const reason = whyAborted(aborted);
    for (const entry of entries) void desk.endings.interrupt(entry, { scope: 'run', reason });
  });
  return outcomes.map(copyData);
}
