// Owns the check of a list from outside: its length is looked at before anything walks it.
import { z } from 'zod';

/** A list of at most so many; a longer one is refused as a whole, without a look at what is in it. */
export function boundedArray<Item extends z.ZodType>(item: Item, most: number) {
  return z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.length <= most) return value;
    context.addIssue({ code: 'custom', message: `a list of ${value.length}, at most ${most}` });
    return z.NEVER;
  }, z.array(item));
}
