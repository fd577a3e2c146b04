// Checks how the limits in providers' headers are read.
import { describe, expect, it } from 'vitest';
import { readRateHeaders } from '#src/models/providers/rate-headers.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const read = (headers: Record<string, string>) => readRateHeaders(new Headers(headers), now);
const nothing = {
  requestsLeft: null,
  requestsResetMs: null,
  tokensLeft: null,
  tokensResetMs: null,
};

describe('readRateHeaders', () => {
  it('knows nothing where nothing is said', () => {
    expect(read({ 'content-type': 'text/plain' })).toEqual(nothing);
  });

  it('reads Anthropic’s instants on the provider’s own clock', () => {
    expect(
      read({
        date: 'Sat, 21 Nov 2026 11:00:00 GMT',
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': '2026-11-21T11:00:30Z',
      }),
    ).toEqual({ ...nothing, requestsLeft: 49, requestsResetMs: 30_000 });
  });

  it('takes the tightest of Anthropic’s token limits', () => {
    expect(
      read({
        'anthropic-ratelimit-tokens-remaining': '9000',
        'anthropic-ratelimit-tokens-reset': '2026-11-21T12:00:10Z',
        'anthropic-ratelimit-input-tokens-remaining': '8000',
        'anthropic-ratelimit-output-tokens-remaining': '1000',
        'anthropic-ratelimit-output-tokens-reset': '2026-11-21T12:00:05Z',
      }),
    ).toEqual({ ...nothing, tokensLeft: 1_000, tokensResetMs: 5_000 });
  });

  it.each([
    ['1s', 1_000],
    ['6m0s', 360_000],
    ['20ms', 20],
    ['1h2m3.5s', 3_723_500],
    ['12', 12_000],
    ['2026-11-21T11:59:00Z', 0],
    ['soon', null],
    ['', null],
  ])('reads OpenAI’s reset %j as %j', (text, expected) => {
    const headers = { 'x-ratelimit-remaining-requests': '5', 'x-ratelimit-reset-requests': text };

    expect(read(headers)).toMatchObject({ requestsLeft: 5, requestsResetMs: expected });
  });

  it.each([['many'], [''], ['Infinity']])('does not believe %j left', (text) => {
    expect(read({ 'x-ratelimit-remaining-requests': text })).toEqual(nothing);
  });

  it('reads less than nothing as nothing', () => {
    expect(read({ 'x-ratelimit-remaining-tokens': '-3' })).toMatchObject({ tokensLeft: 0 });
  });
});
