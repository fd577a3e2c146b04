// Owns the checks of what is given beside the arguments of a supervisor's methods.
import { z } from 'zod';
import { budgetSchema } from '../agent/budget-schema.ts';
import { functionSchema } from '../base/function-schema.ts';
import { withHints } from '../base/option-faults.ts';
import { signalSchema } from '../base/signal-schema.ts';
import { nameSchema } from '../tasks/task.ts';

export const startSchema = z.strictObject(
  { signal: signalSchema.optional() },
  withHints({ budget: 'the budget of one task is its own: start({ goal, budget })' }),
);

export const delegateSchema = z.strictObject(
  { signal: signalSchema.optional(), budget: budgetSchema.optional() },
  withHints({
    aborted: 'a signal is given by its name: { signal }',
    concurrency: '`limits.maxLiveAgents` holds for all; map(tasks, { concurrency }) has its own',
  }),
);

/** How a supervisor closes. */
export type CloseOptions = {
  /** Kill the processes of toolsets at once, without a grace period. Default false. */
  readonly force?: boolean;
};

export const closeSchema = z.strictObject({ force: z.boolean().optional() });

export const treeSchema = z.strictObject({ ended: z.boolean().optional() });

export const progressSchema = z.strictObject({
  onBatch: functionSchema(),
  taskId: z.string().optional(),
  everyMs: z.number().positive().optional(),
  maxItems: z.number().int().min(1).optional(),
});

export const spawnSchema = z.strictObject({
  name: nameSchema.optional(),
  survivesCrash: z.boolean().optional(),
  lazy: z.boolean().optional(),
});
