// Owns the check of a budget. Leaves out what it is of.
import { z } from 'zod';

const whole = z.number().int();

export const budgetFields = {
  maxTurns: whole.min(1).optional(),
  maxTokens: whole.min(1).optional(),
  maxCostUsd: z.number().positive().optional(),
  warnModel: z.boolean().optional(),
};

export const budgetSchema = z.strictObject(budgetFields);
