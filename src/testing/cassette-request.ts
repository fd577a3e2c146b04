// Owns the form in which a cassette keeps a request: without what differs from run to run, and its digest. Pure.
import { createHash } from 'node:crypto';
import type { ModelRequest } from '../models/model.ts';

/** A request as a cassette keeps and compares it: what a model is asked, and nothing of who asks or when. */
export type CassetteRequest = Pick<ModelRequest, 'system' | 'tools' | 'messages' | 'settings'>;

/** Rewrites every text of a request before it is kept or compared. */
export type Mask = (text: string) => string;

/** What Troupe itself writes into a prompt that is of one run or one machine: folder, time, names of kept results. */
const ownValues: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/(^|\n)# Working Directory\n\n[^\n]+/g, '$1# Working Directory\n\n<folder>'],
  [/(^|\n)# Current Time\n\n\d{4}-\d\d-\d\d \d\d:\d\d \([^)\n]+\)/g, '$1# Current Time\n\n<time>'],
  [/\.troupe\/outputs\/[A-Za-z0-9_.-]+\.txt/g, '.troupe/outputs/<kept>.txt'],
];

const noMask: Mask = (text) => text;

/**
 * The request without ids, times and folders, its fields in one order. The output limit is left out as well: what a
 * budget of a tree leaves to a call depends on which sibling asked first.
 */
export function normalised(request: ModelRequest, mask: Mask = noMask): CassetteRequest {
  const { system, tools, settings, messages } = request;
  const kept = { system, tools, ...(settings === undefined ? {} : { settings }), messages };
  const steady = (text: string): string =>
    mask(ownValues.reduce((shown, [pattern, instead]) => shown.replace(pattern, instead), text));
  return inOrder(withTexts(kept, steady));
}

/** The digest of a request; equal for requests that are equal when normalised. */
export function digestOf(request: CassetteRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 32);
}

/**
 * A plain value with every text in it rewritten, names of fields excepted. Its fields keep their order: a tool may show
 * its input, and with it the order in which a recorded response has it.
 */
export function withTexts<Value>(value: Value, rewrite: Mask): Value {
  return mapped(value, { text: rewrite, fields: (names) => names });
}

function inOrder<Value>(value: Value): Value {
  return mapped(value, { text: (text) => text, fields: (names) => names.sort() });
}

type Mapping = { readonly text: Mask; readonly fields: (names: string[]) => readonly string[] };

function mapped<Value>(value: Value, mapping: Mapping): Value {
  // Texts stay texts, lists lists and fields fields: the shape of the value is kept.
  return mapEach(value, mapping) as Value;
}

function mapEach(value: unknown, mapping: Mapping): unknown {
  if (typeof value === 'string') return mapping.text(value);
  if (Array.isArray(value)) return value.map((each) => mapEach(each, mapping));
  if (typeof value !== 'object' || value === null) return value;
  const names = mapping.fields(Object.keys(value));
  return Object.fromEntries(
    names.map((name) => [name, mapEach(Reflect.get(value, name), mapping)]),
  );
}
