// Owns the upper bounds of one model call, in tokens and cost, that the ledger reserves. Reserves nothing.
import type { BudgetLimits, Spend } from './budget.ts';
import type { TokenCounts } from './model.ts';

/** One bound, and the output limit that keeps the call within it; null leaves the request's own. */
export type CallBound = { readonly spend: Spend; readonly maxOutputTokens: number | null };

/** The bound of a call where only turns are counted: nothing has to be measured. */
export const oneTurn: readonly [CallBound] = [
  { spend: { turns: 1, tokens: 0, costUsd: 0 }, maxOutputTokens: null },
];

/** True when a budget needs the size of its calls. */
export function isMetered(limits: BudgetLimits = {}): boolean {
  return limits.maxTokens !== undefined || limits.maxCostUsd !== undefined;
}

/** Below this an answer is hardly one: a budget that cannot pay for it is used up. */
const leastOutputTokens = 256;

export type BoundedCall = {
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  /** What tokens cost; null where no price is known. */
  readonly cost: (usage: TokenCounts) => number | null;
};

/** The call with its full output limit, then with half of it, and so on: so the last of a budget can still be used. */
export function boundsOf(call: BoundedCall): readonly [CallBound, ...CallBound[]] {
  const smaller: CallBound[] = [];
  let limit = Math.floor(call.maxOutputTokens / 2);
  for (; limit >= leastOutputTokens; limit = Math.floor(limit / 2)) {
    smaller.push(boundWith(call, limit));
  }
  return [boundWith(call, call.maxOutputTokens), ...smaller];
}

function boundWith(call: BoundedCall, maxOutputTokens: number): CallBound {
  const { inputTokens, cost } = call;
  const plain: TokenCounts = {
    inputTokens,
    outputTokens: maxOutputTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  // Input that is written to a cache costs more than plain input.
  const cached = { ...plain, inputTokens: 0, cacheWriteTokens: inputTokens };
  const costs = [cost(plain), cost(cached)];
  const costUsd = costs.reduce((most, each) => {
    return most === null || each === null ? null : Math.max(most, each);
  }, 0);
  return { spend: { turns: 1, tokens: inputTokens + maxOutputTokens, costUsd }, maxOutputTokens };
}
