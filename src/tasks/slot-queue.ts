// Owns the slots and the queue for them: tasks and spawns in order, parked agents whose answers came. Starts nothing.
import type { Limits } from '../supervision/admission.ts';
import type { Supervision } from './agent-runtime.ts';
import type { PersistentAgent } from './persistent-agent.ts';
import type { Run } from './run.ts';
import type { SlotOwner } from './slot.ts';
import type { TaskRecord } from './task-record.ts';

/** A root that waits, or a child. */
type QueuedItem = TaskRecord | PersistentAgent;

export class SlotQueue {
  readonly #limits: Limits;
  readonly #pickNext: Supervision['pickNext'];
  readonly #tasks = new Set<QueuedItem>();
  readonly #ready = new Set<Run>();
  #live = 0;
  #queuedRoots = 0;
  #lastOrder = 0;
  isPaused = false;

  constructor(limits: Limits, pickNext: Supervision['pickNext']) {
    this.#limits = limits;
    this.#pickNext = pickNext;
  }

  /** Number of slots in use. */
  get live(): number {
    return this.#live;
  }

  get waiting(): number {
    return this.#tasks.size + this.#ready.size;
  }

  get queuedRoots(): number {
    return this.#queuedRoots;
  }

  get isFull(): boolean {
    return this.#live >= this.#limits.maxLiveAgents;
  }

  nextOrder(): number {
    this.#lastOrder += 1;
    return this.#lastOrder;
  }

  takeSlot(owner: SlotOwner): void {
    owner.slot = 'occupied';
    this.#live += 1;
  }

  /** Frees the owner's slot if it has one. */
  freeSlot(owner: SlotOwner, next: 'parked' | 'released'): void {
    if (owner.slot === 'occupied' || owner.slot === 'parking') this.#live -= 1;
    owner.slot = next;
  }

  /** Frees the slot of an unresponsive agent whose thread exited after all. */
  freeUnresponsive(): void {
    this.#live -= 1;
  }

  join(entry: QueuedItem): void {
    if (entry.kind === 'task') entry.state = { status: 'queued' };
    this.#tasks.add(entry);
    if (entry.isRoot) this.#queuedRoots += 1;
  }

  leave(entry: QueuedItem): void {
    if (this.#tasks.delete(entry) && entry.isRoot) this.#queuedRoots -= 1;
  }

  has(entry: QueuedItem): boolean {
    return this.#tasks.has(entry);
  }

  /** Spawned agents that wait for their slot. */
  spawns(): readonly PersistentAgent[] {
    return [...this.#tasks].filter((entry) => entry.kind === 'spawn');
  }

  joinReady(agent: Run): void {
    agent.slot = 'ready';
    agent.order = this.nextOrder();
    this.#ready.add(agent);
  }

  leaveReady(agent: Run): void {
    this.#ready.delete(agent);
  }

  /** The task that came last among those that wait and match. */
  newestOf(matches: (entry: TaskRecord) => boolean): TaskRecord | null {
    let newest: TaskRecord | null = null;
    for (const entry of this.#tasks) if (entry.kind === 'task' && matches(entry)) newest = entry;
    return newest;
  }

  /** Takes the next item that may start now; null when no slot is free or no item may start. */
  takeNext(): QueuedItem | Run | null {
    if (this.isFull) return null;
    const next = this.#pickNext<QueuedItem | Run>(this.#ready, this.isPaused) ?? this.#nextTask();
    if (next === null) return null;
    if (next.kind === 'parked') this.#ready.delete(next);
    else this.leave(next);
    return next;
  }

  #nextTask(): QueuedItem | null {
    // Roots wait in their order, so with nothing but roots the first that may start is the one.
    if (this.#tasks.size === this.#queuedRoots) {
      if (this.isPaused) return null;
      for (const entry of this.#tasks) if (entry.kind !== 'task' || !entry.isPaused) return entry;
      return null;
    }
    return this.#pickNext(this.#tasks, this.isPaused);
  }
}
