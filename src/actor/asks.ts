// Owns pending asks: one-shot reply addresses with a deadline, and the waits-for graph that finds a cycle (M7).
import type { CancelTimer, Clock, ProcessRef } from '../base/clock.ts';
import { type Failure, failure, TroupeError } from '../base/failures.ts';
import type { Address } from './address.ts';

type PendingAsk = {
  readonly from: Address | null;
  readonly to: Address;
  readonly deadline: number;
  readonly settle: (value: unknown) => void;
  readonly fail: (error: TroupeError) => void;
};

/** Every ask that waits for its reply. An ask settles once: by reply, by failure, or by its deadline. */
export class AskTable {
  readonly #clock: Clock;
  readonly #processRef: ProcessRef;
  readonly #pending = new Map<number, PendingAsk>();
  /** Waits of actors for each other, for asks made inside a receive that has not ended: askId to target, by asker. */
  readonly #waits = new Map<string, Map<number, string>>();
  /** Called with the receiver of an ask that has expired, before the ask rejects. */
  onExpired: ((to: Address) => void) | null = null;
  /** Called when an actor waits for one actor more, or for one less but still for others: for the deadlock watch. */
  onWaitsChanged: (() => void) | null = null;
  #lastId = 0;
  #lateReplies = 0;
  #sweepAt = Number.POSITIVE_INFINITY;
  #cancelSweep: CancelTimer | null = null;

  constructor(clock: Clock, processRef: ProcessRef) {
    this.#clock = clock;
    this.#processRef = processRef;
  }

  /** Replies that came after their deadline: counted, never delivered (M7). */
  get lateReplies(): number {
    return this.#lateReplies;
  }

  get size(): number {
    return this.#pending.size;
  }

  isPending(askId: number): boolean {
    return this.#pending.has(askId);
  }

  /** Registers an ask; `send` hands its id on. Rejects at `deadline` with `ask_timeout`. */
  open(ask: {
    readonly from: Address | null;
    readonly to: Address;
    readonly deadline: number;
    readonly send: (askId: number) => void;
  }): Promise<unknown> {
    this.#lastId += 1;
    const askId = this.#lastId;
    const { from, to, deadline } = ask;
    const reply = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(askId, { from, to, deadline, settle: resolve, fail: reject });
    });
    if (from === null) this.#processRef.enter();
    else this.#wait(from.id, askId, to.id);
    this.#sweepBy(deadline);
    ask.send(askId);
    return reply;
  }

  /** Delivers the one reply of an ask. */
  reply(askId: number, value: unknown): void {
    const pending = this.#close(askId);
    if (pending === null) this.#lateReplies += 1;
    else pending.settle(value);
  }

  /** Rejects an ask; does nothing when it is settled already. */
  fail(askId: number, reason: Failure): void {
    this.#close(askId)?.fail(TroupeError.from(reason));
  }

  /** Rejects every ask: the system closes. */
  failAll(reason: Failure): void {
    for (const askId of [...this.#pending.keys()]) this.fail(askId, reason);
    this.#stopSweep();
  }

  /**
   * True when `from`, by waiting for `to`, would wait for itself: every actor on the way waits in its receive.
   * The asks of the host program are made outside of any receive, so they close no cycle.
   */
  closesCycle(from: Address, to: Address): boolean {
    if (from.id === to.id) return true;
    const seen = new Set<string>([to.id]);
    const front = [to.id];
    for (let at = front.pop(); at !== undefined; at = front.pop()) {
      for (const target of this.#waits.get(at)?.values() ?? []) {
        if (target === from.id) return true;
        if (seen.has(target)) continue;
        seen.add(target);
        front.push(target);
      }
    }
    return false;
  }

  /** The actors that `id` waits for in its receive. */
  waitsOf(id: string): readonly string[] {
    return [...(this.#waits.get(id)?.values() ?? [])];
  }

  /** `from` waits in its receive for the start of `to`, until the returned function is called. */
  waitFor(from: Address, to: Address): () => void {
    this.#lastId += 1;
    const waitId = this.#lastId;
    this.#wait(from.id, waitId, to.id);
    return () => this.#stopWaiting(from.id, waitId);
  }

  /** A receive of `id` is over: an ask that it did not await no longer counts as a wait. */
  receiveEnded(id: string): void {
    if (this.#waits.size > 0) this.#waits.delete(id);
  }

  #wait(from: string, askId: number, to: string): void {
    const waits = this.#waits.get(from);
    if (waits === undefined) this.#waits.set(from, new Map([[askId, to]]));
    else waits.set(askId, to);
    this.onWaitsChanged?.();
  }

  #stopWaiting(from: string, askId: number): void {
    const waits = this.#waits.get(from);
    if (waits?.delete(askId) !== true) return;
    if (waits.size === 0) this.#waits.delete(from);
    else this.onWaitsChanged?.();
  }

  #close(askId: number): PendingAsk | null {
    const pending = this.#pending.get(askId) ?? null;
    if (pending === null) return null;
    this.#pending.delete(askId);
    if (pending.from === null) this.#processRef.leave();
    else this.#stopWaiting(pending.from.id, askId);
    return pending;
  }

  #stopSweep(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = null;
    this.#sweepAt = Number.POSITIVE_INFINITY;
  }

  /**
   * One timer serves all asks: it moves only to an earlier deadline and keeps running after the last ask is settled,
   * since the next ask mostly comes before it fires.
   */
  #sweepBy(deadline: number): void {
    if (deadline >= this.#sweepAt) return;
    this.#cancelSweep?.();
    this.#sweepAt = deadline;
    this.#cancelSweep = this.#clock.after(deadline - this.#clock.now(), () => this.#sweep());
  }

  #sweep(): void {
    this.#stopSweep();
    const now = this.#clock.now();
    let earliest = Number.POSITIVE_INFINITY;
    for (const [askId, pending] of this.#pending) {
      if (pending.deadline <= now) {
        this.onExpired?.(pending.to);
        this.fail(askId, failure('ask_timeout', `${pending.to.path} did not reply in time`));
      } else {
        earliest = Math.min(earliest, pending.deadline);
      }
    }
    if (earliest !== Number.POSITIVE_INFINITY) this.#sweepBy(earliest);
  }
}
