// Owns the failure of a thread that ended by an error of its own. Pure.
import type { Exit } from '../actor/exit.ts';
import { type Failure, failure } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import { toFault } from '../base/stack.ts';

export function crashOf(error: unknown): Failure {
  const isOutOfMemory = isRecord(error) && error['code'] === 'ERR_WORKER_OUT_OF_MEMORY';
  return isOutOfMemory
    ? failure('out_of_memory', 'the thread ran out of memory')
    : toFault(error, 'crashed');
}

/** The end of the activation that its thread took with it. */
export function exitOf(cause: Failure): Exit {
  return { reason: cause.code === 'out_of_memory' ? 'out_of_memory' : 'crashed', failure: cause };
}
