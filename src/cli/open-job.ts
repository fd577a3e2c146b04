// Owns what a job is once its input was read: its tasks, or why it cannot be run.
import type { FailureCode } from '../base/failures.ts';
import type { Task } from '../index.ts';

/** One task of a job and what it is called on the screen. */
export type JobItem = {
  readonly task: Task;
  readonly label: string;
  /** The source of the item, as its record gives it. */
  readonly input: string | null;
  readonly line: number | null;
  readonly file?: string;
};

/** A line that is no task, and why. */
export type BadLine = {
  /** The file, and the line in it, from 1. */
  readonly input: string;
  readonly number: number;
  /** Empty when the line has none. */
  readonly goal: string;
  readonly code: FailureCode;
  readonly message: string;
};

/** A job whose tasks can be had, one after the other. */
export type ReadyJob = {
  readonly type: 'ready';
  /** How many tasks there are. */
  readonly total: number;
  /** Lines that are no tasks, of a job that goes on without them. */
  readonly badLines?: readonly BadLine[];
  /** One task, whose answer is what the job is for. */
  readonly isOneAnswer: boolean;
  items(): AsyncIterable<JobItem> | Iterable<JobItem>;
};

export type OpenJob =
  | ReadyJob
  | { readonly type: 'refused'; readonly exitCode: 1 | 2; readonly messages: readonly string[] }
  /** The signal came before there was a job. */
  | { readonly type: 'aborted' };

export type JobInputOptions = {
  readonly cwd: string;
  /** What the one task of a goal is performed by, over these files; null: a task per file. */
  readonly oneTask: ((goal: string, files: readonly string[]) => Task) | null;
  readonly toolsets: readonly string[];
  /** The file results go to, never a task of the job; null: none. */
  readonly out: string | null;
  /** The file of the journal, no task either; null: none. */
  readonly journal: string | null;
  /** Lines that are no tasks do not end the job. */
  readonly keepsGoing: boolean;
  readonly signal: AbortSignal;
  /** Throws what is wrong with a task. */
  check(task: Task): void;
};
