// Checks the table of retries: every status, with and without a wait that the provider names.
import { describe, expect, it } from 'vitest';
import { failure, toFailure } from '#src/base/failures.js';
import { providerError } from '#src/models/providers/provider-failure.js';
import { decideRetry, defaultRetryPolicy, noTries } from '#src/models/retry.js';

function decide(status: number, retryAfterMs?: number, random = 0, policy = defaultRetryPolicy) {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const refused = toFailure(providerError({ status, message: 'no', ...wait }));
  return decideRetry({
    policy,
    failure: refused,
    tries: noTries,
    hasStreamed: false,
    hasFallback: false,
    random,
  });
}

describe('decideRetry', () => {
  it.each([
    [429, 'limited', 'again', 1_000],
    [401, 'out', 'again', 0],
    [402, 'out', 'again', 0],
    [403, 'keep', 'fail', 0],
    [400, 'keep', 'fail', 0],
    [404, 'keep', 'fail', 0],
    [408, 'keep', 'again', 500],
    [409, 'keep', 'again', 500],
    [500, 'keep', 'again', 500],
    [503, 'keep', 'again', 500],
    [529, 'keep', 'again', 500],
    [0, 'keep', 'again', 500],
  ] as const)('status %i: the key %s, the call %s after %i ms', (status, key, call, delayMs) => {
    expect(decide(status)).toMatchObject({ key, call, delayMs });
  });

  it('keeps a wait the provider names, lengthened by chance and never shortened', () => {
    expect(decide(429, 7_000).delayMs).toBe(7_000);
    expect(decide(429, 7_000, 0.999).delayMs).toBeGreaterThan(8_700);
    expect(decide(529, 0).delayMs).toBe(0);
  });

  it('never waits longer than five minutes', () => {
    expect(decide(503, 300_001).call).toBe('fail');
    expect(decide(503, 300_000).call).toBe('again');
  });

  it('tries nothing again that came of no provider', () => {
    const policy = defaultRetryPolicy;
    const defect = {
      policy,
      failure: failure('internal', 'a defect'),
      tries: noTries,
      random: 0,
      hasFallback: false,
    };

    expect(decideRetry({ ...defect, hasStreamed: false })).toMatchObject({ call: 'fail' });
  });
});
