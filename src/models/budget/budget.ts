// Owns the decision of rule V10: does a call fit into the budgets that it is under. Keeps nothing, waits for nothing.
import type { FailureCode } from '../../base/failures.ts';
import type { Budget, BudgetScope, NearLimit, Spend } from '../../protocol/budget.ts';

/** One budget and what became of it: `spent` was charged, `reserved` is promised to `open` calls. */
export type Account = {
  readonly scope: BudgetScope;
  readonly limits: Budget;
  readonly spent: Spend;
  readonly reserved: Spend;
  readonly open: number;
};

export type BudgetVerdict =
  | { readonly type: 'granted'; readonly index: number }
  /** Until an open call of these accounts, by their places, gives something back. */
  | { readonly type: 'wait'; readonly lacking: readonly number[] }
  | ({ readonly type: 'refused' } & Lack);

const nothing: Spend = { turns: 0, tokens: 0, costUsd: 0 };

/** A fresh account. */
export function openAccount(scope: BudgetScope, limits: Budget): Account {
  return { scope, limits, spent: nothing, reserved: nothing, open: 0 };
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
    const lacks = accounts.map((account) => lack(account, bound));
    const lacking = [...lacks.keys()].filter((at) => lacks[at] !== null);
    if (lacking.length === 0) return { type: 'granted', index };
    const hopeless = lacking.find((at) => accounts[at]?.open === 0);
    if (hopeless === undefined) return { type: 'wait', lacking };
    const found = lacks[hopeless] ?? null;
    if (found !== null) refusal = { type: 'refused', ...found };
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

/** The account with what an earlier process has taken of it. */
export function carry(account: Account, spent: Spend): Account {
  return { ...account, spent: add(account.spent, spent) };
}

/** From this share of a limit on its owner is warned. */
const warnedAt = 0.8;

/** The limits of an account of which four fifths are spent. */
export function nearLimits({ scope, limits, spent }: Account): readonly NearLimit[] {
  const all = [
    { limit: 'maxTurns', used: spent.turns, max: limits.maxTurns },
    { limit: 'maxTokens', used: spent.tokens, max: limits.maxTokens },
    { limit: 'maxCostUsd', used: spent.costUsd ?? 0, max: limits.maxCostUsd },
  ] as const;
  return all.flatMap(({ limit, used, max }) =>
    max !== undefined && used >= max * warnedAt ? [{ scope, limit, used, max }] : [],
  );
}

/** Those that a settlement brought there; each is reported once. */
export function newlyNear(before: Account, after: Account): readonly NearLimit[] {
  const known = new Set(nearLimits({ ...after, spent: before.spent }).map(({ limit }) => limit));
  return nearLimits(after).filter(({ limit }) => !known.has(limit));
}

type Lack = {
  readonly code: FailureCode;
  readonly message: string;
  readonly scope: BudgetScope;
  readonly limit: NearLimit['limit'];
};

/** Which limit of the account the bound would break, or null. */
function lack({ scope, limits, spent, reserved }: Account, bound: Spend): Lack | null {
  const { maxTurns, maxTokens, maxCostUsd } = limits;
  const of = namesOfScopes[scope];
  const turns = spent.turns + reserved.turns + bound.turns;
  if (maxTurns !== undefined && turns > maxTurns) {
    const message = `the budget of ${maxTurns} turns ${of} is used up`;
    return { code: 'max_turns', message, scope, limit: 'maxTurns' };
  }
  const tokens = spent.tokens + reserved.tokens;
  if (maxTokens !== undefined && tokens + bound.tokens > maxTokens) {
    const message = `the next call may take ${bound.tokens} tokens, ${tokens} of ${maxTokens} ${of} are taken`;
    return { code: 'budget_tokens', message, scope, limit: 'maxTokens' };
  }
  if (maxCostUsd === undefined) return null;
  if (bound.costUsd === null) {
    const message = `no price is known for the model, so maxCostUsd ${maxCostUsd} cannot be kept: give the supervisor one in prices`;
    return { code: 'budget_cost', message, scope, limit: 'maxCostUsd' };
  }
  const cost = (spent.costUsd ?? 0) + (reserved.costUsd ?? 0);
  if (cost + bound.costUsd <= maxCostUsd) return null;
  const message = `the next call may cost ${usd(bound.costUsd)}, ${usd(cost)} of ${usd(maxCostUsd)} ${of} are spent`;
  return { code: 'budget_cost', message, scope, limit: 'maxCostUsd' };
}

const namesOfScopes: Readonly<Record<BudgetScope, string>> = {
  job: 'of the job',
  tree: 'of the tree',
  task: 'of the task',
  agent: 'of the run',
};

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
