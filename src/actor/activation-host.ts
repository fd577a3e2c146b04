// Owns what an activation receives and where its effects go: the port between an activation and the host that runs it.
import type { Failure } from '../base/failures.ts';
import type { Address } from './address.ts';
import type { AskOptions, ChildOptions, OfferResult } from './behavior.ts';
import type { ReportedExit } from './exit.ts';
import type { ReceiveResult } from './host.ts';

/** A message as an activation sees it. */
export type Handed = {
  readonly from: Address | null;
  readonly message: unknown;
  readonly askId: number;
};

/** Where an activation gets its mail and where its effects go. */
export interface ActivationHost {
  take(): Handed | null;
  started(): void;
  startFailed(failure: Failure): void;
  acknowledge(result: ReceiveResult, failure?: Failure): void;
  ended(exit: ReportedExit, inHand: 'started' | 'not_started'): void;
  reply(askId: number, value: unknown): void;
  failAsk(askId: number, failure: Failure): void;
  unstash(): void;
  tell(to: Address, message: unknown): void;
  offer(to: Address, message: unknown, options: AskOptions): Promise<OfferResult>;
  ask(to: Address, message: unknown, options: AskOptions): Promise<unknown>;
  spawn(module: string, options: ChildOptions): Promise<Address>;
  stopActor(actor: Address): void;
  watch(actor: Address): void;
  unwatch(actor: Address): void;
  after(delayMs: number, message: unknown): () => void;
  commit(snapshot: unknown): void;
  publish(event: unknown): void;
  flush(): void;
  /** The signal in the shared flags, which arrive before any message; null when there is none (S2). */
  signalled(isReceiving: boolean): 'interrupted' | 'stopped' | null;
}

export type ActivationFacts = {
  readonly address: Address;
  readonly incarnation: number;
  readonly snapshot: unknown;
};
