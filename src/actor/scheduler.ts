// Owns when inline activations run: a queue of those with mail, drained in turns that let timers and I/O pass.

export interface Runnable {
  /** Does a bounded piece of work; true when more is waiting. */
  run(): boolean;
}

const maxRunsPerTurn = 2_000;

/** Runs what was scheduled, in order, each once per round; after 2,000 runs it lets timers and I/O pass. */
export class Scheduler {
  #ready: Runnable[] = [];
  #isScheduled = false;
  #isDraining = false;

  schedule(runnable: Runnable): void {
    this.#ready.push(runnable);
    if (this.#isScheduled || this.#isDraining) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#drain());
  }

  #drain(): void {
    this.#isScheduled = false;
    this.#isDraining = true;
    let round: Runnable[] = [];
    let at = 0;
    let runs = 0;
    try {
      while (this.#ready.length > 0 && runs < maxRunsPerTurn) {
        round = this.#ready;
        this.#ready = [];
        for (at = 0; at < round.length; at += 1) {
          // The index is below the length, so a runnable is there.
          const runnable = round[at] as Runnable;
          runs += 1;
          if (runnable.run()) this.#ready.push(runnable);
        }
      }
    } finally {
      // An error of one (from a listener of the host program) must not stop the others: they go on.
      if (at < round.length) this.#ready = [...round.slice(at + 1), ...this.#ready];
      this.#isDraining = false;
      if (this.#ready.length > 0) {
        this.#isScheduled = true;
        setImmediate(() => this.#drain());
      }
    }
  }
}
