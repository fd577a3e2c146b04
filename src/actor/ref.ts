// Owns the reference that a program uses: an address with `tell`, `offer`, `ask` and signals.

import type { Address } from './address.ts';
import type { AskOptions, OfferResult } from './behavior.ts';
import type { Cell } from './cell.ts';
import type { Exit } from './exit.ts';
import type { MessageRouter } from './message-router.ts';

/** What became of one actor under an interrupt, stop or kill. */
export type InterruptReceipt = {
  /** The actor's id. */
  readonly agentId: string;
  /** The actor's path. */
  readonly path: string;
  /** What became of it. */
  readonly stage: ReceiptStage;
  /** Milliseconds from the start of the operation to the end of this actor, or of its receive. */
  readonly elapsedMs: number;
  /** What an agent had when it was ended: text, tool trace, emitted values; null for other actors. */
  readonly partial: unknown;
};

export const receiptStages = [
  'not_started',
  'completed',
  'interrupted',
  'stopped',
  'killed',
  'unresponsive',
  'already_dead',
] as const;

/**
 * `not_started`: its work was still waiting. `completed`: its work ended by itself meanwhile, or there was none.
 * `interrupted`, `stopped`, `killed`: what it took to end it. `unresponsive`: it could not be ended, even by a kill.
 * `already_dead`: it had ended before.
 */
export type ReceiptStage = (typeof receiptStages)[number];

/** How far an interrupt goes. */
export type InterruptScope = 'run' | 'agent' | 'subtree';

/** How far an interrupt goes, and why. */
export type InterruptOptions = {
  /**
   * `run`, the default: what it does now, and what ends with that. `agent`: itself too. `subtree`: what it does now, and all
   * that is below it, background tasks of a session included, which outlive the other two.
   */
  readonly scope?: InterruptScope;
  /** Shown in events and errors. Default, for a blank one too: `interrupted by its owner`. */
  readonly reason?: string;
};

/** Sends signals to actors. */
export interface SignalCarrier {
  interrupt(target: Address, options?: InterruptOptions): Promise<readonly InterruptReceipt[]>;
  stop(target: Address): Promise<readonly InterruptReceipt[]>;
  kill(target: Address): Promise<readonly InterruptReceipt[]>;
  pause(target: Address): void;
  resume(target: Address): void;
}

/** The receipt of an actor that was over before. */
export function alreadyDead({ id: agentId, path }: Pick<Address, 'id' | 'path'>): InterruptReceipt {
  return { agentId, path, stage: 'already_dead', elapsedMs: 0, partial: null };
}

/** What refs of one system share. */
export type RefSurroundings = {
  readonly router: MessageRouter<Cell>;
  readonly carrier: SignalCarrier;
};

/** An actor from outside. Valid across restarts; of a dead actor it refuses mail and answers signals `already_dead`. */
export class ActorRef<Message = unknown> {
  /** Where the actor is reached; may be sent in messages. */
  readonly address: Address;
  readonly #around: RefSurroundings;

  constructor(address: Address, around: RefSurroundings) {
    this.address = address;
    this.#around = around;
  }

  /** Stays the same across restarts. */
  get id(): string {
    return this.address.id;
  }

  /** Its names from the root down, such as `/orders/worker`. */
  get path(): string {
    return this.address.path;
  }

  /** Sends and forgets. Throws `not_serializable`; a message that is refused becomes a dead letter. */
  tell(message: Message): void {
    this.#around.router.tell(null, this.address, message);
  }

  /** Sends, waiting for space in the mailbox for `timeoutMs`, or until `signal` aborts. */
  offer(
    message: Message,
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<OfferResult> {
    return this.#around.router.offer(this.#sending(), message, options);
  }

  /** Resolves with the actor's reply. Rejects `ask_timeout`, `actor_terminated`, `mailbox_full` or its failure. */
  ask(message: Message, options: AskOptions): Promise<unknown> {
    return this.#around.router.ask(this.#sending(), message, options);
  }

  /** Ends the receive in hand, by scope also its descendants; resolves after the last has settled. */
  interrupt(options?: InterruptOptions): Promise<readonly InterruptReceipt[]> {
    return this.#around.carrier.interrupt(this.address, options);
  }

  /** Ends the actor in good order, its children first. */
  stop(): Promise<readonly InterruptReceipt[]> {
    return this.#around.carrier.stop(this.address);
  }

  /** Ends the actor now; it runs no more code of its own. */
  kill(): Promise<readonly InterruptReceipt[]> {
    return this.#around.carrier.kill(this.address);
  }

  /** Hands it no more mail until `resume`. */
  pause(): void {
    this.#around.carrier.pause(this.address);
  }

  /** Hands it mail again, the oldest message first. */
  resume(): void {
    this.#around.carrier.resume(this.address);
  }

  /** Calls `listener` once, when the actor has ended; at once if it has. Returns how to stop watching. */
  watch(listener: (exit: Exit) => void): () => void {
    const { registry } = this.#around.router;
    const cell = registry.get(this.address.id);
    if (cell !== undefined) return cell.onExit(listener);
    listener(registry.exitOf(this.address.id));
    return () => {};
  }

  #sending(): { from: null; to: Address } {
    return { from: null, to: this.address };
  }
}
