// The kernel's public face: actors without agents.
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
export type { DeadLetter, DeadLetterReason } from './actor/dead-letters.ts';
export type { Exit, ExitReason, Terminated } from './actor/exit.ts';
export { type LedgerSnapshot, ledgerFault } from './actor/ledger.ts';
export type { MailboxLimits, Overflow } from './actor/mailbox.ts';
export type {
  ActorRef,
  InterruptOptions,
  InterruptReceipt,
  InterruptScope,
  ReceiptStage,
} from './actor/ref.ts';
export {
  type ActorSystem,
  createActorSystem,
  type ObjectActor,
} from './actor-system/actor-system.ts';
export type {
  ActorSystemOptions,
  SystemLog,
  ThreadSpawnOptions,
} from './actor-system/actor-system-options.ts';
export type { SpawnOptions } from './actor-system/kernel.ts';
export { type Failure, type FailureCode, TroupeError } from './base/failures.ts';
export type { FileAccess, NetworkAccess, WorkerProfile } from './protocol/worker-profile.ts';
export type { Backoff, Intensity, Strategy } from './supervision/child-spec.ts';
export type { GracePeriods } from './supervision/termination.ts';
