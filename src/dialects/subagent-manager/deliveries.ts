// Owns how the end of a background task reaches the main agent: its active run receives it, or it is woken, once (A47).
import { messageAt, toFault } from '../../base/stack.ts';
import type { SubagentResult, TaskBook } from './task-book.ts';

export type DeliveriesOptions = {
  readonly book: TaskBook;
  readonly read: (result: SubagentResult) => void;
  /** Returns the current listener, undefined for none; called for each delivery. */
  readonly onWake: () => ((result: SubagentResult) => unknown) | undefined;
  /** A run of the main agent is active: it receives what ends. */
  readonly isMainRunning: () => boolean;
  readonly warn: (message: string) => void;
};

export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #waking = new Set<SubagentResult>();
  #session: 'on' | 'ending' | 'over' = 'on';

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /**
   * The last run is over: what it left unread wakes the main agent, in the order it ended, one after another, so that the run
   * which one of them begins may pick the others up. True when there is a listener to wake.
   */
  endRun(): boolean {
    if (this.#options.onWake() === undefined) return false;
    void this.#wakeUnread();
    return true;
  }

  /** The session is being ended: a task that ends now wakes no agent, and its result is kept for the handover (A74). */
  beginEnd(): void {
    this.#session = 'ending';
  }

  /** The session is over: a result from now on has no reader, and counts as read. */
  endSession(): void {
    this.#session = 'over';
  }

  /** A task has ended, or the call that waited for it gave up: its result is unread, and no call waits for it. */
  notify(result: SubagentResult): void {
    if (this.#session === 'over') this.#options.read(result);
    if (this.#session === 'on' && !this.#options.isMainRunning()) void this.#wake(result);
  }

  async #wakeUnread(): Promise<void> {
    const { book, isMainRunning } = this.#options;
    const unread = [...book.unread()].sort((a, b) => a.completedAt - b.completedAt);
    for (const result of unread) {
      // The caller may begin the next run at once, and it picks up what is left.
      await null;
      if (isMainRunning() || this.#session !== 'on') return;
      if (book.isUnclaimed(result)) await this.#wake(result);
    }
  }

  async #wake(result: SubagentResult): Promise<void> {
    const { read, onWake, warn } = this.#options;
    const wake = onWake();
    if (wake === undefined || this.#waking.has(result)) return;
    this.#waking.add(result);
    try {
      await wake(result);
      read(result);
    } catch (thrown) {
      const { agentName, taskId } = result;
      const message = messageAt(toFault(thrown, 'crashed'));
      warn(`the end of task ${taskId} of subagent "${agentName}" was not heard: ${message}`);
    } finally {
      this.#waking.delete(result);
    }
  }
}
