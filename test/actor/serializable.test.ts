// Checks what may be sent, and what it weighs (M6).
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { toSerializable } from '#src/actor/serializable.js';
import { failure, TroupeError } from '#src/base/failures.js';
import { reacting, testKernel } from '../support/kernel.ts';

class Point {
  readonly x = 1;
}

const cycle: Record<string, unknown> = {};
cycle['self'] = { deep: cycle };

describe('toPlain', () => {
  const accepted: readonly (readonly [string, unknown])[] = [
    ['undefined', undefined],
    ['null', null],
    ['a number', 1],
    ['a boolean', true],
    ['a string', 'text'],
    ['a bigint', 10n],
    ['a record', { a: { b: [1, 'two', null, undefined] } }],
    ['a record without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['a record of another realm', runInNewContext('({ a: [1], b: { c: 2 } })')],
    ['an array with holes', new Array(3)],
    ['a map', new Map<unknown, unknown>([[{ key: 1 }, { value: [2] }]])],
    ['a set', new Set([1, { a: 2 }])],
    ['a date', new Date(0)],
    ['a buffer', Buffer.from('abc')],
    ['a typed array', new Float64Array(4)],
    ['a data view', new DataView(new ArrayBuffer(8))],
    ['an array buffer', new ArrayBuffer(8)],
    ['the same object twice', [cycle['nothing'], ...[{ a: 1 }].flatMap((one) => [one, one])]],
  ];

  it.each(accepted)('takes %s as it is (M6)', (_what, value) => {
    const measured = toSerializable(value);

    expect(measured.value).toBe(value);
    expect(measured.bytes).toBeGreaterThanOrEqual(8);
  });

  const refused: readonly (readonly [string, unknown, string])[] = [
    ['a function', () => null, ''],
    ['a symbol', Symbol('s'), ''],
    ['a function in a record', { a: { b: [0, () => null] } }, '.a.b[1]'],
    ['a symbol in an array', [Symbol('s')], '[0]'],
    ['an instance of a class', { at: new Point() }, '.at'],
    ['a URL', { url: new URL('https://example.org') }, '.url'],
    ['an abort signal', [[new AbortController().signal]], '[0][0]'],
    ['a promise', { later: Promise.resolve(1) }, '.later'],
    ['a regular expression', { pattern: /x/ }, '.pattern'],
    ['a weak map', new WeakMap(), ''],
    ['shared memory', { words: new SharedArrayBuffer(8) }, '.words'],
    ['a view of shared memory', { words: new Int32Array(new SharedArrayBuffer(8)) }, '.words'],
    ['a function in a map', { all: new Map([['key', () => null]]) }, '.all.a map value'],
    ['a function as a map key', new Map([[() => null, 1]]), '.a map key'],
    ['a function in a set', { all: new Set([{ f: () => null }]) }, '.all.a set entry.f'],
    ['an object over an object without a prototype', Object.create(Object.create(null)), ''],
  ];

  it.each(refused)('throws not_serializable for %s, with its path (M6)', (_what, value, path) => {
    expect(() => toSerializable(value)).toThrow(
      expect.objectContaining({
        code: 'not_serializable',
        detail: expect.objectContaining({ path }),
      }),
    );
  });

  it('refuses a cycle (M6)', () => {
    expect(() => toSerializable(cycle)).toThrow(
      expect.objectContaining({ code: 'not_serializable' }),
    );
  });

  it('refuses what shares its parts over so many levels that no walk would end (M6)', () => {
    let shared: object = {};
    for (let level = 0; level < 40; level += 1) shared = { a: shared, b: shared };

    expect(() => toSerializable(shared)).toThrow(
      expect.objectContaining({ code: 'not_serializable' }),
    );
    expect(() => toSerializable({ fine: 1, shared })).toThrow(/more than 4,000,000 objects/);
  });

  it('names what it refuses, and where (M6)', () => {
    expect(() => toSerializable({ to: [new Point()] })).toThrow(
      'message.to[0] is an instance of Point, which is not plain data',
    );
    expect(() => toSerializable(() => null)).toThrow('the message is a function');
  });

  it('turns an error into its plain twin, wherever it stands, and changes nothing else (M6)', () => {
    const error = new TroupeError('paused', 'not now', { retryable: true, detail: { by: 'me' } });
    const sent = {
      list: [error, 1],
      map: new Map([['why', new RangeError('far')]]),
      set: new Set([new Error('plain')]),
      date: new Date(0),
    };

    const { value } = toSerializable(sent);

    expect(value).toEqual({
      list: [failure('paused', 'not now', { retryable: true, detail: { by: 'me' } }), 1],
      map: new Map([['why', failure('crashed', 'RangeError: far')]]),
      set: new Set([failure('crashed', 'plain')]),
      date: new Date(0),
    });
    expect(sent.list[0]).toBe(error);
  });

  it('turns an error inside a record of another realm into its plain twin (M6)', () => {
    const foreign: Record<string, unknown> = runInNewContext('({ inner: {} })');
    foreign['inner'] = { error: new Error('boom') };

    expect(toSerializable(foreign).value).toEqual({ inner: { error: failure('crashed', 'boom') } });
  });

  it('describes what is not plain in the detail of an error (M6)', () => {
    const error = new TroupeError('internal', 'odd', { detail: { f: () => null } });

    expect(toSerializable({ error }).value).toMatchObject({
      error: { detail: { f: 'function f' } },
    });
  });

  it.each([
    ['a string by its length', 'x'.repeat(1_000), 2_000],
    ['a buffer by its bytes', new Uint8Array(5_000), 5_000],
    ['a record by its keys and values', { key: 'x'.repeat(500) }, 1_000],
    ['an error by its message', new Error('x'.repeat(500)), 1_000],
  ])('measures %s (M5)', (_what, value, least) => {
    const { bytes } = toSerializable(value);

    expect(bytes).toBeGreaterThanOrEqual(least);
    expect(bytes).toBeLessThan(least + 200);
  });
});

describe('sending', () => {
  it('throws before acceptance, so that nothing is counted (M6)', async () => {
    const { kernel } = testKernel();
    const ref = kernel.spawnInline(reacting(() => null));
    const notSerializable = expect.objectContaining({ code: 'not_serializable' });

    expect(() => ref.tell({ f: () => null })).toThrow(notSerializable);
    await expect(ref.offer(() => null)).rejects.toThrow(notSerializable);
    await expect(ref.ask(Symbol('s'), { timeoutMs: 10 })).rejects.toThrow(notSerializable);

    expect(kernel.ledger().offered).toBe(0);
  });

  it('checks the message of a timer when it is set (M6)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const thrown: unknown[] = [];
    const ref = kernel.spawnInline(
      reacting((_message, self) => {
        try {
          self.after(10, { f: () => null });
        } catch (error) {
          thrown.push(error);
        }
      }),
    );

    ref.tell('go');
    await untilIdle();
    await clock.advance(10);

    expect(thrown).toEqual([expect.objectContaining({ code: 'not_serializable' })]);
  });
});
