// Owns what a cell is made with.
import type { Address } from './address.ts';
import type { Guardian } from './cell-supervisor.ts';
import type { Launch } from './host.ts';
import type { MailboxLimits } from './mailbox.ts';
import type { PostOffice } from './message-router.ts';

export type CellOptions = {
  readonly address: Address;
  readonly office: PostOffice;
  readonly guardian: Guardian;
  readonly launch: Launch;
  readonly mailbox: MailboxLimits;
  /** Passive when idle for so long; undefined for a cell whose owner decides over that. */
  readonly passivateAfterMs?: number | undefined;
};
