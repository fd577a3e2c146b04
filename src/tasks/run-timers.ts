// Owns the timers of one run: idle, total, and one per tool call; which of them are paused together (V8).
import type { IdleClock } from '../supervision/idle-clock.ts';
import type { PausableTimer } from './pausable-timer.ts';

/** The time of one call: of its work, or of all of it. */
type CallTimer = { readonly timer: PausableTimer; readonly counts: 'work' | 'everything' };

export class RunTimers {
  idle: IdleClock | null = null;
  /** The total clock: its probe and its end. */
  total: readonly PausableTimer[] = [];
  /** Made on first use: most tools have no time of their own. */
  #ofCalls: Map<string, CallTimer> | null = null;
  #paused: readonly PausableTimer[] | null = null;

  /** Replaces the timer of a call; a timer that counts only work is paused while the call waits. */
  setCall(callId: string, timer: PausableTimer, counts: CallTimer['counts']): void {
    this.#ofCalls?.get(callId)?.timer.cancel();
    this.#ofCalls ??= new Map();
    this.#ofCalls.set(callId, { timer, counts });
  }

  stopCall(callId: string): void {
    this.#ofCalls?.get(callId)?.timer.cancel();
    this.#ofCalls?.delete(callId);
  }

  /** A call begins to wait for what the supervisor ends: children, a person. Returns how to end the wait. */
  beginWait(callId: string): () => void {
    const known = this.#ofCalls?.get(callId);
    if (known?.counts !== 'work') return () => {};
    known.timer.suspend();
    return () => known.timer.release();
  }

  /** Pauses the clocks of the run, and those of the calls; returns how to resume them. */
  suspend(callIds: readonly string[]): () => void {
    const ofCalls = callIds.flatMap((id) => this.#ofCalls?.get(id)?.timer ?? []);
    const paused = [...ofCalls, ...this.total, ...(this.idle === null ? [] : [this.idle])];
    for (const each of paused) each.suspend();
    return () => {
      for (const each of paused) each.release();
    };
  }

  /** The run is ready: no call of it gets on before it has a thread (W8). */
  pauseCalls(): void {
    if (this.#paused !== null) return;
    this.#paused = [...(this.#ofCalls?.values() ?? [])].map(({ timer }) => timer);
    for (const timer of this.#paused) timer.suspend();
  }

  resumeCalls(): void {
    for (const timer of this.#paused ?? []) timer.release();
    this.#paused = null;
  }

  /** No clock of the run runs any more. */
  stop(): void {
    this.idle?.stop();
    this.idle = null;
    for (const timer of this.total) timer.cancel();
    for (const { timer } of this.#ofCalls?.values() ?? []) timer.cancel();
    this.#ofCalls = null;
  }
}
