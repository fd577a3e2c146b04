// Owns what every agent of the family is made with: its options, and their check.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import type { PrintOutput } from './printing.ts';

/** What every agent of the family is made with. */
export type AgentBaseOptions = {
  /** The author of its messages; not empty. */
  readonly name: string;
  /** Default: made up. */
  readonly id?: string;
  /** Where what it prints goes, beside the queue. Default: nowhere. */
  readonly output?: PrintOutput;
  /** Gives messages their time. Default: the clock of the machine. */
  readonly clock?: Clock;
};

/** Of these fields alone: a subclass checks its own. */
export const agentBaseSchema = z.object({
  name: z.string().min(1),
  id: z.string().min(1).optional(),
  output: z
    .custom<PrintOutput>((value) => typeof value === 'function', 'expected a function')
    .optional(),
});
