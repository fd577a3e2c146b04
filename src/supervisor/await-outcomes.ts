// Owns the wait of a caller of the program for its tasks, which end when its signal aborts.
import { copyData } from '../base/copy-data.ts';
import type { Outcome } from '../base/outcome.ts';
import { whyAborted } from '../base/when-aborted.ts';
import { withAbort } from '../base/with-abort.ts';
import type { TaskRecord } from '../tasks/state.ts';
import type { TaskScheduler } from '../tasks/task-scheduler.ts';

/** Resolves with copies of the outcomes, in the order of the tasks. */
export async function awaitOutcomes(
  { interrupts }: TaskScheduler,
  tasks: readonly TaskRecord[],
  signal: AbortSignal | undefined,
): Promise<readonly Outcome[]> {
  const giveUp = (aborted: AbortSignal): void => {
    const reason = whyAborted(aborted);
    for (const task of tasks) void interrupts.interrupt(task, { scope: 'run', reason });
  };
  const outcomes = await withAbort(signal, giveUp, () =>
    Promise.all(tasks.map(({ result }) => result)),
  );
  return outcomes.map(copyData);
}
