// Owns the messages by which the gateway's thread reserves budget of the one ledger, on the host. Types only.
import type { Failure } from '../base/failures.ts';
import type { BudgetAccount, NearLimit, Spend } from './budget.ts';

export type ReservationRequest = {
  readonly agentId: string;
  /** The outermost first; each holds those behind it. */
  readonly accounts: readonly BudgetAccount[];
  /** Upper bounds of the call, largest first; one of them is granted. */
  readonly bounds: readonly [Spend, ...Spend[]];
};

/** What the thread asks of the ledger. */
export type BudgetCommand =
  | { readonly type: 'reserve'; readonly id: number; readonly request: ReservationRequest }
  | { readonly type: 'withdraw'; readonly id: number }
  | { readonly type: 'settle'; readonly id: number; readonly actual: Spend };

/** What the ledger answers. */
export type BudgetReply =
  | {
      readonly type: 'granted';
      readonly id: number;
      readonly index: number;
      readonly near: readonly NearLimit[];
    }
  | { readonly type: 'refused'; readonly id: number; readonly failure: Failure };
