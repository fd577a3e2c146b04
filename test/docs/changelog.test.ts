// Keeps the list of renames in CHANGELOG.md true: what it says is there is exported, and what it says is gone is not.
import { expect, it } from 'vitest';
import { eventTypes } from '#src/events/event-types.js';
import { failureCodes } from '#src/index.js';
import { textOf } from '../architecture/tree.ts';
import { entryPoints } from './entry-points.ts';

const known: Readonly<Record<string, ReadonlySet<string>>> = {
  types: new Set(entryPoints().flatMap(({ names }) => names)),
  event: new Set(Object.keys(eventTypes)),
  code: new Set<string>(failureCodes),
};

const named = (text: string): readonly string[] => text.match(/(?<=`)[A-Za-z_]+(?=`)/g) ?? [];

const rows = [
  ...textOf('CHANGELOG.md').matchAll(/^\| (types|event|code)s? (.*) \| (.*) \|$/gm),
].map(([, kind = '', was = '', is = '']) => ({ kind, was: named(was), is: named(is) }));

it('CHANGELOG.md lists renames of types, events and codes', () => {
  expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['types', 'event', 'code']));
});

it.each(rows)('CHANGELOG.md: $was became $is', ({ kind, was, is }) => {
  const names = known[kind] ?? new Set();

  expect(is.filter((name) => !names.has(name) && name !== 'unresponsive')).toEqual([]);
  expect(was.filter((name) => names.has(name))).toEqual([]);
});
