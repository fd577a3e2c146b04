// Owns what is known of the tokens of a call without a response: what its provider counted, and what came of it. Pure.

import type { Spend } from '../../protocol/budget.ts';
import type { TokenCounts } from '../../protocol/history.ts';
import type { ModelResponse, SpentTokens } from '../../protocol/model-messages.ts';
import { estimateTokens } from '../token-estimate.ts';

/** Tokens of a call that broke off, counted by its provider as far as it did. */
export type TakenTokens = { readonly usage: TokenCounts; readonly isEstimated: boolean };

/** One request to a provider; a call may take several, each after one that broke off. */
type Attempt = {
  /** The provider took it: its answer had begun. */
  isTaken: boolean;
  chars: number;
  reported: { readonly usage: TokenCounts; readonly chars: number } | null;
};

export type TakenBounds = {
  /** Our guess at the tokens of what was asked; made when the provider did not count them. */
  readonly inputTokens: () => number;
  /** The output limit that the call was made with. */
  readonly maxOutputTokens: number;
};

export class CallUsage {
  readonly #broken: Attempt[] = [];
  #attempt: Attempt = fresh();

  /** Characters of the attempt that goes on. */
  get chars(): number {
    return this.#attempt.chars;
  }

  /** The provider has begun to answer. */
  begun(): void {
    this.#attempt.isTaken = true;
  }

  /** So many characters of an answer came. */
  came(chars: number): void {
    this.#attempt.isTaken = true;
    this.#attempt.chars += chars;
  }

  /** The provider counted so far; what is no count is not believed. */
  counted(usage: TokenCounts): void {
    if (!Object.values(usage).every(isCount)) return;
    this.#attempt.isTaken = true;
    this.#attempt.reported = { usage, chars: this.#attempt.chars };
  }

  /** The attempt broke off, and another one follows. */
  broke(): void {
    if (this.#attempt.isTaken) this.#broken.push(this.#attempt);
    this.#attempt = fresh();
  }

  /** What was taken by attempts that another one followed; null when there was none. */
  takenBefore(bounds: TakenBounds): TakenTokens | null {
    if (this.#broken.length === 0) return null;
    return sumOf(this.#broken, bounds);
  }

  /** What was taken by all attempts, the last of them broken off as well; null when no provider took any. */
  taken(bounds: TakenBounds): TakenTokens | null {
    const last = this.#attempt.isTaken ? [this.#attempt] : [];
    return sumOf([...this.#broken, ...last], bounds);
  }
}

/** What an account is charged for a call that took nothing. */
export const nothingSpent: Spend = { turns: 0, tokens: 0, costUsd: 0 };

/** What a call is booked with; one without a response was no turn. */
export function spendOf(usage: TokenCounts, costUsd: number | null, turns: 0 | 1): Spend {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  return { turns, tokens, costUsd };
}

/** What a call without a response is booked with; null when it took nothing. */
export function spendWithout(spent: SpentTokens | null): Spend {
  return spent === null ? nothingSpent : spendOf(spent.usage, spent.costUsd, 0);
}

/** A response that came after attempts which broke off: those were taken too. */
export function withTaken(
  response: ModelResponse,
  { usage, isEstimated }: TakenTokens,
): ModelResponse {
  return {
    ...response,
    usage: addCounts(response.usage, usage),
    isEstimated: response.isEstimated || isEstimated,
  };
}

/** What two models of a list took for one call. */
export function addSpent(before: SpentTokens | null, spent: SpentTokens): SpentTokens {
  if (before === null) return spent;
  const { costUsd } = before;
  return {
    usage: addCounts(before.usage, spent.usage),
    isEstimated: before.isEstimated || spent.isEstimated,
    costUsd: costUsd === null || spent.costUsd === null ? null : costUsd + spent.costUsd,
  };
}

function addCounts(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

function sumOf(attempts: readonly Attempt[], bounds: TakenBounds): TakenTokens | null {
  const [first, ...others] = attempts.map((attempt) => takenBy(attempt, bounds));
  if (first === undefined) return null;
  return others.reduce(
    (sum, { usage, isEstimated }) => ({
      usage: addCounts(sum.usage, usage),
      isEstimated: sum.isEstimated || isEstimated,
    }),
    first,
  );
}

function takenBy(
  { reported, chars }: Attempt,
  { inputTokens, maxOutputTokens }: TakenBounds,
): TakenTokens {
  const uncounted = estimateTokens(chars - (reported?.chars ?? 0));
  const usage = reported?.usage ?? {
    inputTokens: inputTokens(),
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  const output = Math.max(
    usage.outputTokens,
    Math.min(usage.outputTokens + uncounted, maxOutputTokens),
  );
  return {
    usage: { ...usage, outputTokens: output },
    isEstimated: reported === null || uncounted > 0,
  };
}

function fresh(): Attempt {
  return { isTaken: false, chars: 0, reported: null };
}

function isCount(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}
