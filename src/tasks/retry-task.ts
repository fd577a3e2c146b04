// Owns which failed runs are tried again from the start, after how long, and what is kept of them. Pure.
import { z } from 'zod';
import type { FailureCode } from '../base/failures.ts';
import type { Outcome, Usage } from '../base/outcome.ts';
import type { RunResult } from './completion/run-result.ts';

/** How often a task is run again from the start when it fails in a way that a new run can heal. */
export type TaskRetry = {
  /** Runs in all, the first included. */
  readonly attempts: number;
  /** After a timeout as well. Default false. */
  readonly timeouts?: boolean;
};

export const taskRetrySchema = z.strictObject({
  attempts: z.number().int().min(1),
  timeouts: z.boolean().optional(),
});

/** What is known of the runs of a task before the next one. */
export type EarlierAttempts = {
  readonly attempts: number;
  /** That of the last of them, as it would have been. */
  readonly outcome: Outcome;
  readonly startedAt: number;
  /** Of the runs themselves. */
  readonly usage: Usage;
};

/** Failures that are of the moment, whether or not they say so. */
const healing: ReadonlySet<FailureCode> = new Set([
  'model_failed',
  'model_bad_response',
  'model_empty_answer',
  'output_invalid',
  'tool_failed',
  'hook_failed',
]);

/**
 * True when a new run can help: its model or a hook failed, its thread was lost, or it timed out and that is asked for.
 * Not a run that was ended, one that used up its turns or its budget, a refusal, or a limit.
 */
export function isHealable({ exitReason, error }: RunResult, { timeouts }: TaskRetry): boolean {
  switch (exitReason) {
    case 'crashed':
      return true;
    case 'error':
      return error !== undefined && (error.retryable || healing.has(error.code));
    case 'idle_timeout':
    case 'total_timeout':
      return timeouts === true;
    default:
      return false;
  }
}

const firstDelayMs = 1_000;
const maxDelayMs = 30_000;

/** Before the next run, after so many. */
export function delayAfter(attempts: number): number {
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (attempts - 1));
}
