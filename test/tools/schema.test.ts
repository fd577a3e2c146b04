// Proves the printing of input schemas, its stable order, and the text a model corrects itself by.

import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { objectSchema, optional, text, whole } from '#src/tools/builtin/object-schema.js';
import { isInputSchema, issueText, jsonSchemaOf, validate } from '#src/tools/schema.js';
import type { InputSchema } from '#src/tools/tool.js';

test('prints a zod schema without its dialect, once', () => {
  const schema = z.object({ id: z.string().describe('Which one') });

  const printed = jsonSchemaOf(schema);

  expect(printed).toEqual({
    type: 'object',
    properties: { id: { type: 'string', description: 'Which one' } },
    required: ['id'],
  });
  expect(jsonSchemaOf(schema)).toBe(printed);
});

function printing(raw: Record<string, unknown>): InputSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'by hand',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => raw },
    },
  };
}

test('orders keywords alike whatever the library, and keeps the order of properties', () => {
  const zed = { description: 'd', type: 'object', properties: { type: { type: 'string' } } };
  const one = printing({ type: 'object', properties: { b: zed, a: { type: 'null' } } });
  const { type, properties, description } = zed;
  const other = printing({
    properties: { b: { properties, description, type }, a: { type: 'null' } },
    type: 'object',
  });

  expect(JSON.stringify(jsonSchemaOf(one))).toBe(JSON.stringify(jsonSchemaOf(other)));
  expect(JSON.stringify(jsonSchemaOf(one))).toMatch(/"b":.*"a":/);
});

test('leaves data within a schema as it is', () => {
  const schema = printing({ type: 'object', default: { b: 1, a: 2 }, required: ['b', 'a'] });

  expect(JSON.stringify(jsonSchemaOf(schema))).toContain('{"b":1,"a":2}');
  expect(jsonSchemaOf(schema)['required']).toEqual(['b', 'a']);
});

test.each([
  ['a zod schema', z.object({}), true],
  ['a schema written by hand', objectSchema({}), true],
  ['plain JSON Schema', { type: 'object' }, false],
  ['null', null, false],
  ['a schema without validate', { '~standard': { version: 1 } }, false],
])('tells %s from a Standard Schema', (_case, value, expected) => {
  expect(isInputSchema(value)).toBe(expected);
});

test('lists the path and message of each issue, and counts those it leaves out', () => {
  const issues = [
    { message: 'bad top' },
    { path: ['a'], message: 'bad a' },
    { path: ['list', 2, { key: 'x' }], message: 'bad x' },
  ];

  expect(issueText(issues)).toBe('- (arguments): bad top\n- a: bad a\n- list[2].x: bad x');
  expect(issueText(Array(23).fill({ message: 'm' }))).toMatch(/\n- and 3 more$/);
});

const flat = objectSchema({
  path: text('A path'),
  limit: optional(whole('How many', 1, 10)),
});

test('prints the small schemas of the built-in tools', () => {
  expect(jsonSchemaOf(flat)).toEqual({
    type: 'object',
    properties: {
      path: { type: 'string', description: 'A path' },
      limit: { type: 'integer', minimum: 1, maximum: 10, description: 'How many' },
    },
    required: ['path'],
    additionalProperties: false,
  });
});

test.each([
  ['a text for the object', 'x', '- (arguments): expected an object, got "x"'],
  ['a missing field', {}, '- path: expected text, got nothing'],
  ['a field of the wrong kind', { path: 1 }, '- path: expected text, got 1'],
  [
    'a fraction',
    { path: '', limit: 1.5 },
    '- limit: expected a whole number from 1 to 10, got 1.5',
  ],
  ['a number out of range', { path: '', limit: 11 }, '- limit: expected a whole number'],
  ['an unknown field', { path: '', limt: 1 }, '- limt: unknown; known are path, limit'],
  ['a field from the prototype', { path: '', toString: 1 }, '- toString: unknown'],
])('refuses %s', async (_case, value, message) => {
  const judged = await validate(flat, value);

  expect(issueText(judged.issues ?? [])).toContain(message);
});

test('takes null for a field that was left out', async () => {
  const judged = await validate(flat, { path: 'a', limit: null });

  expect(judged).toEqual({ value: { path: 'a' } });
});

test('types what a small schema lets through', () => {
  type Output = typeof flat extends InputSchema<infer T> ? T : never;

  expectTypeOf<Output['path']>().toEqualTypeOf<string>();
  expectTypeOf<Output['limit']>().toEqualTypeOf<number | undefined>();
});
