// Owns the table from a provider's HTTP status to our failure codes, so that doubles fail exactly as providers do.
import { type FailureCode, TroupeError } from '../../base/failures.ts';

/** A provider's reply when it refused or failed. */
export type ProviderReply = {
  /** The HTTP status; 0 when the connection broke before there was one. */
  readonly status: number;
  readonly message: string;
  /** How long the provider asks to wait, from `retry-after`. */
  readonly retryAfterMs?: number;
};

type Verdict = { readonly code: FailureCode; readonly retryable: boolean };

/** The code of a status and whether asking again can help: 408, 409, 429, every 5xx and a broken connection. */
function classifyStatus(status: number): Verdict {
  switch (status) {
    case 0:
      return { code: 'model_disconnected', retryable: true };
    case 401:
    case 402:
    case 403:
      return { code: 'model_auth', retryable: false };
    case 404:
      return { code: 'model_unknown', retryable: false };
    case 408:
    case 504:
      return { code: 'model_timeout', retryable: true };
    case 409:
      return { code: 'model_failed', retryable: true };
    case 429:
      return { code: 'model_rate_limited', retryable: true };
    case 503:
    case 529:
      return { code: 'model_overloaded', retryable: true };
    default:
      if (status >= 500) return { code: 'model_failed', retryable: true };
      return { code: status >= 400 ? 'model_bad_request' : 'model_failed', retryable: false };
  }
}

const windowExceeded: Verdict = { code: 'context_window_exceeded', retryable: false };

/** Texts of a 400 for a conversation that is too long: most APIs, Anthropic included, have no code for it. */
const windowPatterns: readonly RegExp[] = [
  /\bprompt is too long\b/i,
  /\bexceeds? (the )?context (limit|window)\b/i,
  /\bmaximum context length\b/i,
];

/** The error of a provider's reply; `detail` carries the status and the wait it asked for, never headers or bodies. */
export function providerError(reply: ProviderReply): TroupeError {
  const { status, message, retryAfterMs } = reply;
  const isTooLong = status === 400 && windowPatterns.some((pattern) => pattern.test(message));
  const { code, retryable } = isTooLong ? windowExceeded : classifyStatus(status);
  const detail = retryAfterMs === undefined ? { status } : { status, retryAfterMs };
  return new TroupeError(code, message, { retryable, detail });
}
