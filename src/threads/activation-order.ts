// Owns which items an activation may send, and when: others come from code that bypasses `self` and is not trusted.
import { failure } from '../base/failures.ts';
import type { ActivationItem, ActivationTarget } from '../protocol/worker-messages.ts';

type Kind = Exclude<ActivationItem, number>['t'];

/** What every activation reports about itself. */
const ofEvery = ['started', 'start_failed', 'settled', 'returned', 'ended'] as const;
const ofActor = new Set<Kind>([
  ...([...ofEvery, 'passivated', 'stayed', 'reply', 'fail', 'unstash', 'commit', 'event'] as const),
  ...(['tell', 'offer', 'ask', 'spawn', 'stop', 'watch', 'unwatch', 'timer', 'timer_off'] as const),
]);

/** An agent reaches others by the services of its host: neither mail nor timers are its thread's to send. */
const kinds: Readonly<Record<ActivationTarget['type'], ReadonlySet<Kind>>> = {
  agent: new Set([...ofEvery, 'passivated', 'stayed', 'event', 'model', 'parked']),
  tools: new Set([...ofEvery, 'reply', 'fail']),
  behavior: ofActor,
  object: ofActor,
};

/** One activation's order of events: it starts once, and gives its slot up when it is asked to. */
export class ActivationOrder {
  readonly #allowed: ReadonlySet<Kind>;
  #isStarted = false;
  /** Requests to give its slot up that it has not answered. */
  #requests = 0;

  constructor(target: ActivationTarget) {
    this.#allowed = kinds[target.type];
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  askedToPassivate(): void {
    this.#requests += 1;
  }

  /** True for what comes in its turn. */
  admits(item: ActivationItem): boolean {
    if (typeof item === 'number') return true;
    if (!this.#allowed.has(item.t)) return false;
    switch (item.t) {
      case 'started':
        if (this.#isStarted) return false;
        this.#isStarted = true;
        return true;
      case 'start_failed':
        return !this.#isStarted;
      case 'passivated':
      case 'stayed':
        this.#requests -= 1;
        return this.#requests >= 0;
      default:
        return true;
    }
  }
}

export const outOfTurn = failure(
  'protocol_violation',
  'a thread sent what its activation may not send, or not now',
);
