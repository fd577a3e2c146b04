// Owns what the errors of the AI SDK's models mean: recognised by name, since every copy has classes of its own.
import { describe, TroupeError } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';
import { maskKeys } from '../../base/secret-text.ts';
import { aborted, disconnected, malformed, retryAfter } from './adapter-failure.ts';
import { messageIn, reasonIn, reasonOfBody } from './body-reason.ts';
import { refusal, statusOfCode } from './openai-refusal.ts';
import { providerError } from './provider-failure.ts';

/** What is used of the errors of `@ai-sdk/provider`. */
type ProviderError = {
  readonly name: string;
  readonly message: string;
  readonly cause?: unknown;
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
};

/** The error of what a model threw, or sent in its stream, without what looks like a key. */
export function translateAiSdk(error: unknown, signal: AbortSignal): TroupeError {
  if (error instanceof TroupeError) return error;
  if (signal.aborted) return aborted();
  const { code, message, retryable, detail } = translated(error);
  const options = detail === undefined ? { retryable } : { retryable, detail };
  return new TroupeError(code, maskKeys(message), options);
}

function translated(error: unknown): TroupeError {
  if (!(error instanceof Error)) return failureOf(error);
  const { name, message, cause, statusCode, responseHeaders, responseBody } =
    error as ProviderError;
  if (typeof statusCode === 'number') {
    const isAnswer = statusCode >= 200 && statusCode < 300;
    if (isAnswer) return malformed(responseBody ? reasonIn(responseBody) : message);
    const retryAfterMs = retryAfter(new Headers({ ...responseHeaders }));
    const reason = reasonOfBody(responseBody ?? '');
    // The message of a page's error is no more than the name of its status.
    const text = reason === '' || reason.includes(message) ? message : `${message}: ${reason}`;
    const reply = { status: statusCode, message: `${statusCode} ${text}` };
    return providerError(retryAfterMs === null ? reply : { ...reply, retryAfterMs });
  }
  switch (name) {
    case 'AI_APICallError':
      // Without a status there was no response.
      return disconnected(error);
    case 'AI_JSONParseError':
    case 'AI_TypeValidationError':
    case 'AI_InvalidResponseDataError':
    case 'AI_EmptyResponseBodyError':
    case 'AI_NoContentGeneratedError':
    case 'SyntaxError':
      return malformed(message);
    case 'AI_LoadAPIKeyError':
      return new TroupeError('model_auth', message);
    case 'AI_NoSuchModelError':
      return new TroupeError('model_unknown', message);
    case 'AI_InvalidPromptError':
    case 'AI_InvalidArgumentError':
    case 'AI_UnsupportedFunctionalityError':
      return new TroupeError('model_bad_request', message);
    case 'TypeError':
      return cause === undefined ? malformed(message) : disconnected(error);
    default:
      return disconnected(error);
  }
}

/** An error that a provider sent in its stream: a text, or an object as its API sends it. */
function failureOf(error: unknown): TroupeError {
  const text = typeof error === 'string' ? error : (messageIn({ error }) ?? describe(error));
  const { code, type, statusCode } = isRecord(error) ? error : {};
  const [status = null] = [statusCode, code, type].flatMap((each) => {
    const known = typeof each === 'string' || typeof each === 'number' ? statusOfCode(each) : null;
    return known === null ? [] : [known];
  });
  if (status === null) return new TroupeError('model_failed', `the model failed: ${text}`);
  return refusal({ status, code: typeof code === 'string' ? code : null, message: text });
}
