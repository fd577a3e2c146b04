// Owns the errors of calls that are not let out to a provider: no key of theirs works, or none in a time that they wait for.
import { type Failure, TroupeError } from '../../base/failures.ts';
import type { KeyState } from './key-selection.ts';

/** For a single key the caller gets the provider's own failure, as far as there is one, instead of a summary of the pool. */
export function spentError(
  endpoint: string,
  keys: readonly KeyState[],
  lastFailure: Failure | null,
): TroupeError {
  if (keys.length === 1 && lastFailure !== null) return TroupeError.from(lastFailure);
  const out = keys.filter(({ health }) => health.status === 'out').length;
  const cooling = keys.length - out;
  const last = lastFailure === null ? '' : `; the last one: ${lastFailure.message}`;
  const counts = `${out} refused, ${cooling} rate limited for long`;
  return new TroupeError(
    'credentials_exhausted',
    `every credential for ${endpoint} is spent (${counts})${last}`,
    { retryable: cooling > 0, detail: { endpoint, out, cooling } },
  );
}

/** The provider has said that its limits are used up, and another model can be asked. */
export function usedUpError(endpoint: string, resetMs: number): TroupeError {
  const wait = `${Math.ceil(resetMs / 1_000)} s`;
  return new TroupeError(
    'model_rate_limited',
    `${endpoint} lets no call of this size out: its limits are used up for ${wait}`,
    { retryable: true, detail: { endpoint } },
  );
}
