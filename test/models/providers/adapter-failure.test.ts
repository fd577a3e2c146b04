// Checks what a provider's headers ask for, and that keys stay out of errors.
import { describe, expect, it } from 'vitest';
import { TroupeError } from '#src/base/failures.js';
import { disconnected, retryAfter, scrubbed } from '#src/models/providers/adapter-failure.js';

describe('retryAfter', () => {
  it.each<[object, number | null]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '7', 'retry-after-ms': '250' }, 250],
    [
      { 'retry-after': 'Sat, 21 Nov 2026 20:00:30 GMT', date: 'Sat, 21 Nov 2026 20:00:00 GMT' },
      30_000,
    ],
    [{ 'retry-after': 'Sat, 21 Nov 2026 20:00:30 GMT' }, null],
    [{ 'retry-after': '-1' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('reads %j as %j milliseconds', (headers, expected) => {
    expect(retryAfter(new Headers(Object.entries(headers)))).toBe(expected);
  });
});

describe('errors of adapters', () => {
  it('say what happened one level down', () => {
    const cause = new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') });

    expect(disconnected(new Error('Connection error.', { cause })).message).toBe(
      'Connection error. (connect ECONNREFUSED)',
    );
  });

  it('carry neither a key nor a page of text', () => {
    const error = new TroupeError(
      'model_auth',
      `no sk/long-1 and no sk%2Flong-1 ${'x'.repeat(900)}`,
    );

    const { message } = scrubbed(error, 'sk/long-1');

    expect(message).toMatch(/^no \[key\] and no \[key\] x+$/);
    expect(message).toHaveLength(500);
  });
});
