// Checks what a thread notices of builtins that an activation replaced or added to (V1).
import { afterEach, describe, expect, it } from 'vitest';
import { changedBuiltin, takeBuiltins } from '../../workers/builtins.ts';

type Change = { readonly user: object; readonly key: string | symbol; readonly value: unknown };

const undo: (() => void)[] = [];

function change({ user, key, value }: Change): void {
  const before = Object.getOwnPropertyDescriptor(user, key);
  Object.defineProperty(user, key, { value, configurable: true, writable: true });
  undo.push(() => {
    if (before === undefined) Reflect.deleteProperty(user, key);
    else Object.defineProperty(user, key, before);
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
    ['globalThis.setTimeout', { user: globalThis, key: 'setTimeout', value: replaced }],
    ['JSON', { user: globalThis, key: 'JSON', value: {} }],
    ['JSON.parse', { user: JSON, key: 'parse', value: replaced }],
    ['Promise.prototype.then', { user: Promise.prototype, key: 'then', value: replaced }],
    ['Map.prototype.get', { user: Map.prototype, key: 'get', value: replaced }],
    ['Symbol(Symbol.hasInstance)', { user: Error, key: Symbol.hasInstance, value: replaced }],
    ['Object.prototype', { user: Object.prototype, key: 'added', value: 1 }],
    ['String.prototype', { user: String.prototype, key: 'toJSON', value: replaced }],
    ['Math.max', { user: Math, key: 'max', value: replaced }],
    ['console.log', { user: console, key: 'log', value: replaced }],
    ['Date.prototype.getTime', { user: Date.prototype, key: 'getTime', value: replaced }],
    ['AbortSignal.any', { user: AbortSignal, key: 'any', value: replaced }],
  ])('is noticed at the end of that activation: %s (V1)', (name, changed) => {
    expect(noticed(changed)).toBe(name);
  });

  it('is nothing when nothing was (V1)', () => {
    expect(changedBuiltin(takeBuiltins())).toBeNull();
  });
});
