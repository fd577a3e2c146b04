// Owns the count of what a tool's call waits for, so that a call that is given up can await what ends by itself.

export class CallWaits {
  #open = 0;
  #onNone: (() => void)[] = [];

  get isOpen(): boolean {
    return this.#open > 0;
  }

  /** The same promise, counted while it is open. */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    this.#open += 1;
    try {
      return await work;
    } finally {
      this.#open -= 1;
      if (this.#open === 0) for (const resolve of this.#onNone.splice(0)) resolve();
    }
  }

  /** Resolves once nothing is open. */
  async none(): Promise<void> {
    while (this.#open > 0) {
      await new Promise<void>((resolve) => {
        this.#onNone.push(resolve);
      });
    }
  }
}
