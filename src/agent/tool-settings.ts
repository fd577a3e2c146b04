// Owns the check of what may be set of how an agent's tools are called.
import { z } from 'zod';

export const toolSettingFields = {
  maxResultChars: z.number().int().min(200).optional(),
  keepResults: z.boolean().optional(),
  repetitionNotice: z.boolean().optional(),
};
