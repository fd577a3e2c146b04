// Checks what a thread notices of builtins that a life replaced or added to (V1): the common ones at once, all in time.
import { afterEach, describe, expect, it } from 'vitest';
import { Builtins } from '../../workers/builtins.ts';

type Change = { readonly holder: object; readonly key: string | symbol; readonly value: unknown };

const undo: (() => void)[] = [];

function change({ holder, key, value }: Change): void {
  const before = Object.getOwnPropertyDescriptor(holder, key);
  Object.defineProperty(holder, key, { value, configurable: true, writable: true });
  undo.push(() => {
    if (before === undefined) Reflect.deleteProperty(holder, key);
    else Object.defineProperty(holder, key, before);
  });
}

/** What is noticed at the end of each of so many lives. */
function noticedIn(lives: number, changed: Change): readonly (string | null)[] {
  const builtins = new Builtins();
  change(changed);
  const noticed = Array.from({ length: lives }, () => builtins.changed());
  for (const restore of undo.splice(0)) restore();
  return noticed;
}

const replaced = (): void => {};

describe('what a life replaced', () => {
  afterEach(() => {
    for (const restore of undo.splice(0)) restore();
  });

  it.each<[string, Change]>([
    ['globalThis.setTimeout', { holder: globalThis, key: 'setTimeout', value: replaced }],
    ['JSON', { holder: globalThis, key: 'JSON', value: {} }],
    ['JSON.parse', { holder: JSON, key: 'parse', value: replaced }],
    ['Promise.prototype.then', { holder: Promise.prototype, key: 'then', value: replaced }],
    ['Map.prototype.get', { holder: Map.prototype, key: 'get', value: replaced }],
    ['Symbol(Symbol.hasInstance)', { holder: Error, key: Symbol.hasInstance, value: replaced }],
    ['Object.prototype', { holder: Object.prototype, key: 'added', value: 1 }],
    ['String.prototype', { holder: String.prototype, key: 'toJSON', value: replaced }],
  ])('V1 is noticed at the end of that life: %s', (name, changed) => {
    expect(noticedIn(1, changed)).toEqual([name]);
  });

  it.each<[string, Change]>([
    ['Math.max', { holder: Math, key: 'max', value: replaced }],
    ['console.log', { holder: console, key: 'log', value: replaced }],
    ['Date.prototype.getTime', { holder: Date.prototype, key: 'getTime', value: replaced }],
    ['AbortSignal.any', { holder: AbortSignal, key: 'any', value: replaced }],
  ])('V1 is noticed once within eight lives: %s', (name, changed) => {
    expect(noticedIn(8, changed).filter((each) => each !== null)).toEqual([name]);
    expect(noticedIn(16, changed).filter((each) => each !== null)).toEqual([name, name]);
  });

  it('V1 is nothing when nothing was', () => {
    const builtins = new Builtins();
    expect(Array.from({ length: 20 }, () => builtins.changed())).toEqual(Array(20).fill(null));
  });
});
