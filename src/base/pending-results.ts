// Owns background work until its result is acknowledged: what runs, which calls wait for it, and the one notice of its end.
// Runs nothing, and leaves to its owner how a notice is sent and how many results it accepts.
import { TroupeError } from './failures.ts';

/** Sends the notice of a result; returns how to retract it while it is undelivered, null when none was sent. */
type Notify<Work, Result> = (result: Result, work: Work) => (() => void) | null;

type Pending<Work, Result> = {
  readonly work: Work;
  /** Null while it runs. */
  result: Result | null;
  /** Number of calls that wait for it; each receives its result. */
  waiting: number;
  /** Retracts the notice of its result; null when none was sent. */
  retract: (() => void) | null;
};

/** Work by ids that its owner chooses. Every result is received by the calls that wait for it, or else by one notice. */
export class PendingResults<Work, Result> {
  readonly #notify: Notify<Work, Result>;
  readonly #onAcknowledged: (result: Result, work: Work) => void;
  readonly #pending = new Map<string, Pending<Work, Result>>();
  /** In the order of the ends. */
  readonly #unread = new Map<string, Result>();

  /**
   * `notify` is called for a result that no call waits for, again when a call gives up its wait and no notice was sent;
   * `onAcknowledged` for each result that is forgotten.
   */
  constructor(
    notify: Notify<Work, Result>,
    onAcknowledged: (result: Result, work: Work) => void = () => {},
  ) {
    this.#notify = notify;
    this.#onAcknowledged = onAcknowledged;
  }

  /** Running work and unread results. */
  get size(): number {
    return this.#pending.size;
  }

  /** All work, running or unread, in the order it was added. */
  works(): readonly Work[] {
    return [...this.#pending.values()].map(({ work }) => work);
  }

  /** The work that has no result yet, in the order it was added. */
  running(): readonly Work[] {
    return [...this.#pending.values()].flatMap(({ work, result }) =>
      result === null ? [work] : [],
    );
  }

  /** The unread results, in the order of the ends. */
  results(): readonly Result[] {
    return [...this.#unread.values()];
  }

  /** Running or unread work; null for what is neither. */
  find(id: string): Work | null {
    return this.#pending.get(id)?.work ?? null;
  }

  isUnread(id: string): boolean {
    return this.#unread.has(id);
  }

  /** True while a call waits for it. */
  isAwaited(id: string): boolean {
    return (this.#pending.get(id)?.waiting ?? 0) > 0;
  }

  /** True for an unread result that no call is about to receive. */
  isUnclaimed(id: string): boolean {
    return this.#unread.has(id) && !this.isAwaited(id);
  }

  /** Adds work that runs. */
  add(id: string, work: Work): void {
    this.#pending.set(id, { work, result: null, waiting: 0, retract: null });
  }

  /** Adds work that has ended before; with `isNotified` a notice of it was received, and none is sent. */
  addEnded(id: string, work: Work, result: Result, isNotified: boolean): void {
    this.add(id, work);
    if (isNotified) this.#known(id).retract = () => {};
    this.end(id, result);
  }

  /** The work has ended: keeps its result until it is acknowledged. */
  end(id: string, result: Result): void {
    const pending = this.#known(id);
    pending.result = result;
    this.#unread.set(id, result);
    this.#notifyOnce(id, pending);
  }

  /** Forgets an unread result, and retracts its notice. False for work that runs, and for what is not here. */
  acknowledge(id: string): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined || pending.result === null) return false;
    pending.retract?.();
    this.#pending.delete(id);
    this.#unread.delete(id);
    this.#onAcknowledged(pending.result, pending.work);
    return true;
  }

  /**
   * Waits until `until` settles. Resolves with the result, which is acknowledged then, or with null while the work runs on.
   * Rejects as `until` does; a result that came meanwhile stays unread.
   */
  async wait(id: string, until: Promise<unknown>): Promise<Result | null> {
    const pending = this.#known(id);
    pending.waiting += 1;
    try {
      await until;
      pending.waiting -= 1;
    } catch (reason) {
      pending.waiting -= 1;
      // Its end may have come while the caller gave up its wait.
      this.#notifyOnce(id, pending);
      throw reason;
    }
    if (pending.result !== null) this.acknowledge(id);
    return pending.result;
  }

  #notifyOnce(id: string, pending: Pending<Work, Result>): void {
    if (pending.result === null || pending.retract !== null || !this.isUnclaimed(id)) return;
    pending.retract = this.#notify(pending.result, pending.work);
  }

  #known(id: string): Pending<Work, Result> {
    const pending = this.#pending.get(id);
    if (pending === undefined) throw new TroupeError('internal', `there is no work ${id}`);
    return pending;
  }
}
