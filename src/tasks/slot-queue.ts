// Owns the places of live agents and the queue for them: agents that wait for their first or next one, and those that waited for
// children and go on. Starts nothing.
import type { Limits } from '../supervision/admission.ts';
import { AdmissionOrder } from '../supervision/admission-order.ts';
import type { Agent } from './state.ts';

export class SlotQueue {
  readonly #limits: Limits;
  readonly #order = new AdmissionOrder<Agent>();
  #live = 0;
  /** Roots whose runs are on, with places and without. */
  readonly #openRoots = new Set<Agent>();
  isPaused = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Number of agents that are counted as live. */
  get live(): number {
    return this.#live;
  }

  get waiting(): number {
    return this.#order.size;
  }

  get queuedRoots(): number {
    return this.#order.roots;
  }

  get isFull(): boolean {
    return this.#live >= this.#limits.maxLiveAgents;
  }

  /** Counts the agent as live, whatever the limit. */
  takeSlot(agent: Agent): void {
    if (agent.isLive) return;
    agent.slot = 'occupied';
    this.#live += 1;
    if (agent.isRoot) this.#openRoots.add(agent);
  }

  /** Frees the agent's slot if it has one. */
  freeSlot(agent: Agent, next: 'yielded' | 'released'): void {
    if (agent.isLive) this.#live -= 1;
    agent.slot = next;
    if (next === 'released') this.#openRoots.delete(agent);
  }

  /** Frees the slot of an unresponsive agent whose thread exited after all. */
  freeUnresponsive(): void {
    this.#live -= 1;
  }

  join(agent: Agent): void {
    this.#order.add(agent);
  }

  /** What a run waited for without a thread is there: its agent goes before all that wait for a first place. */
  joinReady(agent: Agent): void {
    agent.slot = 'ready';
    this.#order.add(agent);
  }

  leave(agent: Agent): void {
    this.#order.delete(agent);
    this.#openRoots.delete(agent);
  }

  has(agent: Agent): boolean {
    return this.#order.has(agent);
  }

  /** Agents that wait for a first place and no run has asked for. */
  persistent(): readonly Agent[] {
    return [...this.#order.first()].filter(({ lifetime }) => lifetime === 'persistent');
  }

  /** Takes the next agent that may have a place now; null when none is free or none may start. */
  takeNext(): Agent | null {
    if (this.isFull) return null;
    // Trees that are opened faster than they end would all be open at last.
    const isFull = this.#openRoots.size >= this.#limits.maxLiveAgents;
    return this.#order.take({ isPaused: this.isPaused, isFull });
  }
}
