// Owns the wait of a caller of the program for its tasks, which end when its signal aborts.
import { copyData } from '../base/copy-data.ts';
import type { Outcome } from '../base/outcome.ts';
import { whyAborted } from '../base/when-aborted.ts';
import { awaitTasks } from '../tasks/await-tasks.ts';
import type { TaskEntry } from '../tasks/task-record.ts';
import type { Desk } from '../tasks/task-scheduler.ts';

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
