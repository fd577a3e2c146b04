// Owns what reaches a run from outside between its turns: words for its conversation, a pause. Runs in its thread.
// Leaves out who is told what became of it: the run says so by its notes.

import { whenAborted } from '../base/when-aborted.ts';
import type { RunEnd } from './run-messages.ts';

/** Words for a run, with the id by which it confirms that it took them. */
export type Steer = { readonly id: string; readonly text: string };

/** Control messages about one run; they may arrive before its own message does. */
export type SteerControl =
  | { readonly type: 'steer'; readonly runId: string; readonly steer: Steer }
  /** Words that were said are taken back, unless the run has taken them. */
  | { readonly type: 'unsay'; readonly runId: string; readonly id: string }
  | { readonly type: 'pause' | 'resume'; readonly runId: string };

/**
 * True when a run that has ended well takes another turn for words that came meanwhile: whoever said them in time wants
 * them to count. Any other end stays what it is, and a run without a turn left keeps its answer (S9).
 */
export function goesOn(facts: {
  readonly end: RunEnd;
  readonly hasSteers: boolean;
  readonly turn: number;
  readonly maxTurns: number;
  readonly isInterrupted: boolean;
}): boolean {
  const { end, hasSteers, turn, maxTurns, isInterrupted } = facts;
  return end.exitReason === 'goal' && hasSteers && turn < maxTurns && !isInterrupted;
}

/** The steering of one activation: of the run that is on, or of the one that comes next. */
export class RunControl {
  #runId: string | null = null;
  #isOn = false;
  #steers: Steer[] = [];
  /** Taken back before the run began: they may come with it. */
  readonly #unsaid = new Set<string>();
  /** What was heard last; null as long as nothing was. */
  #pauseReceived: boolean | null = null;
  #wake: () => void = () => {};

  /** Somebody has said something that the run has not taken yet. */
  get hasSteers(): boolean {
    return this.#steers.length > 0;
  }

  /** It is to ask its model nothing until it is resumed. */
  get isPaused(): boolean {
    return this.#pauseReceived === true;
  }

  /**
   * A run begins, or continues. `first` are words that came with it, said before those that came by themselves. What
   * came with a run is older than what was heard of it: words that were taken back, or a pause that is over, stay so.
   */
  begin(runId: string, first: readonly Steer[] = [], isPaused = false): void {
    this.#turnTo(runId);
    this.#isOn = true;
    this.#steers = [...first.filter(({ id }) => !this.#unsaid.has(id)), ...this.#steers];
    this.#unsaid.clear();
    this.#pauseReceived ??= isPaused;
  }

  /** The run is over: what it did not take was missed, and the supervisor knows. */
  end(): void {
    this.#isOn = false;
    this.#turnTo(null);
  }

  hear(control: SteerControl): void {
    // It was sent before the end of an earlier run was known.
    if (this.#isOn && control.runId !== this.#runId) return;
    this.#turnTo(control.runId);
    switch (control.type) {
      case 'steer':
        this.#steers.push(control.steer);
        break;
      case 'unsay':
        this.#steers = this.#steers.filter(({ id }) => id !== control.id);
        if (!this.#isOn) this.#unsaid.add(control.id);
        break;
      case 'pause':
        this.#pauseReceived = true;
        break;
      case 'resume':
        this.#pauseReceived = false;
        this.#wake();
        break;
    }
  }

  /** What was said since it was asked last, in order; each is taken once. */
  take(): readonly Steer[] {
    return this.#steers.splice(0);
  }

  /** Resolves when nobody holds the run any more, or when it is interrupted. */
  released(signal: AbortSignal): Promise<void> {
    if (!this.isPaused || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        stop();
        resolve();
      };
      this.#wake = wake;
      const stop = whenAborted(signal, wake);
    });
  }

  #turnTo(runId: string | null): void {
    if (this.#runId === runId) return;
    this.#runId = runId;
    this.#steers = [];
    this.#unsaid.clear();
    this.#pauseReceived = null;
  }
}
