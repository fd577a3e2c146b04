// Owns what the calls of one activation have taken: counted by the gateway that makes them, read by the supervisor, out of the
// reach of the thread that asks. The two may be two threads: what they share is memory, so a turn costs no message.

import type { TokenCounts } from '../../protocol/history.ts';
import { type Meter, meterLength, meterPlaces as places } from '../../protocol/meter.ts';
import type { SpentTokens } from '../../protocol/model-messages.ts';

/** A meter that a gateway in this thread counts on; `shared`, for one in another. */
export function newMeter(shared: boolean): Meter {
  if (!shared) return new Float64Array(meterLength);
  return new Float64Array(new SharedArrayBuffer(meterLength * Float64Array.BYTES_PER_ELEMENT));
}

/** Counts one call. Done before its answer goes out: the receiver of the answer finds the call counted. */
export function count(meter: Meter, { usage, costUsd, isEstimated }: SpentTokens): void {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  add(meter, places.inputTokens, inputTokens);
  add(meter, places.outputTokens, outputTokens);
  add(meter, places.cacheReadTokens, cacheReadTokens);
  add(meter, places.cacheWriteTokens, cacheWriteTokens);
  if (costUsd === null) add(meter, places.unpriced, 1);
  else add(meter, places.costUsd, costUsd);
  if (isEstimated) add(meter, places.estimated, 1);
  // Last: a reader that does not see the call yet sees all of it later.
  add(meter, places.calls, 1);
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
    if (this.#meter[places.calls] === this.#seen[places.calls]) return null;
    const modelCalls = this.#since(places.calls);
    const costUsd = this.#since(places.costUsd);
    const usage = {
      inputTokens: this.#since(places.inputTokens),
      outputTokens: this.#since(places.outputTokens),
      cacheReadTokens: this.#since(places.cacheReadTokens),
      cacheWriteTokens: this.#since(places.cacheWriteTokens),
      modelCalls,
      costUsd: this.#since(places.unpriced) > 0 ? null : costUsd,
    };
    return { usage, isEstimated: this.#since(places.estimated) > 0 };
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
