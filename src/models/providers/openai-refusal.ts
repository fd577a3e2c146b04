// Owns what OpenAI's error codes mean: errors inside a stream have a code and no status. Knows no SDK.
import { TroupeError } from '../../base/failures.ts';
import { providerError } from './provider-failure.ts';

type Refusal = {
  readonly status: number;
  readonly code: string | null;
  readonly message: string;
  readonly retryAfterMs?: number;
};

/** The error of an API's refusal; errors inside a stream have a code and no status. */
export function refusal({ code, message, ...reply }: Refusal): TroupeError {
  const text = `${reply.status} ${message}`;
  if (code === 'context_length_exceeded') {
    return new TroupeError('context_window_exceeded', text, { detail: { status: reply.status } });
  }
  return providerError({ ...reply, message: text });
}

const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_prompt: 400,
  context_length_exceeded: 400,
  invalid_api_key: 401,
  authentication_error: 401,
  // Sent with a 429, but no wait helps: the account has no money.
  insufficient_quota: 402,
  model_not_found: 404,
  rate_limit_exceeded: 429,
  server_error: 500,
  server_is_overloaded: 503,
  slow_down: 503,
};

/** The status that a code means; routers use statuses as codes. Null for an unknown code. */
export function statusOfCode(code: string | number | null): number | null {
  const status = Number(code);
  if (code !== null && Number.isInteger(status) && status >= 400 && status < 600) return status;
  return statuses[code ?? ''] ?? null;
}
