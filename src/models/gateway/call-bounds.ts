// Owns the upper bounds of one model call, in tokens and cost, that the ledger reserves. Reserves nothing.

import type { Budget, Spend } from '../../protocol/budget.ts';
import type { TokenCounts } from '../../protocol/history.ts';

/** One bound, and the output limit that keeps the call within it; null leaves the request's own. */
export type CallBound = { readonly spend: Spend; readonly maxOutputTokens: number | null };

/** The bound of a call where only turns are counted: nothing has to be measured. */
export const oneTurn: readonly [CallBound] = [
  { spend: { turns: 1, tokens: 0, costUsd: 0 }, maxOutputTokens: null },
];

/** True when a budget needs the size of its calls. */
export function isMetered(limits: Budget): boolean {
  return limits.maxTokens !== undefined || limits.maxCostUsd !== undefined;
}

/** Below this an answer is hardly one: a budget that cannot pay for it is used up. */
const minOutputTokens = 256;

export type BoundedCall = {
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  /** What tokens cost; null where no price is known. */
  readonly cost: (usage: TokenCounts) => number | null;
};

/** The call with its full output limit, then with half of it, and so on: so the last of a budget can still be used. */
export function boundsOf(call: BoundedCall): readonly [CallBound, ...CallBound[]] {
  const { inputTokens, maxOutputTokens } = call;
  const full = costWith(call, maxOutputTokens);
  const half = Math.floor(maxOutputTokens / 2);
  if (half < minOutputTokens) return [bound(inputTokens, maxOutputTokens, full)];
  const smaller: CallBound[] = [];
  // Prices are per token: two answers of a table determine the cost of every other length.
  const least = costWith(call, half);
  const perToken =
    full === null || least === null ? null : (full - least) / (maxOutputTokens - half);
  for (let limit = half; limit >= minOutputTokens; limit = Math.floor(limit / 2)) {
    const costUsd =
      full === null || perToken === null ? null : full - perToken * (maxOutputTokens - limit);
    smaller.push(bound(inputTokens, limit, costUsd));
  }
  return [bound(inputTokens, maxOutputTokens, full), ...smaller];
}

function bound(inputTokens: number, maxOutputTokens: number, costUsd: number | null): CallBound {
  return { spend: { turns: 1, tokens: inputTokens + maxOutputTokens, costUsd }, maxOutputTokens };
}

/** At the dearer kind of input: what is written to a cache costs more than plain input. */
function costWith({ inputTokens, cost }: BoundedCall, outputTokens: number): number | null {
  const plain = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const [read, written] = [
    cost(plain),
    cost({ ...plain, inputTokens: 0, cacheWriteTokens: inputTokens }),
  ];
  return read === null || written === null ? null : Math.max(read, written);
}
