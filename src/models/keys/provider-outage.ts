// Owns what is known of a provider that is down: its pauses, the one call that tries, and what is reported. Decides in outage.ts.
import type { Clock } from '../../base/clock.ts';
import type { Failure } from '../../base/failures.ts';
import type { RetryPolicy } from '../../protocol/retry-policy.ts';
import { afterPause, isDown, type Outage, pauseAfter } from './outage.ts';

export type ProviderOutageOptions = {
  readonly endpoint: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly random: () => number;
  readonly policy: RetryPolicy;
  /** For people: that calls wait, that the provider is back, that it was given up. */
  readonly onReport: (message: string) => void;
  /** Calls may go out again, or have to wait. */
  readonly onChanged: () => void;
  /** It was waited for long enough: the calls that wait fail with this. */
  readonly onGivenUp: (failure: Failure) => void;
};

export type FailedCall = {
  readonly failure: Failure;
  /** It is not tried again at once. */
  readonly isLast: boolean;
  readonly hasStreamed: boolean;
};

/** One outage at a time. A call is known by any object of its own. */
export class ProviderOutage {
  readonly #options: ProviderOutageOptions;
  #outage: Outage | null = null;
  /** What it was found down with last. */
  #failure: Failure | null = null;
  #probe: object | null = null;
  /** What reports call the provider. */
  readonly #name: string;

  constructor(options: ProviderOutageOptions) {
    this.#options = options;
    this.#name = options.endpoint.replace(/^custom at /, '');
  }

  /** True while calls wait together for the provider. */
  get isWaitedFor(): boolean {
    return this.#outage !== null && this.#outage.status !== 'given_up';
  }

  /** What calls fail with that do not wait for the provider; null while it is not waited for. */
  get failure(): Failure | null {
    return this.isWaitedFor ? this.#failure : null;
  }

  /** Whether a call may go out now. */
  get letsOut(): boolean {
    if (!this.isWaitedFor) return true;
    return this.#outage?.status === 'probing' && this.#probe === null;
  }

  sent(call: object): void {
    if (this.#outage?.status === 'probing') this.#probe = call;
  }

  /** The provider answers a call, if only by a refusal. */
  answered(call: object): void {
    if (this.#probe === call) this.#end();
    else if (this.#outage?.status === 'given_up') this.#outage = null;
  }

  /** Nothing was learnt: another call tries. */
  left(call: object): void {
    if (this.#probe !== call) return;
    this.#probe = null;
    this.#options.onChanged();
  }

  /** True when the call waits with the others, instead of what was decided for it alone. */
  failed(call: object, { failure, isLast, hasStreamed }: FailedCall): boolean {
    if (!isDown(failure)) {
      this.answered(call);
      return false;
    }
    const isProbe = this.#probe === call;
    if (isProbe) this.#probe = null;
    if (!isProbe && this.isWaitedFor) return !hasStreamed;
    if (!isProbe && (!isLast || hasStreamed || this.#outage !== null)) return false;
    return this.#pause(failure) && !hasStreamed;
  }

  /** False when the time to wait is over. */
  #pause(failure: Failure): boolean {
    const { clock, random, policy, onReport, onChanged, onGivenUp } = this.#options;
    const { maxOutageMs } = policy;
    const before = this.#outage?.status === 'given_up' ? null : this.#outage;
    this.#failure = failure;
    const next = pauseAfter({ before, failure, maxOutageMs, random: random() });
    if (next.status !== 'pausing') {
      if (before === null) return false;
      this.#outage = next;
      onReport(`${this.#name} is still down after ${secondsOf(before.waitedMs)}: its calls fail`);
      onGivenUp(failure);
      return false;
    }
    this.#outage = next;
    if (before === null) {
      const wait = secondsOf(next.pauseMs);
      onReport(`${this.#name} is down: ${failure.message}, next try in ${wait}`);
    }
    clock.after(next.pauseMs, () => {
      this.#outage = afterPause(next);
      onChanged();
    });
    onChanged();
    return true;
  }

  #end(): void {
    const { onReport, onChanged } = this.#options;
    this.#probe = null;
    this.#outage = null;
    onReport(`${this.#name} answers again: its calls go on`);
    onChanged();
  }
}

function secondsOf(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}
