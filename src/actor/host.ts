// Owns the port between a cell and whatever runs its activations: the same loop, a thread, later a process.
import type { Failure } from '../base/failures.ts';
import type { Address } from './address.ts';
import type { Envelope } from './envelope.ts';
import type { Exit } from './exit.ts';

/**
 * Runs one activation of a cell. It pulls mail from the cell, in order, never more than its credit window,
 * and reports each receive once. After `activationEnded`, `startFailed`, `parked` or `gaveUp` it reports nothing more.
 */
export interface ActorHost {
  /** Starts the activation; the host reports `started` or `startFailed`. */
  start(): void;
  /** Mail or permission to take it may be there: pull. */
  wake(): void;
  /** Ends the receive in hand (S5). */
  interrupt(reason: string): void;
  /** Interrupts, runs `stopped`, ends the activation with `activationEnded`. */
  stop(reason: string): void;
  /** Ends the activation without its help; `activationEnded` follows when the place it ran in is gone (S6, S7). */
  kill(): void;
  /** Asks for handed but unstarted messages; they come by `returned`. */
  takeBack(): void;
  /** Asks an idle activation for its snapshot and its place: it `gaveUp` both, or `stayedLive` (P1). */
  passivate(): void;
  /** An opaque control message to the behaviour's own code: steer, park. */
  control(message: unknown): void;
}

/** The state of a passive actor, as plain data. */
export type Snapshot = { readonly state: unknown };

/** How a receive ended. An interrupted one counts as processed (L1). */
export type ReceiveResult =
  | 'processed'
  | 'interrupted'
  | 'stashed'
  | 'crashed'
  /** Its deadline had passed before it was started (M8). */
  | 'expired';

/** What a host needs of its cell; also the fast path, so it is called directly and never over a queue. */
export interface HostedCell {
  readonly address: Address;
  readonly incarnation: number;
  readonly snapshot: unknown;
  /** What an earlier activation of this incarnation kept when it gave up its place: the next one continues with it. */
  readonly kept: Snapshot | null;
  /** The next message to process, or null: closed, paused, or nothing there. */
  take(): Envelope | null;
  /** The activation has a place to run; mail may be taken from now on. */
  slotAcquired(): void;
  started(): void;
  startFailed(failure: Failure): void;
  /** The oldest message in flight is done. */
  acknowledge(result: ReceiveResult, failure?: Failure): void;
  /** This message in flight could not be cloned to its activation: it is a dead letter (M6). */
  undeliverable(seq: number): void;
  /** The newest `count` messages in flight were not started: they go back to the head of the mailbox (M4). */
  returned(count: number): void;
  /** Stashed messages go back to the head of the mailbox, in their order (M9). */
  unstash(): void;
  reply(askId: number, value: unknown): void;
  failAsk(askId: number, failure: Failure): void;
  /** Sends this actor a message after a delay on the supervisor's clock; dies with the actor. */
  startTimer(delayMs: number, message: unknown, onFired?: () => void): () => void;
  commit(snapshot: unknown): void;
  publish(event: unknown): void;
  /** `inHand` is `started` when the receive of the oldest message in flight had begun as the activation ended. */
  activationEnded(exit: Exit, inHand: 'started' | 'not_started'): void;
  /** The activation gave up its place in the middle of a receive and continues later (V7). */
  parked(): void;
  /** Where the answer to `passivate` goes. */
  readonly passivation: {
    gaveUp(kept: Snapshot | null): void;
    stayedLive(failure: Failure | null): void;
  };
}

/** Makes the host of one activation, which the cell then starts; called again for each incarnation. */
export type Launch = (cell: HostedCell) => ActorHost;
