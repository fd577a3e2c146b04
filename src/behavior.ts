// Owns the public face of `troupe/behavior`: what a module of behaviours imports, and nothing that a thread would have to
// load for it. `troupe/actor` has the same names and the system around them, for programs.
export type { Address } from './actor/address.ts';
export {
  type AskOptions,
  type Behavior,
  behavior,
  type ChildOptions,
  type Next,
  next,
  type OfferResult,
  type RestartType,
  type Self,
  stop,
} from './actor/behavior.ts';
export type { ExitReason, Terminated } from './actor/exit.ts';
export { type Failure, type FailureCode, TroupeError } from './base/failures.ts';
