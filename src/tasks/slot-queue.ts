// Owns the places of live agents and the queue for them: agents that wait for their first or next one, and those that waited for
// children and go on. Starts nothing.
import { type Limits, pickNext } from '../supervision/admission.ts';
import type { Agent } from './state.ts';

export class SlotQueue {
  readonly #limits: Limits;
  readonly #waiting = new Set<Agent>();
  readonly #ready = new Set<Agent>();
  #live = 0;
  #queuedRoots = 0;
  #lastOrder = 0;
  isPaused = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Number of agents that are counted as live. */
  get live(): number {
    return this.#live;
  }

  get waiting(): number {
    return this.#waiting.size + this.#ready.size;
  }

  get queuedRoots(): number {
    return this.#queuedRoots;
  }

  get isFull(): boolean {
    return this.#live >= this.#limits.maxLiveAgents;
  }

  /** Counts the agent as live, whatever the limit. */
  takeSlot(agent: Agent): void {
    if (agent.isLive) return;
    agent.slot = 'occupied';
    this.#live += 1;
  }

  /** Frees the agent's slot if it has one. */
  freeSlot(agent: Agent, next: 'yielded' | 'released'): void {
    if (agent.isLive) this.#live -= 1;
    agent.slot = next;
  }

  /** Frees the slot of an unresponsive agent whose thread exited after all. */
  freeUnresponsive(): void {
    this.#live -= 1;
  }

  join(agent: Agent): void {
    agent.order = this.#nextOrder();
    this.#waiting.add(agent);
    if (agent.isRoot) this.#queuedRoots += 1;
  }

  /** The children that an agent waited for have ended: it goes before all that wait for a first slot. */
  joinReady(agent: Agent): void {
    agent.slot = 'ready';
    agent.order = this.#nextOrder();
    this.#ready.add(agent);
  }

  leave(agent: Agent): void {
    this.#ready.delete(agent);
    if (this.#waiting.delete(agent) && agent.isRoot) this.#queuedRoots -= 1;
  }

  has(agent: Agent): boolean {
    return this.#waiting.has(agent);
  }

  /** Agents that wait for a slot and no run has asked for. */
  persistent(): readonly Agent[] {
    return [...this.#waiting].filter(({ lifetime }) => lifetime === 'persistent');
  }

  /** Takes the next agent that may have a slot now; null when none is free or none may start. */
  takeNext(): Agent | null {
    if (this.isFull) return null;
    const next = pickNext(this.#ready, this.isPaused) ?? this.#nextWaiting();
    if (next !== null) this.leave(next);
    return next;
  }

  #nextWaiting(): Agent | null {
    // Roots wait in their order, so with nothing but roots the first that may start is the one.
    if (this.#waiting.size === this.#queuedRoots) {
      if (this.isPaused) return null;
      for (const agent of this.#waiting) if (!agent.isPaused) return agent;
      return null;
    }
    return pickNext(this.#waiting, this.isPaused);
  }

  #nextOrder(): number {
    this.#lastOrder += 1;
    return this.#lastOrder;
  }
}
