// Checks what a thread notices of builtins that an activation replaced or added to (V1).
import { afterEach, describe, expect, it } from 'vitest';
import { changedBuiltin, takeBuiltins } from '../../workers/builtins.ts';

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

/** What is noticed at the end of the activation that did it. */
function noticed(changed: Change): string | null {
  const builtins = takeBuiltins();
  change(changed);
  const name = changedBuiltin(builtins);
  for (const restore of undo.splice(0)) restore();
  return name;
}

const replaced = (): void => {};

describe('what an activation replaced', () => {
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
    ['Math.max', { holder: Math, key: 'max', value: replaced }],
    ['console.log', { holder: console, key: 'log', value: replaced }],
    ['Date.prototype.getTime', { holder: Date.prototype, key: 'getTime', value: replaced }],
    ['AbortSignal.any', { holder: AbortSignal, key: 'any', value: replaced }],
  ])('V1 is noticed at the end of that activation: %s', (name, changed) => {
    expect(noticed(changed)).toBe(name);
  });

  it('V1 is nothing when nothing was', () => {
    expect(changedBuiltin(takeBuiltins())).toBeNull();
  });
});
