// Owns which failures of a model are answered by the next one of its list. Pure.
import type { Failure, FailureCode } from '../base/failures.ts';

/** Of the model or the way to it. What another model would fail with as well is not among them, nor what the program set. */
const ofModel: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'model_rate_limited',
  'model_overloaded',
  'model_timeout',
  'model_disconnected',
  'model_auth',
  'model_unknown',
  'model_bad_response',
  'model_failed',
  'credentials_exhausted',
]);

export function asksNextModel({ code }: Failure): boolean {
  return ofModel.has(code);
}
