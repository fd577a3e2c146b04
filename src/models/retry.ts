// Owns the table of failures that are tried again: which, how often, after how long. Pure; the only retries there are.
import type { Failure } from '../base/failures.ts';
import type { RetryPolicy } from '../protocol/retry-policy.ts';

/** How often one call was tried again, by kind of failure. */
export type Tries = { readonly rateLimited: number; readonly transient: number };

export const noTries: Tries = { rateLimited: 0, transient: 0 };

/** What a failure means for the key it came on, and for the call. */
export type RetryVerdict = {
  /** `limited`: the provider limits this key; `out`: it takes this key no more. */
  readonly key: 'keep' | 'limited' | 'out';
  readonly call: 'again' | 'fail';
  /** Before the call, or with `limited` any call on the key, is let out again. */
  readonly delayMs: number;
  readonly tries: Tries;
};

/** The policy of a supervisor that sets nothing. */
export const defaultRetryPolicy: RetryPolicy = {
  attempts: 3,
  maxDelayMs: 8_000,
  maxOutageMs: 0,
};

/** A provider that limits its callers does answer: its limits are waited for more often. */
const minRateLimited = 10;
/** A provider that wants a longer wait is not waited for. */
const maxWaitMs = 300_000;
const firstDelayMs = 500;
/** A 429 that names no wait. */
const unnamedWaitMs = 1_000;
const jitter = 0.25;

type FailedAttempt = {
  readonly policy: RetryPolicy;
  readonly failure: Failure;
  readonly tries: Tries;
  /** The agent has received what was streamed: a retry would stream it twice. */
  readonly hasStreamed: boolean;
  /** Another model is asked when this one fails. */
  readonly hasFallback: boolean;
  /** In [0, 1). */
  readonly random: number;
};

/**
 * | failure | key | call |
 * |---|---|---|
 * | 429 | limited | again, 10 times or as often as the policy says, at once on another key that works |
 * | 401, 402 | out | again, on another key |
 * | 408, 409, every 5xx, 529, no connection, no answer in time | keep | again, as often as the policy says |
 * | anything else | keep | fails |
 *
 * A policy of one attempt tries nothing again but on another key. With another model to ask, a 429 is tried as often as the
 * rest, and no wait is longer than the policy's.
 * A wait that the provider names is kept to the millisecond and lengthened by chance, never shortened.
 */
export function decideRetry(attempt: FailedAttempt): RetryVerdict {
  const { policy, failure, tries, hasStreamed, hasFallback, random } = attempt;
  const again = policy.attempts - 1;
  const status = numberIn(failure, 'status');
  const named = numberIn(failure, 'retryAfterMs');
  if (status === 401 || status === 402) {
    return { key: 'out', call: hasStreamed ? 'fail' : 'again', delayMs: 0, tries };
  }
  if (failure.code === 'model_rate_limited') {
    const maxTries = again === 0 || hasFallback ? again : Math.max(minRateLimited, again);
    const isLast = hasStreamed || tries.rateLimited >= maxTries;
    return {
      key: 'limited',
      call: isLast ? 'fail' : 'again',
      delayMs: longer(named ?? unnamedWaitMs, random),
      tries: { ...tries, rateLimited: tries.rateLimited + 1 },
    };
  }
  const isLast = hasStreamed || tries.transient >= again;
  const isTooLong = named !== null && named > maxWaitOf(policy, hasFallback);
  if (!failure.retryable || isLast || isTooLong) {
    return { key: 'keep', call: 'fail', delayMs: 0, tries };
  }
  const backoff = Math.min(policy.maxDelayMs, firstDelayMs * 2 ** tries.transient);
  return {
    key: 'keep',
    call: 'again',
    delayMs: longer(named ?? backoff, random),
    tries: { ...tries, transient: tries.transient + 1 },
  };
}

/** How long a call waits for a provider that limits it. */
export function maxWaitOf({ maxDelayMs }: RetryPolicy, hasFallback: boolean): number {
  return hasFallback ? maxDelayMs : maxWaitMs;
}

/** A wait lengthened by chance, so that callers do not come back together. */
export function longer(delayMs: number, random: number): number {
  return Math.ceil(delayMs * (1 + jitter * random));
}

/** A number in the detail of a failure; null for none. */
export function numberIn({ detail }: Failure, field: 'status' | 'retryAfterMs'): number | null {
  const value = detail?.[field];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
