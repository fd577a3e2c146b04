// Owns the check of the settings of a run's loop, and which of a task and its definition wins.
import { z } from 'zod';

export const loopSettingsSchema = z.strictObject({
  parallelToolCalls: z.boolean().optional(),
  finishTools: z.array(z.string().min(1)).optional(),
  summaryTurn: z.boolean().optional(),
  allFailedText: z.string().min(1).optional(),
  emitToolNames: z
    .strictObject({ tool: z.string().min(1), name: z.string().min(1), value: z.string().min(1) })
    .optional(),
  promptIdPrefix: z.string().min(1).optional(),
  maxCorrections: z.number().int().min(0).optional(),
});

/** Merges setting by setting; the task's value wins. */
export function mergeSettings<Settings extends object>(
  task: Settings | undefined,
  definition: Settings | undefined,
): Partial<Settings> {
  const given = Object.entries(task ?? {}).filter(([, value]) => value !== undefined);
  return { ...definition, ...Object.fromEntries(given) };
}
