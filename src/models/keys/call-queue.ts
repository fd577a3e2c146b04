// Owns the calls that wait to be let out to a provider, in their order, and each wait's end by its signal. Decides nothing.
import type { Failure, TroupeError } from '../../base/failures.ts';
import { abortablePromise } from '../../base/with-abort.ts';
import type { KeyRotation, OutageListeners } from './key-rotation.ts';
import { abortedCall } from './key-timers.ts';

/** A call that was let out. */
export type Pass = {
  readonly key: number;
  /** Its number among the key's calls. */
  readonly call: number;
  readonly round: number;
  isAnswered: boolean;
  isWidened: boolean;
};

export type Waiter = {
  readonly caller: KeyRotation;
  readonly lastFailure: Failure | null;
  go(pass: Pass): void;
  refuse(error: TroupeError): void;
  /** It waits for a provider that is down, and that was reported. */
  isWaiting: boolean;
};

export class CallQueue {
  readonly #waiting: Waiter[] = [];
  readonly #onOutageWait: OutageListeners['onOutageWait'];

  constructor(onOutageWait: OutageListeners['onOutageWait']) {
    this.#onOutageWait = onOutageWait;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Those that wait now, in the order in which they may go. */
  all(): readonly Waiter[] {
    return [...this.#waiting];
  }

  /** Waits to be let out or refused; rejects `aborted` with the signal. */
  enter(caller: KeyRotation, lastFailure: Failure | null): Promise<Pass> {
    return abortablePromise<Pass>(
      caller.signal,
      (go, refuse) => {
        const waiter: Waiter = { caller, lastFailure, go, refuse, isWaiting: false };
        // A call that was out already has waited its turn.
        if (lastFailure === null) this.#waiting.push(waiter);
        else this.#waiting.unshift(waiter);
        return () => {
          const at = this.#waiting.indexOf(waiter);
          if (at >= 0) this.#waiting.splice(at, 1);
          this.markWaiting(waiter, false);
        };
      },
      abortedCall,
    );
  }

  /** Reported at its beginning and its end: the idle clock of an agent stands still while its call waits so. */
  markWaiting(waiter: Waiter, isWaiting: boolean): void {
    if (waiter.isWaiting === isWaiting) return;
    waiter.isWaiting = isWaiting;
    this.#onOutageWait(waiter.caller.agent.id, isWaiting);
  }
}
