// Owns the failure that reports the end of a thread by an error of its own. Pure.
import { type Failure, failure } from '../base/failures.ts';
import { toFault } from '../base/stack.ts';

export function threadFailure(error: unknown): Failure {
  const code =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return failure('out_of_memory', 'the thread ran out of memory');
  }
  return toFault(error, 'crashed');
}

/** Ends a thread that sent its model, on whichever port, what is no message to a model. */
export const notForModels = failure(
  'protocol_violation',
  'a thread sent its model no valid request',
);
