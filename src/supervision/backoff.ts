// Owns the delay before a restart, as a pure function of the attempt and one random number.
import type { Backoff } from './child-spec.ts';

/** Milliseconds before restart number `attempt` (from 1); `random` in [0, 1) shortens it by up to `jitter` (V2). */
export function backoffDelay(attempt: number, backoff: Backoff, random: number): number {
  const { minMs, maxMs, jitter } = backoff;
  const doubled = minMs * 2 ** Math.min(Math.max(attempt - 1, 0), 30);
  const capped = Math.min(doubled, maxMs);
  return Math.round(capped * (1 - jitter * random));
}
