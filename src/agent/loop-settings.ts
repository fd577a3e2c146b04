// Owns the check of the settings of a run's loop.
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
