// Checks which budgets a run is under, as a table.
import { describe, expect, it } from 'vitest';
import type { Budget, BudgetAccount } from '#src/protocol/budget.js';
import { type RunBudget, runBudget } from '#src/tasks/run-budget.js';

const job: BudgetAccount = { id: 'j', scope: 'job', limits: { maxCostUsd: 2 } };

type Facts = {
  readonly own?: Budget;
  readonly above?: RunBudget;
  readonly job?: BudgetAccount;
  readonly perRun?: Budget;
  readonly perTree?: Budget;
};

function of({ own, above, job, perRun = {}, perTree = {} }: Facts): RunBudget {
  const rootId = above === undefined ? 'k' : 'root';
  const run = { taskId: 'k', agentId: 'run', rootId, own, above: above ?? null, job };
  return runBudget(run, { perRun, perTree });
}

const scopes = ({ accounts }: RunBudget) => accounts.map(({ scope, id }) => `${scope} ${id}`);

describe('the accounts of a run (V10)', () => {
  it.each<[string, Facts, readonly string[]]>([
    ['are none without limits', {}, []],
    ['are none for an empty budget', { own: {} }, []],
    ['are none for a wish to be warned alone', { own: { warnModel: true } }, []],
    ['of its task', { own: { maxTokens: 5 } }, ['tree k', 'task k/task']],
    ['of the supervisor', { perRun: { maxTokens: 5 } }, ['tree k', 'agent k/run']],
    ['of its tree', { perTree: { maxTurns: 5 } }, ['tree k']],
    ['of its job', { job }, ['job j', 'tree k']],
    [
      'of all of them, the outermost first',
      { job, own: { maxTurns: 1 }, perRun: { maxTokens: 5 }, perTree: { maxTurns: 9 } },
      ['job j', 'tree k', 'task k/task', 'agent k/run'],
    ],
    [
      'of the task above it, whose run it is part of',
      { above: of({ own: { maxTokens: 9 } }), own: { maxTokens: 5 } },
      ['tree k', 'task k/task', 'task k/task'],
    ],
    [
      'of its own where nothing above it is limited',
      { above: of({}), own: { maxTokens: 5 } },
      ['tree root', 'task k/task'],
    ],
  ])('%s', (_, facts, expected) => {
    expect(scopes(of(facts))).toEqual(expected);
  });
});
