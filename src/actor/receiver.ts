// Owns what a router needs of an actor to bring it mail.
import type { Address } from './address.ts';
import type { OfferResult } from './behavior.ts';
import type { Envelope } from './envelope.ts';

export interface Receiver {
  readonly address: Address;
  /** True while it processes a message. */
  readonly isBusy: boolean;
  /** Messages accepted and not done. */
  readonly pending: number;
  deliver(envelope: Envelope): void;
  /** As `deliver`, exempt from the bounds. */
  deliverNotice(envelope: Envelope): void;
  /** Waits for space. */
  offer(
    envelope: Envelope,
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<OfferResult>;
  addWatcher(watcher: Address): void;
  removeWatcher(watcher: Address): void;
  suspendIntake(): void;
  resumeIntake(): void;
}
