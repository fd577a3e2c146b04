// Owns mail that was not delivered: the closed reasons L2 and a bounded ring of what happened (L3).
import type { Address } from './address.ts';
import type { Envelope } from './envelope.ts';

export const deadLetterReasons = [
  'no_such_actor',
  'terminated',
  'full',
  'expired',
  'stopped',
  'in_doubt',
  'activation_failed',
  'stash_overflow',
  'clone_failed',
] as const;

/**
 * Why a message was not processed. `no_such_actor`: no such address. `terminated`, `stopped`: the receiver had ended, or
 * was ending. `full`: its mailbox was. `expired`: its ask was over. `in_doubt`: the receiver was lost while it processed
 * the message. `activation_failed`, `stash_overflow`, `clone_failed`: it could not be delivered.
 */
export type DeadLetterReason = (typeof deadLetterReasons)[number];

/** Metadata of one dead letter; the message itself only when the system keeps bodies. */
export type DeadLetter = {
  /** Why the message was not processed. */
  readonly reason: DeadLetterReason;
  /** The message's number in its system. */
  readonly envelopeId: number;
  /** The sender; null for the host program. */
  readonly from: Address | null;
  /** The receiver. */
  readonly to: Address;
  /** Estimated size of the message. */
  readonly bytes: number;
  /** Milliseconds on the system's clock, `Clock.now()`. */
  readonly at: number;
  /** False for a message that was not admitted, which the ledger counts as refused. */
  readonly wasAccepted: boolean;
  /** The message itself; only where the system keeps it. */
  readonly message?: unknown;
};

export type DeadLetterLimits = {
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly keepsMessages: boolean;
};

export const defaultDeadLetterLimits: DeadLetterLimits = {
  maxEntries: 1_000,
  maxBytes: 4 * 1024 * 1024,
  keepsMessages: false,
};

const entryBytes = 200;

/** The last dead letters, oldest dropped first. */
export class DeadLetters {
  readonly #limits: DeadLetterLimits;
  readonly #entries: DeadLetter[] = [];
  #bytes = 0;

  constructor(limits: DeadLetterLimits = defaultDeadLetterLimits) {
    this.#limits = limits;
  }

  record(
    envelope: Envelope,
    entry: {
      readonly reason: DeadLetterReason;
      readonly at: number;
      readonly wasAccepted: boolean;
    },
  ): DeadLetter {
    const { id, from, to, bytes, message } = envelope;
    const base: DeadLetter = { ...entry, envelopeId: id, from, to, bytes };
    const letter = this.#limits.keepsMessages ? { ...base, message } : base;
    this.#entries.push(letter);
    this.#bytes += this.#sizeOf(letter);
    while (this.#entries.length > this.#limits.maxEntries || this.#bytes > this.#limits.maxBytes) {
      const dropped = this.#entries.shift();
      if (dropped === undefined) break;
      this.#bytes -= this.#sizeOf(dropped);
    }
    return letter;
  }

  list(): readonly DeadLetter[] {
    return [...this.#entries];
  }

  #sizeOf(letter: DeadLetter): number {
    return this.#limits.keepsMessages ? entryBytes + letter.bytes : entryBytes;
  }
}
