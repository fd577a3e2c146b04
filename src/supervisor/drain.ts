// Owns the wait for the end of all tasks, and what becomes of those that have not begun.
import { z } from 'zod';
import { failure } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskScheduler } from '../tasks/task-scheduler.ts';

/** What `drain` does with tasks that have not begun. */
export type DrainOptions = {
  /**
   * Of tasks that have not begun. `wait`: they are waited for as well, for ever while the supervisor is paused. `return`: they
   * end `interrupted` and are handed back. Default `wait`.
   */
  readonly queued?: 'wait' | 'return';
};

const schema = z.strictObject({ queued: z.enum(['wait', 'return']).optional() });

const handedBack = {
  exitReason: 'interrupted',
  error: failure(
    'interrupted',
    "the task was handed back before it began: drain({ queued: 'return' })",
    {
      retryable: true,
    },
  ),
} as const;

/** Resolves when no task is unfinished, with those that were handed back, oldest first. */
export async function drain(
  scheduler: TaskScheduler,
  options: DrainOptions,
): Promise<readonly Task[]> {
  const { queued = 'wait' } = parseOptions(schema, options, 'drain');
  const waiting = [...scheduler.registry.tasks.values()].filter(({ run }) => run === null);
  const returned: Task[] = [];
  for (const entry of queued === 'return' ? waiting : []) {
    // A listener of an earlier one's end may have ended it.
    if (entry.isEnded) continue;
    const isOfProgram = entry.origin.parent === null && entry.agent?.lifetime !== 'persistent';
    // What a running agent waits for comes to its turn by itself, but not while nothing begins.
    if (!isOfProgram && !scheduler.isPaused) continue;
    scheduler.dispatch({ type: 'end_waiting', task: entry, end: handedBack });
    if (isOfProgram) returned.push(entry.task);
  }
  await scheduler.drain();
  return returned;
}
