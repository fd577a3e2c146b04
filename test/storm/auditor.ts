// Owns what the storm is judged by: an inline actor that hears of every message, birth and end.
import { expect } from 'vitest';
import type { ActorRef, ActorSystem, Behavior } from '#src/actor.js';
import { behavior, next } from '#src/actor.js';

type Address = ActorRef['address'];

type SteerModel =
  | { readonly got: number; readonly from: string; readonly to: string }
  | { readonly born: Address }
  | { readonly watch: Address }
  | { readonly type: 'terminated'; readonly actor: Address; readonly reason: string }
  | { readonly untilIdle: true };

export class Auditor {
  readonly ref: ActorRef;
  /** Every actor that ever told its birth. */
  readonly born = new Map<string, Address>();
  readonly #lastOf = new Map<string, number>();
  readonly #watched = new Set<string>();
  readonly #notices = new Map<string, number>();
  readonly #faults: string[] = [];

  constructor(system: ActorSystem) {
    // Its own mail is not what is judged: there is room for all of it.
    const mailbox = { maxMessages: 1_000_000, maxBytes: 1024 ** 3 };
    this.ref = system.spawnInline(this.#behavior(), { mailbox });
  }

  watch(actor: Address): void {
    this.#watched.add(actor.id);
    this.ref.tell({ watch: actor });
  }

  /** Resolves when everything that was on its way to the auditor has been heard. */
  untilIdle(): Promise<unknown> {
    return this.ref.ask({ untilIdle: true }, { timeoutMs: 60_000 });
  }

  /** After the end of every actor: order held, and each watch has had its one notice (M3, M10, V5). */
  judge(): void {
    expect(this.#faults).toEqual([]);
    const counts = [...this.#watched].map((id) => [id, this.#notices.get(id) ?? 0]);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
  }

  #behavior(): Behavior<null, SteerModel, unknown> {
    return behavior<null, SteerModel>({
      start: () => null,
      receive: (state, message, self) => {
        if ('got' in message) this.#got(message);
        else if ('born' in message) this.born.set(message.born.id, message.born);
        else if ('watch' in message) self.watch(message.watch);
        else if ('actor' in message) this.#terminated(message.actor);
        else self.reply(true);
        return next(state);
      },
    });
  }

  /** Numbers only grow between two actors: what comes twice or too late is a fault. */
  #got({ got, from, to }: Extract<SteerModel, { got: number }>): void {
    const pair = `${from} to ${to}`;
    const last = this.#lastOf.get(pair) ?? -1;
    if (got <= last) this.#faults.push(`${pair}: ${got} after ${last}`);
    this.#lastOf.set(pair, got);
  }

  #terminated({ id }: Address): void {
    this.#notices.set(id, (this.#notices.get(id) ?? 0) + 1);
  }
}
