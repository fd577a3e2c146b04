// Owns the check of an option that is a function.
import { z } from 'zod';

/** A function of the program's; what it takes and returns cannot be checked. */
export const functionSchema = <Value = unknown>() =>
  z.custom<Value>((value) => typeof value === 'function', 'expected a function');
