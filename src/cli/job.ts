// Owns one job while it runs: tasks in, outcomes out as they come, and the reasons to end before the input does.
import type { Clock } from '../base/clock.ts';
import { whenAborted } from '../base/when-aborted.ts';
import type { Outcome, Supervisor } from '../index.ts';
import { tallied } from '../observe/tally.ts';
import type { BegunJob } from './begun-job.ts';
import { JobBook } from './job-book.ts';
import type { FrameFacts } from './live-frame.ts';
import type { ReadyJob } from './open-job.ts';
import { reasonOf } from './reason.ts';
import type { ResultRecord } from './record.ts';
import type { Results } from './results-file.ts';
import type { RunOptions } from './run-options.ts';
import { type JobEnd, type JobStop, placeOf } from './summary.ts';

export class Job {
  readonly book = new JobBook();
  readonly #options: RunOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  #startedAt: number;
  #total = 0;
  #stop: JobStop | null = null;

  readonly #onUnwritten: (record: ResultRecord) => void;

  /** `onUnwritten` is handed the records that the results cannot take any more. */
  constructor(options: RunOptions, clock: Clock, onUnwritten: (record: ResultRecord) => void) {
    this.#options = options;
    this.#onUnwritten = onUnwritten;
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  /** Aborted when the job is to end early. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Ends the job early: what is finished is kept, what runs hands over what it has. The first reason counts. */
  end(stop: JobStop): void {
    this.#stop ??= stop;
    this.#stopping.abort();
  }

  /** Follows the supervisor's events; call it before `run`, and before the progress display subscribes to them. */
  follow(supervisor: Supervisor, { total, badLines = [] }: ReadyJob): void {
    this.#startedAt = this.#clock.now();
    this.#total = total + badLines.length;
    for (const type of [...tallied, 'agent_started'] as const) {
      supervisor.on(type, (event) => {
        this.book.record(event);
      });
    }
  }

  /** Resolves when every outcome is in the results. Results that cannot be written end the job. */
  async run(supervisor: Supervisor, job: BegunJob, results: Results): Promise<void> {
    for (const bad of job.badLines ?? []) this.#keep(this.book.refuse(bad), results);
    for (const record of job.below ?? []) this.#keep(this.book.enterBelow(record), results);
    const { concurrency, roles, retries, budgetUsd, journal } = this.#options;
    const maxCostUsd = (budgetUsd ?? Infinity) - (job.spentUsd ?? 0);
    if (budgetUsd !== null && maxCostUsd <= 0) return this.end({ type: 'budget', budgetUsd });
    const budget = budgetUsd === null ? {} : { budget: { maxCostUsd } };
    const retry = { attempts: retries + 1 };
    const stop = roles === null ? () => {} : this.#keepBelow(supervisor, results);
    const options = {
      concurrency,
      ordered: false,
      retry,
      ...(journal === null ? { signal: this.signal } : {}),
      ...budget,
    };
    if (journal !== null) this.#closeOnEnd(supervisor);
    try {
      for await (const outcome of supervisor.map(this.book.follow(job.items()), options)) {
        this.#endIfSpent(outcome);
        if (this.#goesOn(outcome)) this.book.forget(outcome);
        else this.#keep(this.book.close(outcome), results);
      }
    } catch (error) {
      this.end({ type: 'failure', message: reasonOf(error) });
    } finally {
      stop();
    }
  }

  /** With a journal the end of the job interrupts nothing for good: what runs goes on with the same command. */
  #closeOnEnd(supervisor: Supervisor): void {
    const close = (): void => void supervisor.close();
    if (this.signal.aborted) close();
    else whenAborted(this.signal, close);
  }

  /** It was interrupted with the job alone. */
  #goesOn({ status }: Outcome): boolean {
    return this.#options.journal !== null && this.#stop !== null && status === 'interrupted';
  }

  /** What subagents came to is in the file as soon as they end, whatever becomes of who asked them. */
  #keepBelow(supervisor: Supervisor, results: Results): () => void {
    return supervisor.on('task_completed', ({ parentId, outcome }) => {
      if (parentId === undefined || this.#goesOn(outcome)) return;
      this.#endIfSpent(outcome);
      this.#keep(this.book.closeBelow(outcome), results);
    });
  }

  /** A call was refused for the job's budget: no other call is open, and none that could begin would fit. */
  #endIfSpent({ exitReason, error }: Outcome): void {
    const { budgetUsd } = this.#options;
    const isOfJob = exitReason === 'budget' && error?.detail?.['scope'] === 'job';
    if (isOfJob && budgetUsd !== null) this.end({ type: 'budget', budgetUsd });
  }

  #keep(record: ResultRecord, results: Results): void {
    try {
      results.append(record);
    } catch (error) {
      const place = placeOf(this.#options.out);
      this.end({ type: 'failure', message: `${place} cannot be written: ${reasonOf(error)}` });
      this.#onUnwritten(record);
    }
  }

  /** What a frame of the live tree shows beside the tree. */
  facts(): Pick<FrameFacts, 'tally' | 'total' | 'elapsedMs' | 'isStopping'> {
    return {
      tally: this.book.tally,
      total: this.#total,
      elapsedMs: this.#clock.now() - this.#startedAt,
      isStopping: this.#stop !== null,
    };
  }

  /** What the job came to. */
  summary({ written }: Results): JobEnd {
    const { tally, notStarted } = this.book;
    const { model, out, journal } = this.#options;
    const { total, elapsedMs } = this.facts();
    const stop = this.#stop;
    return {
      tally,
      notStarted,
      model,
      out,
      written,
      total,
      elapsedMs,
      stop,
      goesOn: journal !== null,
    };
  }
}
