// Owns the look at data from outside before anything walks it: has it an end, and is that end near enough?

/** Objects and places of arrays; a shared object counts at each place it occurs. No message of ours comes near it. */
const maxPlaces = 8_000_000;
/** Levels of nesting that a message may have: rule M6 takes 512, and an envelope wraps it. */
export const maxMessage = 1_000;
/** Levels of nesting of what a model writes: what walks it afterwards, to print or to clone it, has no bound of its own. */
export const maxInput = 512;

/**
 * Why a walk over the value would have no end, or too late a one; null when it may be walked. A sparse array counts as
 * its length, and a shared value counts once for each path to it: both cost their sender nothing.
 */
export function endlessness(value: unknown, deepest: number): string | null {
  const counter = { left: maxPlaces };
  try {
    walk(value, deepest, counter);
    return null;
  } catch (error) {
    if (error === tooDeep) return `nested deeper than ${deepest} levels`;
    if (error === tooLarge) return `larger than ${maxPlaces} values`;
    throw error;
  }
}

// Thrown and caught here alone: a return value would have to be asked for at every level.
const tooDeep = Symbol('too deep');
const tooLarge = Symbol('too large');

function walk(value: unknown, levelsLeft: number, counter: { left: number }): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (levelsLeft === 0) throw tooDeep;
  counter.left -= Array.isArray(value) ? 1 + value.length : 1;
  if (counter.left < 0) throw tooLarge;
  const below = levelsLeft - 1;
  if (Array.isArray(value)) {
    for (const each of value) walk(each, below, counter);
  } else if (value instanceof Map) {
    for (const [key, each] of value) {
      walk(key, below, counter);
      walk(each, below, counter);
    }
  } else if (value instanceof Set) {
    for (const each of value) walk(each, below, counter);
  } else {
    for (const key in value) walk((value as Record<string, unknown>)[key], below, counter);
  }
}
