// Owns how many children the calls of one model reply have had: the count that `maxConcurrentChildren` limits (V7).

type Call = { open: number; max: number };

/** The calls of the last reply that delegated. */
export class ReplyWidth {
  #turn = 0;
  /** Of tasks that one call hands over one after the other, those count that were there at once. */
  #calls = new Map<unknown, Call>();

  /** What the reply of this turn would come to with so many more tasks of a call. */
  with(turn: number, call: unknown, tasks: number): number {
    let sum = tasks;
    for (const [each, { open, max }] of this.#of(turn)) {
      sum += each === call ? Math.max(open, max - tasks) : max;
    }
    return sum;
  }

  /** Counts tasks that were let in; returns how to report that they have ended. */
  add(turn: number, call: unknown, tasks: number): () => void {
    const calls = this.#of(turn);
    const counted = calls.get(call) ?? { open: 0, max: 0 };
    calls.set(call, counted);
    counted.open += tasks;
    counted.max = Math.max(counted.max, counted.open);
    return () => {
      counted.open -= tasks;
    };
  }

  #of(turn: number): Map<unknown, Call> {
    if (this.#turn !== turn) {
      this.#turn = turn;
      this.#calls = new Map();
    }
    return this.#calls;
  }
}
