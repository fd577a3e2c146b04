// Owns which parts a definition or a task wants in its prompt: the settings and their check.
import { z } from 'zod';
import { isTimeZone } from './time.ts';

/** Which parts are put into an agent's prompt besides its own text. */
export type PromptSettings = {
  /** Begins the prompt with the agent's own name. Default false. */
  readonly role?: boolean;
  /** Explains what the working directory is for. Default: only named, and only to agents with file tools. */
  readonly workingDirectory?: boolean;
  /** Rules of behaviour: true for the built-in ones, or a text instead of them. Default: none. */
  readonly behaviour?: boolean | string;
  /** States that no user is there to answer questions. Default false. */
  readonly nonInteractive?: boolean;
  /** Adds the time of the run's start in this zone to its user message. Default: no time. */
  readonly timeZone?: string;
  /** Where the agent is and what it has, as the first exchange of its conversation; none when blank. */
  readonly environment?: string;
};

export const promptSettingsSchema = z.strictObject({
  role: z.boolean().optional(),
  workingDirectory: z.boolean().optional(),
  behaviour: z.union([z.boolean(), z.string().min(1)]).optional(),
  nonInteractive: z.boolean().optional(),
  timeZone: z.string().refine(isTimeZone, 'expected a time zone such as Europe/Berlin').optional(),
  environment: z.string().optional(),
});
