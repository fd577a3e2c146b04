// Owns the one queue of calls to a provider's endpoint: leases of its keys, gates, waits, retries. Decides nothing:
// that is key-selection.ts, rate-limiter.ts and retry.ts. Sees no key, only its place in the pool.
import type { Clock } from '../../base/clock.ts';
import { type Failure, TroupeError, toFailure } from '../../base/failures.ts';
import type { LeaseStrategy } from '../../protocol/key-pool.ts';
import type { Rotation } from '../../protocol/key-rotation.ts';
import type { RetryPolicy } from '../../protocol/retry-policy.ts';
import { type ResponseHeaders, readRateHeaders } from '../providers/rate-headers.ts';
import { decideRetry, maxWaitOf, noTries } from '../retry.ts';
import { CallQueue, type Pass } from './call-queue.ts';
import type { Attempt, KeyRotation, OutageListeners } from './key-rotation.ts';
import {
  braced,
  chooseKey,
  disabled,
  isSpent,
  type KeyState,
  limited,
  reasonToLeave,
  recovered,
} from './key-selection.ts';
import { abortedCall, KeyTimers, patienceMs, unnamedResetMs } from './key-timers.ts';
import { ProviderOutage } from './provider-outage.ts';
import * as gates from './rate-limiter.ts';
import { spentError, usedUpError } from './refused-calls.ts';

export type RateLimitedClientOptions = {
  /** Provider and address, for messages. */
  readonly endpoint: string;
  /** One per key. */
  readonly labels: readonly string[];
  readonly strategy: LeaseStrategy;
  readonly clock: Pick<Clock, 'after' | 'wallTime'>;
  readonly random: () => number;
  readonly policy: RetryPolicy;
  /** Calls under one key before the provider has answered one; null: as many as come. */
  readonly initialCalls: number | null;
  readonly onRotated: (rotation: Rotation) => void;
} & OutageListeners;

/**
 * Lets calls out to one endpoint and retries them (C41, F23). All agents share its view of every key: a wait
 * that the provider asks for is kept once for all, and waiting calls go out one by one, in the order they came. Waiting
 * is no activity (V8 lists what is): a run whose call waits longer than its idle limit ends, so nothing hangs.
 */
export class RateLimitedClient {
  readonly #options: RateLimitedClientOptions;
  readonly #keys: KeyState[];
  readonly #leases = new Map<string, number>();
  readonly #queue: CallQueue;
  readonly #timers: KeyTimers;
  readonly #outage: ProviderOutage;
  #cursor = 0;

  constructor(options: RateLimitedClientOptions) {
    this.#options = options;
    const gate = gates.newLimiter(options.initialCalls);
    this.#keys = options.labels.map(() => {
      return { health: { status: 'ready' }, gate, holders: 0, used: 0 };
    });
    this.#timers = new KeyTimers(options.clock);
    this.#queue = new CallQueue(options.onOutageWait);
    this.#outage = new ProviderOutage({
      ...options,
      onReport: options.onOutage,
      onChanged: () => this.#outageChanged(),
      onGivenUp: (failure) => {
        for (const waiter of this.#queue.all()) waiter.refuse(TroupeError.from(failure));
      },
    });
  }

  get retries(): boolean {
    return this.#options.policy.attempts > 1;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Runs `attempt` with a key, and retries as retry.ts defines. Rejects with its last failure; `credentials_exhausted`
   * when no key of several is left; `aborted` while it waits, with the signal.
   */
  async run<Answer>(caller: KeyRotation, attempt: Attempt<Answer>): Promise<Answer> {
    let tries = noTries;
    let lastFailure: Failure | null = null;
    for (;;) {
      const pass = await this.#enter(caller, lastFailure);
      try {
        const answer = await attempt(pass.key, (status, headers) =>
          this.#reported(pass, status, headers),
        );
        this.#answered(pass);
        return answer;
      } catch (error) {
        const failure = toFailure(error, 'model_failed');
        const { policy, random } = this.#options;
        const { hasFallback } = caller;
        const hasStreamed = caller.hasStreamed();
        const facts = { policy, failure, tries, hasStreamed, hasFallback };
        const verdict = decideRetry({ ...facts, random: random() });
        tries = verdict.tries;
        lastFailure = failure;
        const isLast = verdict.call === 'fail';
        const isAborted = caller.signal.aborted;
        if (isAborted) this.#outage.left(pass);
        const waits = !isAborted && this.#outage.failed(pass, { failure, isLast, hasStreamed });
        this.#failed(pass, verdict, failure);
        if (isAborted) throw error;
        if (waits) {
          tries = noTries;
          continue;
        }
        const isOnlyKey = verdict.key === 'out' && this.#keys.length === 1;
        if (isLast || isOnlyKey) throw error;
        if (verdict.key === 'keep') await this.#timers.wait(verdict.delayMs, caller.signal);
      }
    }
  }

  /** Releases the lease of an agent whose activation has ended. */
  release(agentId: string): void {
    const leased = this.#leases.get(agentId);
    if (leased === undefined) return;
    this.#leases.delete(agentId);
    this.#change(leased, (key) => ({ ...key, holders: key.holders - 1 }));
  }

  #enter(caller: KeyRotation, lastFailure: Failure | null): Promise<Pass> {
    const { signal } = caller;
    if (signal.aborted) return Promise.reject(abortedCall());
    const entered = this.#queue.enter(caller, lastFailure);
    this.#pump();
    return entered;
  }

  /** Lets out every call that may go, in order; a call that waits for one key does not delay calls of another. */
  #pump(): void {
    const { endpoint, policy } = this.#options;
    for (const waiter of this.#queue.all()) {
      const { agent, tokens, hasFallback } = waiter.caller;
      const maxWaitMs = maxWaitOf(policy, hasFallback);
      const down = this.#outage.failure;
      this.#queue.markWaiting(waiter, down !== null && !hasFallback);
      if (!this.#outage.letsOut) {
        if (hasFallback && down !== null) waiter.refuse(TroupeError.from(down));
        continue;
      }
      const key = this.#leaseFor(agent, tokens);
      if (key === null) {
        const { lastFailure } = waiter;
        if (isSpent(this.#keys, maxWaitMs))
          waiter.refuse(spentError(endpoint, this.#keys, lastFailure));
        continue;
      }
      const { gate } = this.#keyAt(key);
      if (gates.canPass(gate, tokens)) {
        this.#change(key, (state) => ({
          ...state,
          gate: gates.pass(state.gate, tokens),
          used: state.used + 1,
        }));
        const { round, sent } = gate;
        const pass = { key, round, call: sent + 1, isAnswered: false, isWidened: false };
        this.#outage.sent(pass);
        waiter.go(pass);
      } else if (!gate.isClosed) {
        const resetMs = gates.isUsedUp(gate, tokens) ? (gate.resetMs ?? unnamedResetMs) : null;
        this.#waitAt(key, resetMs);
        // Refused or not, its limits are whole again when the timer says so.
        const isTooLong = hasFallback && resetMs !== null && resetMs > maxWaitMs;
        if (isTooLong) waiter.refuse(usedUpError(endpoint, resetMs));
      }
    }
  }

  /** After an outage, as ahead of it, one call goes first and the others after it. */
  #outageChanged(): void {
    for (const key of this.#keys.keys()) {
      this.#change(key, (state) => ({ ...state, gate: gates.narrow(state.gate) }));
    }
    this.#pump();
  }

  /** Until its limits are whole again; null: until the calls ahead are answered. */
  #waitAt(key: number, resetMs: number | null): void {
    if (resetMs !== null) {
      this.#timers.ensure(key, 'reset', resetMs, () => {
        this.#change(key, (state) => ({ ...state, gate: gates.refill(state.gate) }));
        this.#pump();
      });
    } else {
      this.#timers.ensure(key, 'patience', patienceMs, () => {
        this.#change(key, (state) => ({ ...state, gate: gates.widen(state.gate) }));
        this.#pump();
      });
    }
  }

  /** The key the agent is on from now, moved when it has to be. */
  #leaseFor(agent: KeyRotation['agent'], tokens: number): number | null {
    const leased = this.#leases.get(agent.id) ?? null;
    const { strategy } = this.#options;
    const key = chooseKey(this.#keys, { strategy, leased, cursor: this.#cursor, tokens });
    if (key === leased || key === null) return key;
    if (leased !== null) this.#rotated(agent, leased, key);
    this.release(agent.id);
    this.#leases.set(agent.id, key);
    this.#cursor = (key + 1) % this.#keys.length;
    this.#change(key, (state) => ({ ...state, holders: state.holders + 1 }));
    return key;
  }

  #reported(pass: Pass, status: number, headers: ResponseHeaders): void {
    const view = readRateHeaders(headers, this.#options.clock.wallTime());
    this.#notice(pass);
    const isCurrent = pass.round === this.#keyAt(pass.key).gate.round;
    this.#change(pass.key, (key) => ({ ...key, gate: gates.reported(key.gate, view, pass.call) }));
    // The response is newer than what the timer was set for.
    this.#timers.cancel(pass.key, 'reset');
    if (isCurrent && status < 400) this.#widen(pass);
    if (status < 400) this.#outage.answered(pass);
    this.#pump();
  }

  #notice(pass: Pass): void {
    if (pass.isAnswered) return;
    pass.isAnswered = true;
    this.#change(pass.key, (key) => ({ ...key, gate: gates.noticed(key.gate) }));
  }

  #answered(pass: Pass): void {
    this.#notice(pass);
    this.#change(pass.key, (key) => ({ ...key, gate: gates.leave(key.gate) }));
    this.#outage.answered(pass);
    if (pass.round === this.#keyAt(pass.key).gate.round) this.#widen(pass);
    this.#pump();
  }

  #widen(pass: Pass): void {
    if (pass.isWidened) return;
    pass.isWidened = true;
    this.#timers.cancel(pass.key, 'patience');
    this.#change(pass.key, (key) => ({ ...key, gate: gates.widen(key.gate) }));
  }

  #failed(
    pass: Pass,
    verdict: { readonly key: 'keep' | 'limited' | 'out'; readonly delayMs: number },
    { code, detail }: Failure,
  ): void {
    const { key, round } = pass;
    this.#notice(pass);
    this.#change(key, (state) => ({ ...state, gate: gates.leave(state.gate) }));
    if (verdict.key === 'out' && this.#keys.length > 1) {
      const reason = detail?.['status'] === 402 ? 'billing' : 'auth';
      this.#change(key, (state) => disabled(state, reason));
    }
    if (code === 'model_overloaded') {
      this.#change(key, (state) => ({ ...state, gate: gates.narrow(state.gate) }));
    }
    if (verdict.key === 'limited') {
      const before = this.#keyAt(key);
      this.#change(key, (state) => limited(state, round, verdict.delayMs));
      if (this.#keyAt(key) !== before) {
        for (const other of this.#keys.keys()) this.#change(other, braced);
        this.#timers.restart(key, 'wait', verdict.delayMs, () => {
          this.#change(key, recovered);
          this.#pump();
        });
      }
    }
    this.#pump();
  }

  #rotated(agent: KeyRotation['agent'], leased: number, to: number): void {
    const { endpoint, labels, onRotated } = this.#options;
    onRotated({
      agent: { id: agent.id, path: agent.path },
      endpoint,
      from: labels[leased] ?? '',
      to: labels[to] ?? '',
      reason: reasonToLeave(this.#keyAt(leased)),
    });
  }

  #keyAt(index: number): KeyState {
    // Every index comes from the pool itself.
    return this.#keys[index] as KeyState;
  }

  #change(index: number, change: (key: KeyState) => KeyState): void {
    this.#keys[index] = change(this.#keyAt(index));
  }
}
