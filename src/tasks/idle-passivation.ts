// Owns which persistent agents are idle, since when, and which gives up its thread: on demand, or after a timeout (P1).
// Leaves out how an agent is activated again (activations.ts).
import type { Exit } from '../actor/exit.ts';
import type { CancelTimer, Clock } from '../base/clock.ts';
import { type Failure, failure } from '../base/failures.ts';
import type { Agent } from './state.ts';

export class IdlePassivation {
  readonly #clock: Clock;
  readonly #afterMs: number;
  /** Idle agents with a thread, the longest idle first; the timer that ends that. */
  readonly #idle = new Map<Agent, CancelTimer>();

  constructor(clock: Clock, afterMs: number) {
    this.#clock = clock;
    this.#afterMs = afterMs;
  }

  /** True when a queued item could take over the thread of an idle agent. */
  get hasIdle(): boolean {
    return this.#idle.size > 0;
  }

  /** The agent has a thread and no run. */
  idle(agent: Agent): void {
    // One that could not give its thread up would be asked for ever.
    if (this.#idle.has(agent) || agent.hasStayed) return;
    const cancel = this.#clock.after(this.#afterMs, () => agent.cell?.passivation.begin());
    this.#idle.set(agent, cancel);
  }

  /** It has a run again, has no thread any more, or is over. */
  leave(agent: Agent): void {
    const cancel = this.#idle.get(agent);
    if (cancel === undefined) return;
    cancel();
    this.#idle.delete(agent);
    agent.cell?.passivation.stay();
  }

  /** Asks so many idle agents for their threads; false when none has one to give. */
  makeSpace(count: number): boolean {
    let asked = 0;
    for (const { cell } of this.#idle.keys()) {
      if (asked >= count) break;
      cell?.passivation.begin();
      asked += 1;
    }
    return asked > 0;
  }
}

/** How a run ended that was to begin with an activation which could not be made (P2). */
export function failedActivation(path: string, cause: Failure): Exit {
  const message = `${path} could not be activated: ${cause.message}`;
  const detail = { cause };
  return {
    reason: 'spawn_failed',
    failure: failure('activation_failed', message, { retryable: true, detail }),
  };
}
