// Owns the wait of a caller of the program for its tasks, which end when its signal aborts.
import { copyData } from '../base/copy-data.ts';
import type { Outcome } from '../base/outcome.ts';
import { whyAborted } from '../base/when-aborted.ts';
import { awaitTasks } from '../tasks/await-tasks.ts';
import type { TaskRecord } from '../tasks/state.ts';
import type { TaskScheduler } from '../tasks/task-scheduler.ts';

export async function awaitOutcomes(
  scheduler: TaskScheduler,
  entries: readonly TaskRecord[],
  signal: AbortSignal | undefined,
): Promise<readonly Outcome[]> {
  const outcomes = await awaitTasks(entries, signal, (aborted) => {
    const reason = whyAborted(aborted);
    for (const entry of entries)
      void scheduler.completion.interrupt(entry, { scope: 'run', reason });
  });
  return outcomes.map(copyData);
}
