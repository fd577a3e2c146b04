// Proves what defineTool promises: plain tagged data, early and named refusals, types from the schema.

import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineTool, isTool } from '#src/tools/define-tool.js';

const valid = {
  name: 'lookup',
  description: 'Looks a thing up.',
  input: z.object({ id: z.string() }),
  run: () => 'found',
};

test('makes frozen plain data tagged as a tool, with defaults filled in', () => {
  const tool = defineTool(valid);

  expect(tool).toMatchObject({ kind: 'tool', name: 'lookup', isIdempotent: false, tags: [] });
  expect(Object.isFrozen(tool)).toBe(true);
  expect('timeoutMs' in tool).toBe(false);
  expect(isTool(tool)).toBe(true);
});

test('keeps the declared idempotence, deadline and tags', () => {
  const tool = defineTool({ ...valid, idempotent: true, timeoutMs: 50, tags: ['network'] });

  expect(tool).toMatchObject({ isIdempotent: true, timeoutMs: 50, tags: ['network'] });
});

test.each([
  ['a name with a space', { name: 'look up' }, /name .* got "look up"/],
  ['an empty name', { name: '' }, /name .* got ""/],
  ['a name of 65 characters', { name: 'x'.repeat(65) }, /1 to 64 characters/],
  ['a name that is no text', { name: 7 }, /name .* got 7/],
  ['a blank description', { description: ' ' }, /description of tool "lookup" .* got " "/],
  ['a missing description', { description: undefined }, /description .* got undefined/],
  ['a missing run', { run: undefined }, /run of tool "lookup" .* got undefined/],
  ['an input that is no schema', { input: { type: 'object' } }, /input of tool "lookup" .* got/],
  ['a missing input', { input: null }, /input .* got null/],
  ['an input that describes no object', { input: z.string() }, /tool "lookup": input .* object/],
  [
    'an input that JSON Schema cannot say',
    { input: z.object({ at: z.date() }) },
    /tool "lookup": input cannot be printed as JSON Schema: Date/,
  ],
  [
    'a schema that cannot print itself',
    { input: { '~standard': { version: 1, vendor: 'old', validate: () => ({ value: {} }) } } },
    /cannot be printed .* "old"/,
  ],
  ['a deadline of zero', { timeoutMs: 0 }, /timeoutMs .* got 0/],
  ['a deadline that is no number', { timeoutMs: Number.NaN }, /timeoutMs .* got NaN/],
  ['an idempotence that is no boolean', { idempotent: 'yes' }, /idempotent .* got "yes"/],
  ['tags that are no list', { tags: 'network' }, /tags .* got "network"/],
])('refuses %s with invalid_tool', (_case, change, message) => {
  const define = () => defineTool({ ...valid, ...change } as never);

  expect(define).toThrow(message);
  expect(define).toThrow(expect.objectContaining({ code: 'invalid_tool' }));
});

test.each([
  ['null', null],
  ['a function', () => {}],
  ['an untagged object', { ...valid }],
  ['a tag without code', { kind: 'tool', name: 'x' }],
])('does not take %s for a tool', (_case, value) => {
  expect(isTool(value)).toBe(false);
});

test('gives run the type that the schema puts out', () => {
  defineTool({
    name: 'typed',
    description: 'Types.',
    input: z.object({ id: z.string(), count: z.number().default(1), at: z.string().optional() }),
    run(input, tool) {
      expectTypeOf(input).toEqualTypeOf<{ id: string; count: number; at?: string | undefined }>();
      expectTypeOf(tool.workspace).toEqualTypeOf<string>();
      return input.id;
    },
  });
});
