// Owns the probe: an actor for tests that keeps what it is sent and hands it out in order.
import { type Clock, systemClock } from '../base/clock.ts';
import { describe, TroupeError } from '../base/failures.ts';
import type { Address } from './address.ts';
import { type Behavior, behavior, next } from './behavior.ts';

type Expecting = { readonly settle: (message: unknown) => void };

/**
 * An actor for tests: collects messages; `expectMessage` takes the oldest, waiting for it until a deadline on its clock,
 * the machine's unless given.
 *
 * @example
 * ```js
 * import { behavior, createActorSystem, next } from 'troupe/actor';
 * import { TestProbe } from 'troupe/testing';
 *
 * const counter = behavior({
 *   start: () => 0,
 *   receive(count, message, self) {
 *     self.tell(message.to, { count: count + 1 });
 *     return next(count + 1);
 *   },
 * });
 * const system = createActorSystem();
 * try {
 *   const probe = new TestProbe();
 *   const { address: to } = system.spawnInline(probe.behavior);
 *   const ref = system.spawnInline(counter);
 *   ref.tell({ to });
 *   ref.tell({ to });
 *   console.log(await probe.expectMessage()); // → { count: 1 }
 *   console.log(await probe.expectMessage()); // → { count: 2 }
 * } finally {
 *   await system.close();
 * }
 * ```
 */
export class TestProbe {
  readonly #clock: Clock;
  readonly #received: unknown[] = [];
  readonly #expecting: Expecting[] = [];
  #address: Address | null = null;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** What to spawn inline; whatever reaches it is for `expectMessage`. */
  get behavior(): Behavior<null, unknown, unknown> {
    return behavior<null, unknown, unknown>({
      start: (_args, self) => {
        this.#address = self.address;
        return null;
      },
      receive: (state, message) => {
        const first = this.#expecting.shift();
        if (first === undefined) this.#received.push(message);
        else first.settle(message);
        return next(state);
      },
    });
  }

  /** Where the probe is reached. Throws `invalid_options` until it is spawned. */
  get address(): Address {
    if (this.#address === null)
      throw new TroupeError('invalid_options', 'the probe is not spawned');
    return this.#address;
  }

  /** Messages that no `expectMessage` has taken yet, oldest first. */
  get received(): readonly unknown[] {
    return this.#received;
  }

  /** The oldest message not taken yet. Rejects `ask_timeout` after `timeoutMs`, 5,000 by default. */
  expectMessage(timeoutMs = 5_000): Promise<unknown> {
    if (this.#received.length > 0) return Promise.resolve(this.#received.shift());
    return new Promise((resolve, reject) => {
      const expecting: Expecting = {
        settle: (message) => {
          cancel();
          resolve(message);
        },
      };
      const cancel = this.#clock.after(timeoutMs, () => {
        this.#expecting.splice(this.#expecting.indexOf(expecting), 1);
        reject(new TroupeError('ask_timeout', `the probe got nothing within ${timeoutMs} ms`));
      });
      this.#expecting.push(expecting);
    });
  }

  /** The reason of the next message, which must be a `terminated` notice. */
  async expectExit(timeoutMs?: number): Promise<string> {
    const message = await this.expectMessage(timeoutMs);
    const isNotice =
      typeof message === 'object' &&
      message !== null &&
      'type' in message &&
      message.type === 'terminated' &&
      'reason' in message;
    if (!isNotice) {
      throw new TroupeError('invalid_options', `expected an exit, got ${describe(message)}`);
    }
    return String(message.reason);
  }
}
