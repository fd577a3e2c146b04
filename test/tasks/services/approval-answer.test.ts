// Checks what each answer of a person means, and that what is no answer denies.
import { describe, expect, it } from 'vitest';
import { readAnswer } from '#src/tasks/services/approval-answer.js';

const once = { type: 'allow', scope: 'once' };

describe('an answer', () => {
  it.each([
    [true, once],
    ['approve', once],
    [{ allow: 'once' }, once],
    [{ allow: 'once', input: undefined }, once],
    [{ allow: 'run' }, { type: 'allow', scope: 'run' }],
    [{ allow: 'always' }, { type: 'allow', scope: 'always' }],
    [
      { allow: 'once', input: { a: 1 } },
      { type: 'edit', input: { a: 1 } },
    ],
    [
      { allow: 'once', input: null },
      { type: 'edit', input: null },
    ],
    [false, { type: 'deny', why: 'it was denied' }],
    ['deny', { type: 'deny', why: 'it was denied' }],
    [{ deny: 'not now' }, { type: 'deny', why: 'not now' }],
    [{ deny: ' ' }, { type: 'deny', why: 'it was denied' }],
  ])('%j is read as %j', (answer, decision) => {
    expect(readAnswer(answer)).toEqual(decision);
  });

  it.each([
    undefined,
    null,
    1,
    'yes',
    'allow',
    {},
    { allow: true },
    { allow: 'forever' },
    { deny: true },
    { deny: 'no', allow: 'always' },
    { allow: 'run', input: {} },
    { allow: 'always', note: 'fine' },
    [true],
  ])('%j denies', (answer) => {
    expect(readAnswer(answer)).toMatchObject({ type: 'deny' });
  });

  it('has a copy of its input, which has to be plain data', () => {
    const input = { path: 'a' };
    const decision = readAnswer({ allow: 'once', input });
    input.path = 'b';

    expect(decision).toEqual({ type: 'edit', input: { path: 'a' } });
    expect(() => readAnswer({ allow: 'once', input: { run: () => {} } })).toThrowError(
      expect.objectContaining({ code: 'not_serializable' }),
    );
  });
});
