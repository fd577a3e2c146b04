// Owns what the calls of one activation have taken: counted by the gateway that makes them, read by the supervisor, out of the
// reach of the thread that asks. The two may be two threads: what they share is memory, so a turn costs no message.

import type { TokenCounts } from '../../protocol/history.ts';
import type { SpentTokens } from '../../protocol/model-messages.ts';

/** Sums since the activation began, by place: the four counts of tokens, calls, dollars, calls without a price, guessed calls. */
export type Meter = Float64Array;

const places = 8;
const calls = 4;
const dollars = 5;
const unpriced = 6;
const guessed = 7;

/** A meter that a gateway in this thread counts on; `shared`, for one in another. */
export function newMeter(shared: boolean): Meter {
  if (!shared) return new Float64Array(places);
  return new Float64Array(new SharedArrayBuffer(places * Float64Array.BYTES_PER_ELEMENT));
}

/** Counts one call. Done before its answer goes out: the receiver of the answer finds the call counted. */
export function count(meter: Meter, { usage, costUsd, isEstimated }: SpentTokens): void {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  add(meter, 0, inputTokens);
  add(meter, 1, outputTokens);
  add(meter, 2, cacheReadTokens);
  add(meter, 3, cacheWriteTokens);
  if (costUsd === null) add(meter, unpriced, 1);
  else add(meter, dollars, costUsd);
  if (isEstimated) add(meter, guessed, 1);
  // Last: a reader that does not see the call yet sees all of it later.
  add(meter, calls, 1);
}

/** What was counted since the last look. */
export type Metered = {
  readonly usage: TokenCounts & { readonly modelCalls: number; readonly costUsd: number | null };
  readonly isEstimated: boolean;
};

export class MeterReader {
  readonly #meter: Meter;
  readonly #seen = newMeter(false);

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /** Null when no call was counted since. */
  take(): Metered | null {
    if (this.#meter[calls] === this.#seen[calls]) return null;
    const modelCalls = this.#since(calls);
    const costUsd = this.#since(dollars);
    const usage = {
      inputTokens: this.#since(0),
      outputTokens: this.#since(1),
      cacheReadTokens: this.#since(2),
      cacheWriteTokens: this.#since(3),
      modelCalls,
      costUsd: this.#since(unpriced) > 0 ? null : costUsd,
    };
    return { usage, isEstimated: this.#since(guessed) > 0 };
  }

  #since(place: number): number {
    const now = this.#meter[place] ?? 0;
    const since = now - (this.#seen[place] ?? 0);
    this.#seen[place] = now;
    return since;
  }
}

function add(meter: Meter, place: number, amount: number): void {
  meter[place] = (meter[place] ?? 0) + amount;
}
