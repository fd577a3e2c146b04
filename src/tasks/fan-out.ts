// Owns `map`: pulls tasks from a source as capacity allows, yields outcomes, cleans up when the reader leaves.
import { z } from 'zod';
import { budgetSchema } from '../agent/budget-schema.ts';
import { describe, TroupeError } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import { signalSchema } from '../base/signal-schema.ts';
import { whenAborted } from '../base/when-aborted.ts';
import type { Budget, BudgetAccount } from '../protocol/budget.ts';
import { type TaskRetry, taskRetrySchema } from './retry-task.ts';
import type { Task, TaskHandle } from './task.ts';

/** How many tasks of a `map` run at a time, and in which order they are handed out. */
export type MapOptions = {
  /** Tasks that run at a time. Default 8. */
  readonly concurrency?: number;
  /** Outcomes in the order of their tasks; false hands them out as they come. Default true. */
  readonly ordered?: boolean;
  /** For tasks that set none themselves. Default: one run each. */
  readonly retry?: TaskRetry;
  /** Aborting it interrupts what runs and ends the iteration. */
  readonly signal?: AbortSignal;
  /**
   * What all tasks may use together, with all that they delegate. No call begins that could exceed it, whatever is in flight: a
   * task that meets it fails, `budget` or `max_turns`. Default: no such limit.
   */
  readonly budget?: Budget;
};

/** The budget of a job; without limits there is no account. */
export type JobBudget = { readonly account: BudgetAccount | undefined; close(): void };

/** What is needed of a task that was started. */
export type StartedTask = Pick<TaskHandle, 'result' | 'interrupt'>;

export type FanOutPort = {
  /** Its abort is that of `signal`, for a reader that left. */
  readonly left?: AbortSignal;
  openJob(budget: Budget | undefined): JobBudget;
  start(task: Task, index: number, job: BudgetAccount | undefined): StartedTask;
};

type Source = AsyncIterable<Task> | Iterable<Task>;

const defaultConcurrency = 8;

const mapSchema = z.strictObject({
  concurrency: z.number().int().min(1).optional(),
  ordered: z.boolean().optional(),
  retry: taskRetrySchema.optional(),
  signal: signalSchema.optional(),
  budget: budgetSchema.optional(),
});

/**
 * Runs tasks of a lazy source with backpressure: at most `2 * concurrency` are pulled and not yet yielded.
 * Leaving the loop interrupts what runs and calls the source's `return`, unless the source ended or threw by itself. A
 * source that throws, or an invalid task, ends the iteration with that error after the outcomes of what it had given
 * before.
 */
export async function* fanOut(
  source: Source,
  options: MapOptions,
  port: FanOutPort,
): AsyncGenerator<Outcome, void, undefined> {
  parseOptions(mapSchema, options, 'map');
  const { concurrency = defaultConcurrency, ordered = true, retry, signal } = options;
  const iterator = iteratorOf(source);
  const job = port.openJob(options.budget);
  const start: Start = (task, index) => port.start(withRetry(task, retry), index, job.account);
  const flow = new Flow(iterator, start, { concurrency, ordered });
  const onAbort = (): void => flow.abort();
  if (signal?.aborted === true) onAbort();
  const stops = [signal, port.left].flatMap((each) =>
    each === undefined ? [] : [whenAborted(each, onAbort)],
  );
  try {
    for (;;) {
      // Taken before the look: whatever changes after it settles this promise.
      const { changed } = flow;
      const outcome = flow.take();
      flow.pullIfSpace();
      if (outcome !== null) yield outcome;
      else if (flow.isDone) break;
      else await changed;
    }
    flow.throwIfFailed();
  } finally {
    for (const stop of stops) stop();
    await flow.leave();
    job.close();
  }
}

type Start = (task: Task, index: number) => StartedTask;

/** What is no task is left to the check of tasks. */
function withRetry(task: Task, retry: TaskRetry | undefined): Task {
  if (retry === undefined || typeof task !== 'object' || task === null) return task;
  return { retry, ...task };
}

/** What is pulled, what runs, what is finished and not yet handed out. */
class Flow {
  readonly #iterator: AsyncIterator<Task> | Iterator<Task>;
  readonly #startTask: Start;
  readonly #concurrency: number;
  readonly #isOrdered: boolean;
  readonly #running = new Map<number, StartedTask>();
  /** Outcomes by index, in the order they came. */
  readonly #finished = new Map<number, Outcome>();
  #pulled = 0;
  #yielded = 0;
  #isPulling = false;
  #isSourceDone = false;
  /** The source ended or threw by itself: it has cleaned up, so its `return` is not called. */
  #hasSourceEnded = false;
  /** Aborted or left: what the source still gives is not taken. */
  #isOver = false;
  #failure: { readonly error: unknown } | null = null;
  #notify: () => void = () => {};
  changed: Promise<void> = this.#nextChange();

  constructor(
    iterator: AsyncIterator<Task> | Iterator<Task>,
    start: Start,
    options: { readonly concurrency: number; readonly ordered: boolean },
  ) {
    this.#iterator = iterator;
    this.#startTask = start;
    this.#concurrency = options.concurrency;
    this.#isOrdered = options.ordered;
  }

  get isDone(): boolean {
    const isEmpty = this.#running.size === 0 && this.#finished.size === 0;
    return isEmpty && (this.#isOver || (this.#isSourceDone && !this.#isPulling));
  }

  take(): Outcome | null {
    const index = this.#isOrdered ? this.#yielded : [...this.#finished.keys()][0];
    const outcome = index === undefined ? undefined : this.#finished.get(index);
    if (index === undefined || outcome === undefined) return null;
    this.#finished.delete(index);
    this.#yielded += 1;
    return outcome;
  }

  pullIfSpace(): void {
    const hasSpace =
      this.#running.size < this.#concurrency &&
      this.#pulled - this.#yielded < 2 * this.#concurrency;
    if (!hasSpace || this.#isSourceDone || this.#isPulling || this.#isOver) return;
    this.#isPulling = true;
    void this.#pull();
  }

  /** No more is pulled, and what runs is interrupted; its outcomes are still handed out. */
  abort(): void {
    this.#isOver = true;
    void interruptAll(this.#running, 'the loop over the outcomes was aborted');
    this.#change();
  }

  throwIfFailed(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** The reader has left: interrupts the runs and closes the source. */
  async leave(): Promise<void> {
    this.#isOver = true;
    await interruptAll(this.#running, 'the loop over the outcomes was left');
    if (this.#hasSourceEnded) return;
    const returning = Promise.resolve(this.#iterator.return?.());
    if (!this.#isPulling) await returning;
    // A generator returns after the value it is waiting for, which may never come: do not wait for it.
    else returning.catch(() => {});
  }

  async #pull(): Promise<void> {
    try {
      const task = await this.#nextTask();
      if (task !== null && !this.#isOver) this.#start(task);
    } catch (error) {
      this.#isSourceDone = true;
      this.#failure = { error };
    }
    this.#isPulling = false;
    this.#change();
  }

  /** Null at the end of the source. */
  async #nextTask(): Promise<Task | null> {
    let result: IteratorResult<Task> | null = null;
    try {
      result = await this.#iterator.next();
      return result.done === true ? null : result.value;
    } finally {
      if (result === null || result.done === true) {
        this.#isSourceDone = true;
        this.#hasSourceEnded = true;
      }
    }
  }

  #start(task: Task): void {
    const index = this.#pulled;
    const handle = this.#startTask(task, index);
    this.#pulled += 1;
    this.#running.set(index, handle);
    void handle.result().then((outcome) => {
      this.#running.delete(index);
      // A task that was given twice by its key has one outcome.
      this.#finished.set(index, outcome.index === index ? outcome : { ...outcome, index });
      this.#change();
    });
  }

  /** Something came or ended: the reader may look, and others may start meanwhile. */
  #change(): void {
    this.pullIfSpace();
    const notify = this.#notify;
    this.changed = this.#nextChange();
    notify();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#notify = resolve;
    });
  }
}

async function interruptAll(
  running: ReadonlyMap<number, StartedTask>,
  reason: string,
): Promise<void> {
  await Promise.all([...running.values()].map((handle) => handle.interrupt({ reason })));
}

function iteratorOf(source: Source): AsyncIterator<Task> | Iterator<Task> {
  const isSource =
    typeof source === 'object' &&
    source !== null &&
    (Symbol.asyncIterator in source || Symbol.iterator in source);
  if (!isSource) {
    const seen = describe(source);
    throw new TroupeError(
      'invalid_options',
      `map: source is ${seen}: expected an iterable of tasks`,
    );
  }
  return Symbol.asyncIterator in source
    ? source[Symbol.asyncIterator]()
    : source[Symbol.iterator]();
}
