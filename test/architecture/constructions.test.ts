// Keeps what is declared to what is made: every member of a closed union is constructed somewhere in the product.

import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { expect, it } from 'vitest';
import { type Unmade, unmadeIn } from './constructions.ts';
import { rootFolder } from './tree.ts';

/** Unions whose members others make, and who does. */
const madeByOthers: Readonly<Record<string, string>> = {
  ApprovalAnswer: 'the program that answers',
  ClaudeId: 'the program that chooses a model',
  Effort: 'the program that chooses a model',
  GptId: 'the program that chooses a model',
  Durability: 'the program that opens a journal',
  InterruptScope: 'the program that interrupts',
  LeaseStrategy: 'the program that sets up keys',
  ModelName: 'the program that chooses a model',
  ModelRef: 'the program that chooses a model',
  SingleModelRef: 'the program that chooses a model',
  ToolsetName: 'the program that names a toolset',
  NetworkAccess: 'the program that writes a profile',
  OpenAiMode: 'the program that names an endpoint',
  Overflow: 'the program that spawns an actor',
  ProgressKind: 'the command line',
  RestartType: 'the program that spawns an actor',
  SettingName: 'the names of ModelSettings, which are looked for there',
  ShowKind: 'the command line',
  StopReason: 'the provider of a model',
  Strategy: 'the program that spawns an actor',
  StubReply: 'the test that runs a stub',
  ToolChoice: 'the program that calls a model',
};

/** Unions whose members are made as another type, and which. */
const madeElsewhere: Readonly<Record<string, string>> = {
  MapStreamItem: 'Unread, before its index is put beside it',
  RotationReason: 'KeyHealth, for a key that is out',
  ServiceName: 'HostServiceCalls, as the keys of a record',
  RunPhase: 'Liveness, for a thread that does not answer',
};

const exempt = { ...madeByOthers, ...madeElsewhere };

// The names of a dialect are those of another system, which it takes as a whole.
const unmade = unmadeIn(rootFolder, ['src', 'workers']).filter(
  ({ path }) => !path.startsWith('src/dialects/'),
);

const madeUp = (text: string): readonly Unmade[] => {
  const files = {
    '/p/tsconfig.json': '{ "compilerOptions": { "strict": true, "noLib": true, "types": [] } }',
    '/p/lib.d.ts':
      'interface Array<T> { [at: number]: T } interface ReadonlyArray<T> extends Array<T> {}',
    '/p/src/a.ts': text,
  };
  return unmadeIn('/p', ['src'], createVirtualFileSystem(files));
};

it('every member of a closed union is made somewhere', () => {
  expect(unmade.filter(({ union }) => exempt[union] === undefined)).toEqual([]);
});

it('no union is exempt that need not be', () => {
  const unions = new Set(unmade.map(({ union }) => union));

  expect(Object.keys(exempt).filter((name) => !unions.has(name))).toEqual([]);
});

const reason = "export type Reason = 'full' | 'gone'; export const first: Reason = 'full';";
const end = "export type End = { readonly type: 'done' } | { readonly type: 'lost' };";

it.each([
  ['a type alone', reason],
  [
    'a case',
    `${reason} export const f = (x: Reason) => { switch (x) { case 'gone': return 1; } };`,
  ],
  ['a comparison', `${reason} export const f = (x: Reason) => x === 'gone';`],
  ['the key of a table', `${reason} export const t: Record<Reason, 1> = { full: 1, gone: 1 };`],
  ['a lookup', `${reason} declare const s: { has(x: Reason): void }; s.has('gone');`],
  [
    'a set',
    `${reason} declare class Set { constructor(x: readonly Reason[]); } new Set(['gone']);`,
  ],
  ['a text for another union', `${reason} export const x: 'gone' | 'by' = 'gone';`],
  ['a text for any string', `${reason} export const x: string = 'gone';`],
])('%s makes nothing', (_what, text) => {
  expect(madeUp(text)).toEqual([{ path: 'src/a.ts', union: 'Reason', member: 'gone' }]);
});

it.each([
  ['a value that is returned', "export const f = (): Reason => 'gone';"],
  ['an argument', "declare function emit<R extends Reason>(x: R): void; emit('gone');"],
  ['a field', "export const x: { readonly reason?: Reason } = { reason: 'gone' };"],
  ['one of two', "export const f = (y: boolean): Reason => (y ? 'full' : 'gone');"],
  ['an element of a list', "export const x: readonly Reason[] = ['gone'];"],
])('%s makes it', (_what, text) => {
  expect(madeUp(`${reason} ${text}`)).toEqual([]);
});

it.each([
  ['nothing', ''],
  ['a case', "export const f = (x: End) => { switch (x.type) { case 'lost': return 1; } };"],
  ['an object of another type', "export const x: { type: 'lost' | 'by' } = { type: 'lost' };"],
])('an object with a tag is not made by %s', (_what, text) => {
  const source = `${end} export const done: End = { type: 'done' }; ${text}`;

  expect(madeUp(source)).toEqual([{ path: 'src/a.ts', union: 'End', member: 'lost' }]);
});

it.each([
  ['its tag', "export const x: End = { type: 'lost' };"],
  ['a tag in a variable', "export const f = (type: 'lost'): End => ({ type });"],
  ['an argument', "declare function send(end: End | null): void; send({ type: 'lost' });"],
])('an object with a tag is made by %s', (_what, text) => {
  expect(madeUp(`${end} export const done: End = { type: 'done' }; ${text}`)).toEqual([]);
});
