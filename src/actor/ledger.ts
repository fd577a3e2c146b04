// Owns the message ledger L1: four counters that close whatever happens.

/** Every message of a system, counted once: offered = accepted + refused, accepted = processed + deadLettered + pending. */
export type LedgerSnapshot = {
  /** Messages that were sent. */
  readonly offered: number;
  /** Messages that no mailbox admitted; each is a dead letter with `wasAccepted` false. */
  readonly refused: number;
  /** Messages that a mailbox admitted. */
  readonly accepted: number;
  /** Messages whose receive has ended, interrupted ones included. */
  readonly processed: number;
  /** Messages that were admitted and became dead letters. */
  readonly deadLettered: number;
  /** Messages that are accepted and not settled, counted where they are, not derived. */
  readonly pending: number;
};

/** Counts every message once: offered = accepted + refused, accepted = processed + deadLettered + pending. */
export class Ledger {
  offered = 0;
  refused = 0;
  accepted = 0;
  processed = 0;
  deadLettered = 0;

  snapshot(pending: number): LedgerSnapshot {
    const { offered, refused, accepted, processed, deadLettered } = this;
    return { offered, refused, accepted, processed, deadLettered, pending };
  }
}

/** What does not add up, or null when the ledger closes. */
export function ledgerFault(ledger: LedgerSnapshot): string | null {
  const { offered, refused, accepted, processed, deadLettered, pending } = ledger;
  if (offered !== accepted + refused) {
    return `offered ${offered} is not accepted ${accepted} + refused ${refused}`;
  }
  if (accepted !== processed + deadLettered + pending) {
    return `accepted ${accepted} is not processed ${processed} + dead-lettered ${deadLettered} + pending ${pending}`;
  }
  return null;
}
