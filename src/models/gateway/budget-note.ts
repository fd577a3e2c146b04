// Owns the note by which a model learns that a budget is nearly used up. Pure.
import type { BudgetAccount, BudgetScope, NearLimit } from '../../protocol/budget.ts';

/** No note of one limit takes more. */
const maxTokensOfLine = 60;
const limitsOfAccount = 3;

/** What notes can add to a request at most. */
export function boundNoteTokens(accounts: readonly BudgetAccount[]): number {
  const warned = accounts.filter(({ limits }) => limits.warnModel === true);
  return warned.length * limitsOfAccount * maxTokensOfLine;
}

/** What a model is told; empty while nothing is nearly used up. */
export function budgetNote(near: readonly NearLimit[]): string {
  if (near.length === 0) return '';
  return [...near.map(lineOf), 'Finish with what you have.'].join('\n');
}

const owners: Readonly<Record<BudgetScope, string>> = {
  job: 'of all tasks of this job together',
  tree: 'of this task and all agents with it',
  task: 'of this task and what it delegates',
  agent: 'of this run',
};

function lineOf({ scope, limit, used, max }: NearLimit): string {
  const percent = Math.floor((used / max) * 100);
  return `Budget: ${percent} % of the ${amountOf(limit, max)} ${owners[scope]} are used.`;
}

function amountOf(limit: NearLimit['limit'], max: number): string {
  switch (limit) {
    case 'maxTurns':
      return `${max} responses`;
    case 'maxTokens':
      return `${max} tokens`;
    case 'maxCostUsd':
      return `$${max}`;
  }
}
