// Owns what is left of a job that was begun before: by the results that are there, and by its journal.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type EarlierResults,
  noEarlierResults,
  readEarlierResults,
  withoutDone,
} from './earlier-results.ts';
import type { JobJournal } from './job-journal.ts';
import type { ReadyJob } from './open-job.ts';
import type { ResultRecord } from './record.ts';
import type { RunOptions } from './run-options.ts';
import { goesOnNotice, resumedNotice } from './summary.ts';

/** A job, and what came of it before. */
export type BegunJob = ReadyJob & {
  /** What it has cost before, in US dollars. Default: nothing. */
  readonly spentUsd?: number;
  /** Lines of subagents that the process before has not written any more. */
  readonly below?: readonly ResultRecord[];
};

export type LeftJob = {
  readonly job: BegunJob;
  /** What is in the file of results and stays there. */
  readonly earlier: EarlierResults;
  readonly existing: RunOptions['existing'];
  /** All that is in the file has completed. */
  readonly isCompleted: boolean;
  /** Null for a job that begins. */
  readonly notice: string | null;
};

/** Throws an error that says what is wrong with the file of results. */
export async function leftOf(
  whole: ReadyJob,
  { out, existing: asked }: Pick<RunOptions, 'out' | 'existing'>,
  { cwd, journal }: { readonly cwd: string; readonly journal: JobJournal | null },
): Promise<LeftJob> {
  const isRetried = asked === 'resume';
  const keyed = journal === null ? null : await journal.keyed(whole, isRetried);
  const isBegun = keyed !== null && keyed.known > 0;
  // Its own results are not in the way of a job that goes on, nor is a file that was killed before the first of them.
  const isOurs = isBegun || (journal !== null && out !== null && isEmpty(resolve(cwd, out)));
  const existing = isOurs && asked === 'refuse' ? 'resume' : asked;
  const hasEarlier = out !== null && existing === 'resume';
  const earlier = hasEarlier ? await readEarlierResults(resolve(cwd, out)) : noEarlierResults;
  const done = isRetried ? earlier.completed : earlier.ended;
  const left = await withoutDone(keyed?.job ?? whole, done);
  const below = (keyed?.below ?? []).filter(({ taskId }) => !earlier.below.has(taskId));
  const job = keyed === null ? left : { ...left, spentUsd: earlier.costUsd, below };
  const counts = { total: whole.total, left: job.total, out };
  const notice =
    isBegun && !isRetried
      ? goesOnNotice({ ...counts, unfinished: keyed.unfinished })
      : earlier.count > 0
        ? resumedNotice(counts)
        : null;
  const isCompleted = [...earlier.ended.keys()].every((key) => earlier.completed.has(key));
  return { job, earlier, existing, isCompleted, notice };
}

function isEmpty(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === 0;
}
