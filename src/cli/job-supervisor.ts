// Owns the supervisor of a job: which of its options the command line sets.
import {
  createSupervisor,
  type JournalSettings,
  type Supervisor,
  type SupervisorOptions,
} from '../index.ts';
import { withPriceHint } from './price-option.ts';
import type { RunOptions } from './run-options.ts';

/** Of several, the next is asked when one fails. */
function modelsOf(text: string): string | readonly string[] {
  return text.includes(',') ? text.split(',').map((name) => name.trim()) : text;
}

/** Throws what is wrong with the options. */
export function jobSupervisor(
  run: RunOptions,
  {
    journal,
    ...world
  }: Required<Pick<SupervisorOptions, 'workspace' | 'approve' | 'logger'>> & {
    readonly journal: JournalSettings | undefined;
  },
): Supervisor {
  const { model, concurrency, roles, toolsets, idleTimeoutMs, maxTurns, budgetUsd, prices } = run;
  const options = {
    ...world,
    ...(journal === undefined ? {} : { journal }),
    model: modelsOf(model),
    prices,
    limits: {
      maxLiveAgents: concurrency,
      ...(roles === null
        ? {}
        : { maxSpawnDepth: roles.maxDepth, maxConcurrentChildren: roles.children }),
    },
    timeouts: { idleTimeoutMs },
    modelRetry: { maxOutageMs: run.providerWaitMs },
    // The job has the same for all of its tasks; by this one, models without a price are refused before it starts.
    budget: { maxTurns, ...(budgetUsd === null ? {} : { perTree: { maxCostUsd: budgetUsd } }) },
    approval: { require: run.requireApproval },
  };
  const supervisor = withPriceHint(() => createSupervisor(options));
  supervisor.validate({ goal: 'any', toolsets });
  return supervisor;
}
