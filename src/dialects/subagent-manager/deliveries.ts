// Owns how the end of a background task reaches the main agent: its active run receives it, or it is woken, once (A47).
import { messageAt, toFault } from '../../base/stack.ts';
import type { SubagentResult, TaskBook } from './task-book.ts';

export type DeliveriesOptions = {
  readonly book: TaskBook;
  readonly read: (agent: string, taskId: string) => void;
  /** Returns the current listener, undefined for none; called for each delivery. */
  readonly onWake: () => ((result: SubagentResult) => unknown) | undefined;
  /** A run of the main agent is active: it receives what ends. */
  readonly isMainRunning: () => boolean;
  readonly warn: (message: string) => void;
};

export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** Calls that wait for a task. */
  readonly #attended = new Map<string, number>();
  readonly #waking = new Set<string>();
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

  /** A call waits for a task: the call receives its end. Returns a function that ends the wait. */
  attend(agent: string, taskId: string): () => void {
    const key = `${agent}#${taskId}`;
    this.#attended.set(key, (this.#attended.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#attended.get(key) ?? 1) - 1;
      if (left > 0) this.#attended.set(key, left);
      else this.#attended.delete(key);
    };
  }

  /** A task has ended, and its result is stored; or the call that waited for it gave up, and the result is unread. */
  ended(agent: string, taskId: string): void {
    const key = `${agent}#${taskId}`;
    if (this.#session === 'over') this.#options.read(agent, taskId);
    if (this.#session !== 'on') return;
    if (this.#options.isMainRunning() || this.#attended.has(key)) return;
    void this.#wake(agent, taskId, key);
  }

  async #wakeUnread(): Promise<void> {
    const { book, isMainRunning } = this.#options;
    const unread = [...book.unread()].sort((a, b) => a.completedAt - b.completedAt);
    for (const { agentName, taskId } of unread) {
      // The caller may begin the next run at once, and it picks up what is left.
      await null;
      if (isMainRunning() || this.#session !== 'on') return;
      const key = `${agentName}#${taskId}`;
      if (this.#attended.has(key) || !book.isUnread(agentName, taskId)) continue;
      await this.#wake(agentName, taskId, key);
    }
  }

  async #wake(agent: string, taskId: string, key: string): Promise<void> {
    const { book, read, onWake, warn } = this.#options;
    const wake = onWake();
    const result = book.result(agent, taskId);
    if (wake === undefined || result === null || this.#waking.has(key)) return;
    this.#waking.add(key);
    try {
      await wake(result);
      read(agent, taskId);
    } catch (thrown) {
      const message = messageAt(toFault(thrown, 'crashed'));
      warn(`the end of task ${taskId} of subagent "${agent}" was not heard: ${message}`);
    } finally {
      this.#waking.delete(key);
    }
  }
}
