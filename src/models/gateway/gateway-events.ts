// Owns what the gateway's thread and its host say of models to each other, beside bindings. The thread's host only carries it.

import type { LedgerNote, LedgerWord } from '../budget/budget-server.ts';
import type { KeyPool } from '../keys/credentials.ts';
import type { Rotation } from '../keys/key-rotation.ts';

/** From the host: the keys, which come this way and no other, how many calls each begins with, and the ledger's answers. */
export type GatewayWord =
  | {
      readonly type: 'providers';
      readonly pools: readonly KeyPool[];
      readonly initialCalls: number;
    }
  | LedgerWord;

/** From the gateway: an agent's change of key, and what it asks of the ledger. */
export type GatewayNote = { readonly type: 'rotated'; readonly rotation: Rotation } | LedgerNote;
