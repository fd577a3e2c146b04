// Owns the host's half of an activation's requests to the system: tells, asks, spawns, timers, watches (M5, M7).

import type { Address } from '../actor/address.ts';
import type { HostedCell } from '../actor/host.ts';
import { failure, toFailure } from '../base/failures.ts';
import { parseChildOptions } from '../protocol/worker-message-schema.ts';
import type { ActivationItem, ToThread } from '../protocol/worker-messages.ts';
import type { ActivationKernel } from './activation-options.ts';

/** What the items of an activation that are not about its own mail need. */
export type ActorRequest = Extract<
  ActivationItem,
  {
    t: 'tell' | 'offer' | 'ask' | 'spawn' | 'stop' | 'watch' | 'unwatch' | 'timer' | 'timer_off';
  }
>;

/** The activation that requests, and the way back to it. */
export type Requester = { readonly activation: number; post(message: ToThread): void };

/** Performs an activation's requests in its actor's name and posts the answers back. */
export class ActorRequests {
  readonly #cell: HostedCell;
  readonly #kernel: ActivationKernel;
  readonly #from: Requester;
  readonly #timers = new Map<number, () => void>();
  #admitted = 0;

  constructor(cell: HostedCell, kernel: ActivationKernel, from: Requester) {
    this.#cell = cell;
    this.#kernel = kernel;
    this.#from = from;
  }

  perform(item: ActorRequest): void {
    const from = this.#cell.address;
    const { router, tree } = this.#kernel;
    switch (item.t) {
      case 'tell':
        this.#admitted += 1;
        router.tellMeasured({ from, to: item.to }, item.message, item.bytes);
        break;
      case 'offer':
      case 'ask': {
        const { t, callId, to, message, timeoutMs } = item;
        this.#answer(callId, router[t]({ from, to }, message, { timeoutMs }));
        break;
      }
      case 'spawn':
        this.#answer(item.callId, this.#spawn(item));
        break;
      case 'stop':
        tree.stopFor(from, item.actor);
        break;
      case 'watch':
        router.watch(from, item.actor);
        break;
      case 'unwatch':
        router.registry.get(item.actor.id)?.removeWatcher(from);
        break;
      case 'timer': {
        const { timerId, delayMs, message } = item;
        const cancel = this.#cell.startTimer(delayMs, message, () => this.#timers.delete(timerId));
        this.#timers.set(timerId, cancel);
        break;
      }
      case 'timer_off':
        this.#timers.get(item.timerId)?.();
        this.#timers.delete(item.timerId);
        break;
    }
  }

  /** After a batch: reports the admitted tells, which frees space in the activation's outbox. */
  acknowledge(): void {
    if (this.#admitted === 0) return;
    const { activation } = this.#from;
    this.#from.post({ type: 'admitted', activation, count: this.#admitted });
    this.#admitted = 0;
  }

  async #spawn({ module, options }: Extract<ActorRequest, { t: 'spawn' }>): Promise<Address> {
    return this.#kernel.tree.spawnChild(this.#cell.address, module, parseChildOptions(options));
  }

  #answer(callId: number, promise: Promise<unknown>): void {
    const { activation } = this.#from;
    promise.then(
      (value) => this.#send({ type: 'answer', activation, callId, value }),
      (error: unknown) =>
        this.#send({ type: 'answer_failed', activation, callId, failure: toFailure(error) }),
    );
  }

  /** An answer that is plain by its looks and cannot be cloned all the same fails its call, and nothing else (M6). */
  #send(answer: Extract<ToThread, { readonly callId: number }>): void {
    try {
      this.#from.post(answer);
    } catch {
      const { activation, callId } = answer;
      const cause = failure('clone_failed', 'the answer could not be cloned');
      this.#from.post({ type: 'answer_failed', activation, callId, failure: cause });
    }
  }
}
