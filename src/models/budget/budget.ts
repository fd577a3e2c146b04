// Owns the decision of rule V10: does a call fit into the budgets of its agent and its tree. Keeps nothing, waits for nothing.
import type { FailureCode } from '../../base/failures.ts';
import type { BudgetLimits, Spend } from '../../protocol/budget.ts';

/** One budget and what became of it: `spent` was charged, `reserved` is promised to `open` calls. */
export type Account = {
  readonly limits: BudgetLimits;
  readonly spent: Spend;
  readonly reserved: Spend;
  readonly open: number;
};

export type BudgetVerdict =
  | { readonly type: 'granted'; readonly index: number }
  | { readonly type: 'wait' }
  | { readonly type: 'refused'; readonly code: FailureCode; readonly message: string };

const nothing: Spend = { turns: 0, tokens: 0, costUsd: 0 };

/** A fresh account. */
export function openAccount(limits: BudgetLimits): Account {
  return { limits, spent: nothing, reserved: nothing, open: 0 };
}

/**
 * Decides over `bounds`, upper bounds of one call, largest first. The largest is granted when it fits every account.
 * A smaller one is taken only when no open call could give anything back; while one could, the call waits.
 */
export function decideReservation(
  accounts: readonly Account[],
  bounds: readonly Spend[],
): BudgetVerdict {
  let refusal: BudgetVerdict | null = null;
  for (const [index, bound] of bounds.entries()) {
    const lacking = accounts.filter((account) => lack(account, bound) !== null);
    if (lacking.length === 0) return { type: 'granted', index };
    if (lacking.every((account) => account.open > 0)) return { type: 'wait' };
    refusal = refuse(
      lacking.find((account) => account.open === 0),
      bound,
    );
  }
  return refusal ?? { type: 'granted', index: 0 };
}

/** The account with one more call open. */
export function reserve(account: Account, bound: Spend): Account {
  return { ...account, reserved: add(account.reserved, bound), open: account.open + 1 };
}

/** The account with one call closed: its reservation is given back, what it really took is spent. */
export function charge(account: Account, bound: Spend, actual: Spend): Account {
  const open = account.open - 1;
  // What cannot be priced afterwards may have cost all that was reserved for it.
  const costUsd = actual.costUsd ?? bound.costUsd;
  return {
    ...account,
    // Sums of fractions drift; with nothing open, nothing is reserved.
    reserved: open === 0 ? nothing : subtract(account.reserved, bound),
    spent: add(account.spent, { ...actual, costUsd }),
    open,
  };
}

/** A limit that is nearly used up. */
export type NearLimit = {
  readonly limit: keyof BudgetLimits;
  readonly used: number;
  readonly max: number;
};

/** From this share of a limit on its owner is warned. */
const warnedAt = 0.8;

/** The limits of an account that a settlement brought to four fifths; each is reported once. */
export function newlyNear(before: Account, after: Account): readonly NearLimit[] {
  const { maxTurns, maxTokens, maxCostUsd } = after.limits;
  const all = [
    { limit: 'maxTurns', max: maxTurns, was: before.spent.turns, used: after.spent.turns },
    { limit: 'maxTokens', max: maxTokens, was: before.spent.tokens, used: after.spent.tokens },
    {
      limit: 'maxCostUsd',
      max: maxCostUsd,
      was: before.spent.costUsd ?? 0,
      used: after.spent.costUsd ?? 0,
    },
  ] as const;
  return all.flatMap(({ limit, max, was, used }) =>
    max !== undefined && was < max * warnedAt && used >= max * warnedAt
      ? [{ limit, used, max }]
      : [],
  );
}

type Lack = { readonly code: FailureCode; readonly message: string };

/** Which limit of the account the bound would break, or null. */
function lack({ limits, spent, reserved }: Account, bound: Spend): Lack | null {
  const { maxTurns, maxTokens, maxCostUsd } = limits;
  const turns = spent.turns + reserved.turns + bound.turns;
  if (maxTurns !== undefined && turns > maxTurns) {
    return { code: 'max_turns', message: `the budget of ${maxTurns} turns is used up` };
  }
  const tokens = spent.tokens + reserved.tokens;
  if (maxTokens !== undefined && tokens + bound.tokens > maxTokens) {
    const text = `the next call may take ${bound.tokens} tokens, ${tokens} of ${maxTokens} are taken`;
    return { code: 'budget_tokens', message: text };
  }
  if (maxCostUsd === undefined) return null;
  if (bound.costUsd === null) {
    const text = `no price is known for the model, so maxCostUsd ${maxCostUsd} cannot be kept: give the supervisor one in prices`;
    return { code: 'budget_cost', message: text };
  }
  const cost = (spent.costUsd ?? 0) + (reserved.costUsd ?? 0);
  if (cost + bound.costUsd <= maxCostUsd) return null;
  const text = `the next call may cost ${usd(bound.costUsd)}, ${usd(cost)} of ${usd(maxCostUsd)} are spent`;
  return { code: 'budget_cost', message: text };
}

function refuse(account: Account | undefined, bound: Spend): BudgetVerdict | null {
  const found = account === undefined ? null : lack(account, bound);
  return found === null ? null : { type: 'refused', ...found };
}

function add(a: Spend, b: Spend): Spend {
  return {
    turns: a.turns + b.turns,
    tokens: a.tokens + b.tokens,
    costUsd: (a.costUsd ?? 0) + (b.costUsd ?? 0),
  };
}

function subtract(a: Spend, b: Spend): Spend {
  return add(a, { turns: -b.turns, tokens: -b.tokens, costUsd: -(b.costUsd ?? 0) });
}

function usd(amount: number): string {
  return `$${amount.toFixed(4)}`;
}
