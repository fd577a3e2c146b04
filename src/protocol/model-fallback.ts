// Owns the report that an agent goes on with the next model of its list. Types only.
import type { Failure } from '../base/failures.ts';

/** Models by the ids that outcomes call them; `failure` is what the one that is left failed with. */
export type Fallback = {
  readonly agent: { readonly id: string; readonly path: string };
  readonly from: string;
  readonly to: string;
  readonly failure: Failure;
};
