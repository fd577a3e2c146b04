// Owns the check of a tool's own time limit among the options of what makes tools.
import { z } from 'zod';

/** Milliseconds, as many as a timer can take. */
export const timeoutSchema = z.number().positive().max(2_147_483_647);
