// Owns the messages about models between the gateway's thread and its host, beside bindings. The host forwards them. Types only.
import type { BudgetCommand, BudgetReply } from './budget-messages.ts';
import type { KeyPool } from './key-pool.ts';
import type { Rotation } from './key-rotation.ts';
import type { Fallback } from './model-fallback.ts';
import type { RetryPolicy } from './retry-policy.ts';

/** From the host: the keys, which come this way and no other, how many calls each begins with, the retries, and the ledger's answers. */
export type GatewayCommand =
  | {
      readonly type: 'providers';
      readonly pools: readonly KeyPool[];
      readonly initialCalls: number;
      readonly retry: RetryPolicy;
    }
  | BudgetReply;

/** From the gateway: an agent's change of key or model, what becomes of a provider that is down, and what it asks of the ledger. */
export type GatewayEvent =
  | { readonly type: 'rotated'; readonly rotation: Rotation }
  | { readonly type: 'fallback'; readonly fallback: Fallback }
  | { readonly type: 'outage'; readonly message: string }
  /** The call of an agent begins to wait for a provider that is down, or ends that. */
  | { readonly type: 'outage_wait'; readonly agentId: string; readonly isWaiting: boolean }
  | BudgetCommand;
