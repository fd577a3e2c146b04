// Owns the check of an AbortSignal that the program gives.
import { z } from 'zod';

/** An AbortSignal of any realm. */
export const signalSchema = z.custom<AbortSignal>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'aborted' in value &&
    'addEventListener' in value &&
    typeof value.addEventListener === 'function',
  'expected an AbortSignal',
);
