// Owns who gets a slot: admission, the order of those that wait, which run gives its slot up (V7). Starts and ends nothing itself.
import type { AdmissionRequest, Decision, Limits } from '../supervision/admission.ts';
import { rootOfProgram } from './admission-request.ts';
import type { AgentRuntime, Supervision } from './agent-runtime.ts';
import type { IdlePassivation } from './idle-passivation.ts';
import { goesOn, runToPark } from './parking.ts';
import type { EndOfWaiting } from './refusals.ts';
import { newestInDeadlock, slotDeadlock } from './slot-deadlock.ts';
import type { SlotQueue } from './slot-queue.ts';
import type { Agent, Run } from './state.ts';
import type { TaskRegistry } from './task-registry.ts';

export type SlotsOptions = {
  readonly registry: TaskRegistry;
  readonly queue: SlotQueue;
  readonly runtime: AgentRuntime;
  readonly idlePassivation: IdlePassivation;
  readonly limits: Limits;
  readonly supervision: Supervision;
  /** Gives an agent a slot and an activation. */
  readonly activate: (agent: Agent) => void;
  /** Ends what waits for an agent that will never have a slot. */
  readonly refuse: (agent: Agent, end: EndOfWaiting) => void;
};

type Admitted = Exclude<Decision, { readonly type: 'reject' }>;

export class Slots {
  readonly #options: SlotsOptions;
  /** Nothing starts any more. */
  isClosed = false;
  #isPumping = false;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  admit(request: AdmissionRequest): Decision {
    const { supervision, limits, idlePassivation, queue } = this.#options;
    const load = {
      live: queue.live,
      ahead: queue.waiting,
      queuedRoots: queue.queuedRoots,
      isPaused: queue.isPaused,
      isClosed: this.isClosed,
    };
    // Slots of idle agents do not count as overflow: they are reclaimed and the task is queued.
    const now = idlePassivation.hasIdle ? { ...limits, overflow: 'queue' as const } : limits;
    return supervision.admit(request, load, now);
  }

  /** An agent that the program spawns, or that has a run again. */
  admitRoot(): Decision {
    return this.admit(rootOfProgram);
  }

  /** Gives an agent that is admitted a slot, or its place in the queue. */
  enter(agent: Agent, verdict: Admitted): void {
    if (verdict.type === 'start') {
      this.#options.activate(agent);
    } else {
      this.#options.queue.join(agent);
      this.pump();
    }
  }

  /** Hands free slots out in order; with none free, asks an agent that only waits for its own. */
  pump(): void {
    if (this.#isPumping || this.isClosed) return;
    const { queue, activate } = this.#options;
    this.#isPumping = true;
    for (let next = queue.takeNext(); next !== null; next = queue.takeNext()) activate(next);
    this.#isPumping = false;
    this.parkIfNeeded();
  }

  /** What the calls of a run wait for has changed. */
  waitChanged(run: Run): void {
    const { queue } = this.#options;
    if (run.agent.slot !== 'parked') {
      this.parkIfNeeded();
    } else if (goesOn(run)) {
      // Nothing that it waits for is left: it goes to the head of the queue.
      queue.joinReady(run.agent);
      this.pump();
    }
  }

  /** Asks for the slot of an agent that is idle or only waits, when others wait for one and none is free. */
  parkIfNeeded(): void {
    const { queue, idlePassivation, registry, runtime, refuse } = this.#options;
    if (queue.waiting === 0 || !queue.isFull) return;
    if (idlePassivation.makeSpace(queue.waiting)) return;
    const run = runToPark(registry.runs());
    if (run === null) {
      const stuck = newestInDeadlock(registry.agents.values(), queue);
      if (stuck !== null) refuse(stuck, slotDeadlock);
      return;
    }
    run.agent.slot = 'parking';
    runtime.control(run.cell, { type: 'park' });
  }
}
