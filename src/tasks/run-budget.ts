// Owns which budgets a run is under: its own, and those of its task, of the tasks above it, of its tree and its job. Pure.
import type { Usage } from '../base/outcome.ts';
import { spendOf } from '../models/budget/call-usage.ts';
import type { Budget, BudgetAccount, Spend } from '../protocol/budget.ts';

/** Accounts of a run, the outermost first. */
export type RunBudget = {
  /** What the runs below it are counted under as well. */
  readonly shared: readonly BudgetAccount[];
  /** What its own calls are counted under; empty where nothing is limited. */
  readonly accounts: readonly BudgetAccount[];
};

/** The limits of every run and of every tree. */
export type BudgetDefaults = { readonly perRun: Budget; readonly perTree: Budget };

const uncounted: RunBudget = { shared: [], accounts: [] };

/** `above` is that of the run that delegates to it; null for a root. */
export function runBudget(
  run: {
    readonly taskId: string;
    /** A task may have several runs, one after another. */
    readonly agentId: string;
    readonly rootId: string;
    readonly own: Budget | undefined;
    readonly above: RunBudget | null;
    readonly job: BudgetAccount | undefined;
  },
  { perRun, perTree }: BudgetDefaults,
): RunBudget {
  const { taskId, agentId, rootId, own, job } = run;
  const inherited = run.above?.shared ?? [];
  const isCounted = inherited.length > 0 || [own, job?.limits, perRun, perTree].some(isLimited);
  if (!isCounted) return uncounted;
  // The tree is always among them: with it everything below it is forgotten.
  const tree: BudgetAccount = { id: rootId, scope: 'tree', limits: perTree };
  const outer = inherited.length > 0 ? inherited : job === undefined ? [tree] : [job, tree];
  const task: BudgetAccount[] = isLimited(own)
    ? [{ id: `${taskId}/task`, scope: 'task', limits: own }]
    : [];
  const shared = [...outer, ...task];
  const agent: BudgetAccount[] = isLimited(perRun)
    ? [{ id: `${taskId}/${agentId}`, scope: 'agent', limits: perRun }]
    : [];
  const accounts = [...shared, ...agent];
  return { shared, accounts: accounts.some(({ limits }) => isLimited(limits)) ? accounts : [] };
}

/** What all calls of such a use have taken. */
export function takenBy(usage: Usage): Spend {
  return { ...spendOf(usage, usage.costUsd, 1), turns: usage.modelCalls };
}

/** True where the cost of a task is limited by what it is below: a model without a price could not be kept to it. */
export function isCostLimited(accounts: readonly BudgetAccount[]): boolean {
  return accounts.some(({ limits }) => limits.maxCostUsd !== undefined);
}

function isLimited(budget: Budget | undefined): budget is Budget {
  if (budget === undefined) return false;
  const { maxTurns, maxTokens, maxCostUsd } = budget;
  return (maxTurns ?? maxTokens ?? maxCostUsd) !== undefined;
}
