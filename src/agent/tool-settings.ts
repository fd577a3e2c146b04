// Owns what may be set of how an agent's tools are called: how long results are, where the rest goes, what is noticed.
import { z } from 'zod';

/** For a supervisor, an agent definition or a task; what is nearer to the run wins. */
export type ToolSettings = {
  /** Characters of text in one result, the remark about a cut included. Default 50,000. */
  readonly maxResultChars?: number;
  /**
   * Whether the whole text of a result that is cut is kept in `.troupe/outputs` of the workspace. Default: for agents that
   * can read it there, those with the `read` or the `terminal` tool.
   */
  readonly keepResults?: boolean;
  /** Whether the model is notified when it calls one tool three times in a row. Default false. */
  readonly repetitionNotice?: boolean;
};

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
