// Owns the decisions of an outage: which failures mean that a provider is down, and how long its callers pause. Pure.
import type { Failure } from '../../base/failures.ts';
import { longer, numberIn } from '../retry.ts';

export type Outage =
  /** No call goes out until the pause is over. */
  | { readonly status: 'pausing'; readonly pauseMs: number; readonly waitedMs: number }
  /** One call goes out at a time, to see whether the provider is back. */
  | { readonly status: 'probing'; readonly pauseMs: number; readonly waitedMs: number }
  /** It was waited for long enough: calls go out, and fail, until the provider has answered one. */
  | { readonly status: 'given_up' };

const firstPauseMs = 5_000;
const maxPauseMs = 60_000;

/** A 5xx, no connection, or no answer in time: not this call is the matter. */
export function isDown(failure: Failure): boolean {
  const status = numberIn(failure, 'status');
  if (status !== null && status !== 0) return status >= 500;
  return failure.code === 'model_disconnected' || failure.code === 'model_timeout';
}

type FailedProbe = {
  /** The outage so far; null when it begins. */
  readonly before: Exclude<Outage, { status: 'given_up' }> | null;
  readonly failure: Failure;
  readonly maxOutageMs: number;
  /** In [0, 1). */
  readonly random: number;
};

/** What follows a call that found the provider down: pauses that double up to a minute, or as long as the provider asks for. */
export function pauseAfter({ before, failure, maxOutageMs, random }: FailedProbe): Outage {
  const waitedMs = before?.waitedMs ?? 0;
  const leftMs = maxOutageMs - waitedMs;
  if (leftMs <= 0) return { status: 'given_up' };
  const own = before === null ? firstPauseMs : Math.min(maxPauseMs, before.pauseMs * 2);
  const wantedMs = Math.max(numberIn(failure, 'retryAfterMs') ?? 0, longer(own, random));
  return { status: 'pausing', pauseMs: Math.min(leftMs, wantedMs), waitedMs };
}

/** The pause is over. */
export function afterPause(outage: Outage): Outage {
  if (outage.status !== 'pausing') return outage;
  const { pauseMs, waitedMs } = outage;
  return { status: 'probing', pauseMs, waitedMs: waitedMs + pauseMs };
}
