// Owns the requests that wait for a thread, in the order in which they are served. Serves none.
import type { SlotUser } from './worker-slot.ts';

/** What holds its thread for a moment goes first, then what has begun before, then what begins. */
type Rank = 0 | 1 | 2;

/** Requests that any thread would serve alike, in their order. */
type Kind = { readonly rank: Rank; readonly users: Map<SlotUser, number> };

export class ThreadQueue {
  /** By rank, profile, modules and target: few, however many wait. */
  readonly #kinds = new Map<string, Kind>();
  readonly #profiles = new WeakMap<object, number>();
  #lastProfile = 0;
  #size = 0;
  #lastOrder = 0;

  get size(): number {
    return this.#size;
  }

  /** Behind those that go before it or came earlier. */
  add(user: SlotUser): void {
    const key = this.#keyOf(user);
    const kind = this.#kinds.get(key) ?? { rank: rankOf(user), users: new Map() };
    this.#kinds.set(key, kind);
    this.#lastOrder += 1;
    this.#size += 1;
    kind.users.set(user, this.#lastOrder);
  }

  /** False when it did not wait. */
  remove(user: SlotUser): boolean {
    const key = this.#keyOf(user);
    const kind = this.#kinds.get(key);
    if (kind?.users.delete(user) !== true) return false;
    if (kind.users.size === 0) this.#kinds.delete(key);
    this.#size -= 1;
    return true;
  }

  of(actor: string): SlotUser | undefined {
    return this.users().find((user) => user.actor === actor);
  }

  /** All of them, in the order in which they are served. */
  users(): readonly SlotUser[] {
    return this.#inOrder(() => true);
  }

  /** The same, but of agents of one kind only the first: what holds of it holds of all that wait behind it. */
  heads(): readonly SlotUser[] {
    return this.#inOrder((user, index) => index === 0 || user.options.target.type !== 'agent');
  }

  clear(): readonly SlotUser[] {
    const all = this.users();
    this.#kinds.clear();
    this.#size = 0;
    return all;
  }

  #inOrder(isTaken: (user: SlotUser, index: number) => boolean): readonly SlotUser[] {
    const taken: { readonly user: SlotUser; readonly rank: Rank; readonly order: number }[] = [];
    for (const { rank, users } of this.#kinds.values()) {
      let index = 0;
      for (const [user, order] of users) {
        if (!isTaken(user, index)) break;
        taken.push({ user, rank, order });
        index += 1;
      }
    }
    if (taken.length > 1) taken.sort((a, b) => a.rank - b.rank || a.order - b.order);
    return taken.map(({ user }) => user);
  }

  #keyOf(user: SlotUser): string {
    const { profile, moduleSet, target } = user.options;
    let number = this.#profiles.get(profile);
    if (number === undefined) {
      this.#lastProfile += 1;
      number = this.#lastProfile;
      this.#profiles.set(profile, number);
    }
    return `${rankOf(user)} ${number} ${target.type} ${moduleSet}`;
  }
}

function rankOf(user: SlotUser): Rank {
  if (isBrief(user)) return 0;
  return user.options.isContinued === true ? 1 : 2;
}

/** It holds its thread for a moment, and others may wait for it while they hold theirs: it is never kept waiting for them. */
export function isBrief({ options: { target } }: SlotUser): boolean {
  return target.type === 'tools';
}
