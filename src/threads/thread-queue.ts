// Owns the requests that wait for a thread, in the order in which they are served. Serves none.
import type { SlotUser } from './worker-slot.ts';

export class ThreadQueue {
  readonly #waiting: SlotUser[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  /** Behind those that go before it or came earlier. */
  add(user: SlotUser): void {
    const rank = rankOf(user);
    let at = this.#waiting.length;
    while (at > 0 && rankOf(this.#waiting[at - 1]) > rank) at -= 1;
    this.#waiting.splice(at, 0, user);
  }

  /** False when it did not wait. */
  remove(user: SlotUser): boolean {
    const at = this.#waiting.indexOf(user);
    if (at >= 0) this.#waiting.splice(at, 1);
    return at >= 0;
  }

  of(actor: string): SlotUser | undefined {
    return this.#waiting.find((user) => user.actor === actor);
  }

  /** In the order in which they are served. */
  get users(): readonly SlotUser[] {
    return this.#waiting;
  }

  clear(): readonly SlotUser[] {
    return this.#waiting.splice(0);
  }
}

/** What holds its thread for a moment goes first, then what has begun before, then what begins. */
function rankOf(user: SlotUser | undefined): number {
  if (user === undefined) return 0;
  if (isBrief(user)) return 0;
  return user.options.isContinued === true ? 1 : 2;
}

/** It holds its thread for a moment, and others may wait for it while they hold theirs: it is never kept waiting for them. */
export function isBrief({ options: { target } }: SlotUser): boolean {
  return target.type === 'tools';
}
