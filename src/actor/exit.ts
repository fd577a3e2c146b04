// Owns why an actor ended: the closed list of rule V4 and the notice that watchers receive.
import type { Failure } from '../base/failures.ts';
import type { Address } from './address.ts';

export const exitReasons = [
  'normal',
  'interrupted',
  'stopped',
  'killed',
  'crashed',
  'out_of_memory',
  'spawn_failed',
  'parent_exit',
  'restart_intensity',
  'unresponsive',
] as const;

/** Why an actor ended. */
export type ExitReason = (typeof exitReasons)[number];

/** The end of an actor. */
export type Exit = {
  /** Why it ended. */
  readonly reason: ExitReason;
  /** What went wrong; absent where nothing did. */
  readonly failure?: Failure;
};

/** An end as the activation itself reports it: every other reason is decided by its host. */
export type ReportedExit = Exit & { readonly reason: 'normal' | 'crashed' };

/** User-lane mail for a watcher, after the watched actor's last message; exactly one per watch. */
export type Terminated = {
  readonly type: 'terminated';
  /** The actor that ended. */
  readonly actor: Address;
  /** Why it ended. */
  readonly reason: ExitReason;
};

/** An end that no restart type but `permanent` repairs. */
export function isNormalExit(reason: ExitReason): boolean {
  switch (reason) {
    case 'normal':
    case 'interrupted':
    case 'stopped':
    case 'parent_exit':
      return true;
    default:
      return false;
  }
}
