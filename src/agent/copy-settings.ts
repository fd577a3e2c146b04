// Owns the copy of a run's settings taken when it is accepted: later changes by the caller have no effect.
import { bySymbol } from '../actor/serializable.ts';
import { type HookReference, readHooks } from './hooks.ts';
import { type CopiedFrom, plainCopy, refused } from './plain-copy.ts';

/** Fields whose values are data, and nothing but data. */
const dataFields: ReadonlySet<string> = new Set([
  'initialMessages',
  'loop',
  'promptParts',
  'memory',
  'outputs',
  'toolChoice',
  'history',
  'metadata',
  'approval',
]);

/**
 * The settings of a run as they are now. Data, lists and endpoints are copied and hooks are read; tools, schemas and
 * models are passed by reference. Throws `code` for data that is not plain.
 */
export function copySettings<Settings extends object>(
  settings: Settings,
  { what, code }: Omit<CopiedFrom, 'field'>,
): Settings {
  // Settings are an object of named fields.
  const copy = { ...settings } as Record<string, unknown>;
  for (const name in copy) {
    const value = copy[name];
    if (typeof value !== 'object' || value === null) continue;
    if (dataFields.has(name)) copy[name] = plainCopy(value, { what, field: name, code });
    else if (name === 'hooks')
      copy[name] = hooksNow(value as HookReference | readonly HookReference[]);
    else if (Array.isArray(value)) copy[name] = [...value];
    else if (name === 'model' && isPlainObject(value)) copy[name] = { ...value };
  }
  const [symbol] = Object.getOwnPropertySymbols(copy);
  if (symbol !== undefined) throw refused({ what, code, field: `[${String(symbol)}]` }, bySymbol);
  // Each field has the value it had, or a copy of it.
  return copy as Settings;
}

/** Hooks as they are now, one reference or several. */
export function hooksNow(
  given: HookReference | readonly HookReference[],
): HookReference | readonly HookReference[] {
  const read = (each: HookReference): HookReference =>
    each instanceof URL ? each : readHooks(each);
  return Array.isArray(given) ? given.map(read) : read(given as HookReference);
}

/** An endpoint; models are objects with methods of their own, and keep their identity. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return !('respond' in value || 'specificationVersion' in value);
}
