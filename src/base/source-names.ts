// Owns the reading of a configuration that is written in the words of another system. Pure.
import { describe, TroupeError } from './failures.ts';
import { isRecord } from './is-record.ts';

/** Their name of each setting, and ours; one that needs another value than theirs has what makes it. */
export type SourceNames = Readonly<
  Record<string, string | { readonly ours: string; readonly read: (value: unknown) => unknown }>
>;

/**
 * The settings in our names. A name that is in neither list stays as it is, for the check that follows; null, which the
 * sources write for what is not set, is left out. Throws `invalid_options` for what is no object, and for a setting
 * that is said twice.
 */
export function inOurNames(
  given: unknown,
  names: SourceNames,
  what: string,
): Readonly<Record<string, unknown>> {
  if (!isRecord(given)) {
    throw new TroupeError('invalid_options', `${what} is ${describe(given)}: expected an object`);
  }
  const found: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    const named = Object.hasOwn(names, key) ? names[key] : undefined;
    const ours = typeof named === 'object' ? named.ours : (named ?? key);
    const put = typeof named === 'object' ? named.read(value) : value;
    if (ours in found) {
      const seen = `${describe(found[ours])} and ${describe(put)}`;
      throw new TroupeError('invalid_options', `${what}: ${ours} is said twice, ${seen}`);
    }
    found[ours] = put;
  }
  return found;
}

/** Seconds as milliseconds; what is no number stays as it is, for the check that follows. */
export function secondsAsMs(value: unknown): unknown {
  if (typeof value !== 'number') return value;
  // To a microsecond: 1.001 s are 1,001 ms, which a product of fractions misses by a hair.
  return Math.round(value * 1e6) / 1e3 || value * 1_000;
}
