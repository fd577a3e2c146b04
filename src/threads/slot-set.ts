// Owns the slots of a pool and what is asked about them: which is free for a request, which could serve it, how many come and go.
// Opens and ends none.
import type { LoopUse } from './loop-use.ts';
import type { SlotUser, WorkerSlot } from './worker-slot.ts';

type Threads = WorkerSlot['threads'];

export class SlotSet {
  /** Oldest first. */
  readonly #slots = new Set<WorkerSlot>();

  get size(): number {
    return this.#slots.size;
  }

  [Symbol.iterator](): Iterator<WorkerSlot> {
    return this.#slots[Symbol.iterator]();
  }

  add(slot: WorkerSlot): void {
    this.#slots.add(slot);
  }

  delete(slot: WorkerSlot): void {
    this.#slots.delete(slot);
  }

  /** Threads that are on their way. */
  get opening(): number {
    return this.#count(({ isOpening }) => isOpening);
  }

  /** Threads that are not on their way out. */
  get staying(): number {
    return this.#count(({ status }) => status !== 'dying');
  }

  /** Actors whose activations have them. */
  holders(): readonly string[] {
    const actors: string[] = [];
    for (const { user } of this.#slots) if (user !== null) actors.push(user.actor);
    return actors;
  }

  /** Event loops of the threads that are there. */
  loops(): readonly LoopUse[] {
    return [...this.#slots].flatMap(({ loop }) => (loop === null ? [] : [loop]));
  }

  /** Null when no thread is idle. */
  get idle(): WorkerSlot | null {
    for (const slot of this.#slots) if (slot.isFree) return slot;
    return null;
  }

  /**
   * The idle slot that serves a request best: one that keeps the actor's conversation, then one with the same modules, then
   * one that has loaded none.
   */
  freeFor({ actor, options: { moduleSet } }: SlotUser, threads: Threads): WorkerSlot | null {
    let same: WorkerSlot | null = null;
    let pristine: WorkerSlot | null = null;
    for (const slot of this.#slots) {
      if (!slot.isFree || slot.threads !== threads) continue;
      if (slot.moduleSet === null) pristine ??= slot;
      if (slot.moduleSet !== moduleSet) continue;
      if (slot.kept.conversations.has(actor)) return slot;
      same ??= slot;
    }
    return same ?? pristine;
  }

  /** A thread there is, busy or on its way, could serve the request once it is free. */
  canServe({ options: { moduleSet } }: SlotUser, threads: Threads): boolean {
    for (const slot of this.#slots) {
      if (slot.status === 'dying' || slot.threads !== threads) continue;
      if (slot.moduleSet === null || slot.moduleSet === moduleSet) return true;
    }
    return false;
  }

  #count(matches: (slot: WorkerSlot) => boolean): number {
    let count = 0;
    for (const slot of this.#slots) if (matches(slot)) count += 1;
    return count;
  }
}
