// Owns what the adapters' errors have in common: broken connections, waits that were asked for, keys that stay in.
import { TroupeError } from '../../base/failures.ts';
import { maskKeys, withoutKeys } from '../../base/secret-text.ts';

const maxMessage = 500;

/** A connection that could not be made or broke off; asking again can help. */
export function disconnected(error: unknown): TroupeError {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const reason = cause instanceof Error ? causeOf(cause) : '';
  const text = reason === '' || message.includes(reason) ? message : `${message} (${reason})`;
  return new TroupeError('model_disconnected', text, { retryable: true });
}

/** `fetch failed` hides what happened one level down. */
function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** A response that does not follow its API: no JSON, or JSON of another shape. */
export function malformed(reason: string): TroupeError {
  return new TroupeError('model_bad_response', `the response is malformed: ${reason}`);
}

export function timedOut(): TroupeError {
  return new TroupeError('model_timeout', 'the model did not answer in time', { retryable: true });
}

export function aborted(): TroupeError {
  return new TroupeError('aborted', 'the model call was aborted');
}

const insteadOf = "set it, or use the model 'offline' (--model offline), which works without a key";

/** The one refusal for a model without a key: which variable is missing, and what works without. */
export function missingKey(variable: string): TroupeError {
  return new TroupeError('model_key_missing', `${variable} is not set; ${insteadOf}`, {
    detail: { variable },
  });
}

/** The wait a provider asks for, in milliseconds; null when it names none we understand. A date counts from `date`. */
export function retryAfter(headers: Pick<Headers, 'get'> | undefined): number | null {
  const ms = headers?.get('retry-after-ms') ?? null;
  if (ms !== null) return waitOf(Number(ms));
  const text = headers?.get('retry-after') ?? null;
  if (text === null) return null;
  const seconds = Number(text);
  if (!Number.isNaN(seconds)) return waitOf(seconds * 1_000);
  // An HTTP date is relative to the provider's own clock, not to ours.
  return waitOf(Date.parse(text) - Date.parse(headers?.get('date') ?? ''));
}

function waitOf(ms: number): number | null {
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

/** The same error with the key, and whatever looks like one, taken out of its message, and without its cause. */
export function scrubbed(error: TroupeError, secret: string): TroupeError {
  const { code, retryable, detail } = error;
  const text = maskKeys(withoutKeys(error.message, [secret])).slice(0, maxMessage);
  return TroupeError.from(
    detail === undefined
      ? { code, message: text, retryable }
      : { code, message: text, retryable, detail },
  );
}
