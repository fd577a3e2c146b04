// Owns what a cell is made with.
import type { Address } from './address.ts';
import type { CellSupervisor } from './cell-supervisor.ts';
import type { Launch } from './host.ts';
import type { MailboxLimits } from './mailbox.ts';
import type { MessageRouter } from './message-router.ts';

export type CellOptions<Cell> = {
  readonly address: Address;
  readonly router: MessageRouter;
  readonly supervisor: CellSupervisor<Cell>;
  readonly launch: Launch;
  readonly mailbox: MailboxLimits;
  /** Passive when idle for so long; undefined for a cell whose owner decides over that. */
  readonly passivateAfterMs?: number | undefined;
};
