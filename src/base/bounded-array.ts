// Owns the check of a list from outside: its length is looked at before anything walks it.
import type { z } from 'zod';
import { $constructor, $ZodArray, type $ZodArrayDef } from 'zod/v4/core';

type BoundedDef<Item extends z.ZodType> = $ZodArrayDef<Item> & { readonly max: number };

/** zod looks at the length of an array when it has judged every item. */
const BoundedArray = $constructor<$ZodArray, BoundedDef<z.ZodType>>('BoundedArray', (inst, def) => {
  $ZodArray.init(inst, def);
  const { parse } = inst._zod;
  inst._zod.parse = (payload, context) => {
    const { value } = payload;
    if (!Array.isArray(value) || value.length <= def.max) return parse(payload, context);
    const message = `a list of ${value.length}, at most ${def.max}`;
    payload.issues.push({ code: 'custom', message, input: value, inst });
    return payload;
  };
});

/** A list of at most so many; a longer one is refused as a whole, without a look at what is in it. */
export function boundedArray<Item extends z.ZodType>(item: Item, max: number): $ZodArray<Item> {
  // The constructor knows its items as schemas only.
  return new BoundedArray({ type: 'array', element: item, max }) as $ZodArray<Item>;
}
