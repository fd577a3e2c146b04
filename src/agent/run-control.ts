// Owns what reaches a run from outside between its turns: steering messages, a pause. Runs in its thread.
// Does not report what became of them: the run publishes that as run events.
import { whenAborted } from '../base/when-aborted.ts';
import type { Steer, SteerControl } from '../protocol/run-controls.ts';
import type { RunEnd } from '../protocol/run-events.ts';

/**
 * True when a run that reached its goal takes another turn, because steering messages arrived before its end. Any other
 * end does not change, and a run without a turn left keeps its answer (S9).
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

/** The steering of one activation: of its current run, or of its next one. */
export class RunControl {
  #runId: string | null = null;
  #isOn = false;
  #steers: Steer[] = [];
  /** Ids retracted before the run began: their messages may still arrive with the run. */
  readonly #retracted = new Set<string>();
  /** The last pause or resume received; null while there was none. */
  #pauseReceived: boolean | null = null;
  #wake: () => void = () => {};

  /** Steering messages wait that the run has not taken yet. */
  get hasSteers(): boolean {
    return this.#steers.length > 0;
  }

  /** The run does not call its model until it is resumed. */
  get isPaused(): boolean {
    return this.#pauseReceived === true;
  }

  /**
   * A run begins, or continues. `first` are messages that came with it; they precede those received separately. Control
   * messages are newer than what came with the run: a retracted message is not taken, an ended pause is not renewed.
   */
  begin(runId: string, first: readonly Steer[] = [], isPaused = false): void {
    this.#turnTo(runId);
    this.#isOn = true;
    this.#steers = [...first.filter(({ id }) => !this.#retracted.has(id)), ...this.#steers];
    this.#retracted.clear();
    this.#pauseReceived ??= isPaused;
  }

  /** The run is over: messages that it did not take are undelivered, which the supervisor knows. */
  end(): void {
    this.#isOn = false;
    this.#turnTo(null);
  }

  hear(control: SteerControl): void {
    // It is for an earlier run, sent before that run's end was known.
    if (this.#isOn && control.runId !== this.#runId) return;
    this.#turnTo(control.runId);
    switch (control.type) {
      case 'steer':
        this.#steers.push(control.steer);
        break;
      case 'unsay':
        this.#steers = this.#steers.filter(({ id }) => id !== control.id);
        if (!this.#isOn) this.#retracted.add(control.id);
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

  /** The steering messages since the last call, in order; each is taken once. */
  take(): readonly Steer[] {
    return this.#steers.splice(0);
  }

  /** Resolves when the run is no longer paused, or when it is interrupted. */
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
    this.#retracted.clear();
    this.#pauseReceived = null;
  }
}
