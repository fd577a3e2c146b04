// Owns why tasks end that never started: their limits, the size of their message, their caller. Ends none itself.
import { type Failure, type FailureCode, failure } from '../base/failures.ts';
import type { OutcomeExitReason } from '../base/outcome.ts';

export type EndOfWaiting = { readonly exitReason: OutcomeExitReason; readonly error: Failure };

/** The end of a task whose caller gave it up before it was admitted. */
export const givenUp: EndOfWaiting = {
  exitReason: 'interrupted',
  error: failure('interrupted', 'the caller’s signal was aborted before the task began'),
};

/** Limits that other tasks meet for a while: the same task may be let in later. */
const passing: ReadonlySet<string> = new Set(['max_queued', 'max_live_agents']);

/** The end of a task that meets a limit. */
export function overLimit(verdict: {
  readonly limit: FailureCode;
  readonly message: string;
}): EndOfWaiting {
  const { limit, message } = verdict;
  const error = failure(limit, message, { retryable: passing.has(limit) });
  return { exitReason: 'rejected', error };
}

/** The end of a task that cannot be made ready, or that is not tried again. */
export function refused(error: Failure): EndOfWaiting {
  return { exitReason: error.code === 'crashed' ? 'crashed' : 'error', error };
}

/** The end of a task whose message no mailbox takes now: what waits in all of them together is too much (M5). */
export const noSpace: EndOfWaiting = {
  exitReason: 'rejected',
  error: failure(
    'mailbox_full',
    'the messages that wait in all mailboxes leave no room for this run; start it again when agents have read theirs',
    { retryable: true },
  ),
};
