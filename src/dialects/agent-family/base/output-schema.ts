// Owns the refusal of an output schema by agents whose replies come from no model (D19).
import { describe, TroupeError } from '../../../base/failures.ts';
import type { ReplyOptions } from './hook-types.ts';

/** Throws `invalid_options` when a schema is given: such an agent cannot follow one. */
export function refuseOutputSchema(name: string, { outputSchema }: ReplyOptions): void {
  if (outputSchema === undefined) return;
  throw new TroupeError(
    'invalid_options',
    `agent ${name} has no model to answer by a schema: outputSchema is ${describe(outputSchema)}`,
  );
}
