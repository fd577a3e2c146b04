// Owns the check of what comes from a process: its frames may be forged by the code that runs there.
import { z } from 'zod';
import { TroupeError } from '../base/failures.ts';
import { failureSchema } from './failure-schema.ts';
import type { FromProcess } from './process-messages.ts';
import { schemaOf } from './schema-of.ts';

const count = z.number().int().nonnegative();
const progress = z.object({
  activation: count,
  startedSeq: count,
  doneSeq: count,
  heartbeats: z.number().int(),
});

const fromProcess = schemaOf<FromProcess>()(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('slot'), message: z.unknown(), progress }),
    z.object({ type: z.literal('gateway'), message: z.unknown() }),
    z.object({ type: z.literal('progress'), progress }),
    z.object({
      type: z.literal('printed'),
      stream: z.enum(['stdout', 'stderr']),
      text: z.string(),
    }),
    z.object({ type: z.literal('failed'), failure: failureSchema }),
    z.object({ type: z.literal('exited'), code: z.number().int(), progress }),
  ]),
);

/** The message of a process, checked; what its thread said is checked by the slot. Throws `protocol_violation`. */
export function parseFromProcess(message: unknown): FromProcess {
  const result = fromProcess.safeParse(message);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
  throw new TroupeError('protocol_violation', `a process sent what is no message (${where})`);
}
