// Owns what the question whether a tool may run has come to, as it crosses to the thread that asked. Types only.
import type { Failure } from '../base/failures.ts';

export type Approval =
  | { readonly status: 'allowed' }
  /** The tool may run with this input instead of the model's. */
  | { readonly status: 'edited'; readonly input: unknown }
  | { readonly status: 'denied'; readonly failure: Failure };
