// Owns the check of what may be set of how an agent's tools are called, and which of several settings wins.
import { z } from 'zod';
import type { ToolSettings } from '../protocol/tool-settings.ts';

export const toolSettingFields = {
  maxResultChars: z.number().int().min(200).optional(),
  keepResults: z.boolean().optional(),
  repetitionNotice: z.boolean().optional(),
};

/** The settings of a run: those of its task, then of its agent, then of its supervisor. */
export function toolSettings(...nearestFirst: readonly (ToolSettings | null)[]): ToolSettings {
  const settings: { -readonly [Key in keyof ToolSettings]: ToolSettings[Key] } = {};
  for (const { maxResultChars, keepResults, repetitionNotice } of nearestFirst
    .filter((each) => each !== null)
    .reverse()) {
    if (maxResultChars !== undefined) settings.maxResultChars = maxResultChars;
    if (keepResults !== undefined) settings.keepResults = keepResults;
    if (repetitionNotice !== undefined) settings.repetitionNotice = repetitionNotice;
  }
  return settings;
}
