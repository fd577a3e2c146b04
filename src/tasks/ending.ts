// Owns how something that runs is ended by a decision, and what its effect found. Types only.
import type { InterruptOptions, InterruptReceipt } from '../actor/ref.ts';
import type { Failure } from '../base/failures.ts';
import type { TaskRecord } from './state.ts';

/** How something running is ended, and what the decision and its effect found. */
export type Ending = {
  /** `stop` and `kill` of a persistent agent; an interrupt has a scope. */
  readonly by: 'interrupt' | 'stop' | 'kill';
  readonly options: InterruptOptions & { readonly reason: string };
  readonly error: Failure;
  /** Runs below, which end with their actors. */
  running: readonly TaskRecord[];
  /** Of what waited below. */
  waiting: readonly InterruptReceipt[];
  /** The receipts of the actors; null when there is none to end. */
  receipts: Promise<readonly InterruptReceipt[]> | null;
};
