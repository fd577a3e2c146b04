// Checks what the errors of model objects of the program mean.
import { expect, it } from 'vitest';
import { TroupeError, toFailure } from '#src/base/failures.js';
import { ownFailure } from '#src/models/providers/own-failure.js';

const read = (thrown: unknown) => {
  const { code, retryable, message, detail } = toFailure(ownFailure(thrown), 'model_failed');
  return { code, retryable, message, detail };
};

it.each([
  [{ status: 408 }, 'model_timeout', true],
  [{ status: 409 }, 'model_failed', true],
  [{ status: 429 }, 'model_rate_limited', true],
  [{ statusCode: 500 }, 'model_failed', true],
  [{ statusCode: 503 }, 'model_overloaded', true],
  [{ status: 529 }, 'model_overloaded', true],
  [{ status: 400 }, 'model_bad_request', false],
  [{ status: 401 }, 'model_auth', false],
])('an error with %j is %s, retryable %s', (fields, code, retryable) => {
  const failure = read(Object.assign(new Error('no'), fields));

  expect(failure).toMatchObject({ code, retryable });
  expect(failure.message).toMatch(/^\d{3} no$/);
});

it.each([[new Headers({ 'retry-after': '7' })], [{ 'Retry-After': '7', other: ['a'] }]])(
  'the wait that its headers ask for is read',
  (headers) => {
    const failure = read(Object.assign(new Error('429 slow down'), { status: 429, headers }));

    expect(failure.message).toBe('429 slow down');
    expect(failure.detail).toMatchObject({ status: 429, retryAfterMs: 7_000 });
  },
);

class APIConnectionError extends Error {}

it.each([
  [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
  [new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) })],
  [new Error('gave up', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) })],
  [new APIConnectionError('Connection error.')],
])('a connection that failed is retryable: %s', (error) => {
  expect(read(error)).toMatchObject({ code: 'model_disconnected', retryable: true });
});

it.each([
  [new Error('a mistake'), false],
  [Object.assign(new Error('again'), { retryable: true }), true],
  [Object.assign(new Error('never'), { retryable: false, status: 503 }), false],
  ['a text', false],
  [null, false],
])('anything else is what it says: %s', (thrown, retryable) => {
  expect(ownFailure(thrown)).toBe(thrown);
  expect(read(thrown)).toMatchObject({ code: 'model_failed', retryable });
});

it('an error of ours, and one that cannot be read, is left as it is', () => {
  const ours = new TroupeError('model_refused', 'no', { detail: { status: 503 } });
  const hostile = {
    get status(): number {
      throw new Error('not yours');
    },
  };

  expect(ownFailure(ours)).toBe(ours);
  expect(ownFailure(hostile)).toBe(hostile);
});
