// Owns the check of what a reader of the event stream asks for.
import { z } from 'zod';
import { insteadOf } from '../base/nearest-name.ts';
import { parseOptions } from '../base/parse-options.ts';
import { signalSchema } from '../base/signal-schema.ts';

/** A check for these types. It throws `invalid_options` naming the field, the value seen, and for a type that is none the nearest. */
export function filterCheck(types: readonly string[]): (filter: unknown) => void {
  const type = z.custom<string>((value) => typeof value === 'string' && types.includes(value), {
    error: ({ input }) => `there is no such type of event; ${insteadOf(input, types)}`,
  });
  const schema = z.strictObject({
    types: z.array(type).optional(),
    afterSeq: z.number().int().min(0).optional(),
    signal: signalSchema.optional(),
  });
  return (filter) => {
    parseOptions(schema, filter, 'events');
  };
}
