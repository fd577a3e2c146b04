// Owns what the errors of a model object of the program mean: those of any client library, by their status and their cause.
import { failureCodes, type TroupeError } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';
import { disconnected, retryAfter } from './adapter-failure.ts';
import { providerError } from './provider-failure.ts';

/**
 * A refusal by its `status` or `statusCode`, or a connection that failed; anything else as it was thrown. An error that
 * says `retryable: false`, and one with a code of ours, is left as it is. Never throws.
 */
export function ownFailure(thrown: unknown): unknown {
  try {
    return refusalIn(thrown) ?? thrown;
  } catch {
    // A getter that throws: nothing is known of it.
    return thrown;
  }
}

function refusalIn(thrown: unknown): TroupeError | null {
  if (!isRecord(thrown) || thrown['retryable'] === false) return null;
  const { code, message, headers } = thrown;
  if (failureCodes.some((known) => known === code)) return null;
  const status = statusOf(thrown);
  if (status === null) return isDisconnected(thrown) ? disconnected(thrown) : null;
  const text = String(message ?? '');
  const reply = { status, message: text.startsWith(`${status}`) ? text : `${status} ${text}` };
  const retryAfterMs = isRecord(headers) ? retryAfter(headersOf(headers)) : null;
  return providerError(retryAfterMs === null ? reply : { ...reply, retryAfterMs });
}

function statusOf({ status, statusCode }: Readonly<Record<string, unknown>>): number | null {
  for (const value of [status, statusCode]) {
    if (typeof value === 'number' && value >= 400 && value < 600) return value;
  }
  return null;
}

function headersOf(headers: Readonly<Record<string, unknown>>): Headers {
  if (headers instanceof Headers) return headers;
  const texts = Object.entries(headers).filter(([, value]) => typeof value === 'string');
  return new Headers(Object.fromEntries(texts) as Record<string, string>);
}

/** The codes of Node and of undici, which its `fetch` runs on. */
const connectionCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
]);
const connectionNames: ReadonlySet<unknown> = new Set([
  'APIConnectionError',
  'APIConnectionTimeoutError',
]);
const connectionMessages: ReadonlySet<unknown> = new Set(['fetch failed', 'terminated']);
const maxCauses = 5;

function isDisconnected(thrown: unknown): boolean {
  let next = thrown;
  for (let depth = 0; isRecord(next) && depth <= maxCauses; depth += 1) {
    const { code, name, message, cause } = next;
    // Classes of client libraries have names of their own, their errors not always.
    const className = next.constructor.name;
    if (connectionCodes.has(code) || connectionMessages.has(message)) return true;
    if (connectionNames.has(name) || connectionNames.has(className)) return true;
    next = cause;
  }
  return false;
}
