// Owns the check of a failure that comes from a thread.
import { z } from 'zod';
import { type Failure, failureCodes } from '../base/failures.ts';
import { schemaOf } from './schema-of.ts';

export const failureSchema = schemaOf<Failure>()(
  z.object({
    code: z.enum(failureCodes),
    message: z.string(),
    retryable: z.boolean(),
    detail: z.record(z.string(), z.unknown()).optional(),
  }),
);
