// Owns what reaches an agent for a run that has not begun yet: steering messages, a pause. Runs in its thread.
import type { Steer, SteerControl } from '../protocol/run-controls.ts';
import type { EarlyControls } from './run/run-state.ts';

/** The controls of the agent's next run, while it has none. */
export class ControlsBeforeRun {
  #runId: string | null = null;
  #steers: Steer[] = [];
  /** Ids retracted before the run began: their messages may still arrive with the run. */
  readonly #retracted = new Set<string>();
  /** The last pause or resume received; null while there was none. */
  #pauseReceived: boolean | null = null;

  /**
   * A run begins, or continues: the controls that it starts with. `first` are messages that came with it; they precede
   * those received separately. Control messages are newer than what came with the run: a retracted message is not taken,
   * an ended pause is not renewed.
   */
  begin(runId: string, first: readonly Steer[] = [], isPaused = false): EarlyControls {
    this.#turnTo(runId);
    const steers = [...first.filter(({ id }) => !this.#retracted.has(id)), ...this.#steers];
    const early = { steers, isPaused: this.#pauseReceived ?? isPaused };
    this.#turnTo(null);
    return early;
  }

  /** A control for a run that has not begun; those of an earlier run are left out when the next begins. */
  receive(control: SteerControl): void {
    this.#turnTo(control.runId);
    switch (control.type) {
      case 'steer':
        this.#steers.push(control.steer);
        break;
      case 'retract':
        this.#steers = this.#steers.filter(({ id }) => id !== control.id);
        this.#retracted.add(control.id);
        break;
      case 'pause':
        this.#pauseReceived = true;
        break;
      case 'resume':
        this.#pauseReceived = false;
        break;
    }
  }

  #turnTo(runId: string | null): void {
    if (this.#runId === runId) return;
    this.#runId = runId;
    this.#steers = [];
    this.#retracted.clear();
    this.#pauseReceived = null;
  }
}
