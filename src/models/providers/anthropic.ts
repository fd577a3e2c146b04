// Owns the calls of Anthropic's Messages API: the SDK's client and its errors. The rate-limited client retries them.
import type { Anthropic, APIError } from '@anthropic-ai/sdk';
import { troupeErrorIn } from '../../base/bounded-body.ts';
import { TroupeError, toFailure } from '../../base/failures.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { Model, ModelCall, ModelRequest, SettingName } from '../model.ts';
import { checkSettings } from '../settings.ts';
import {
  aborted,
  disconnected,
  malformed,
  missingKey,
  retryAfter,
  scrubbed,
  timedOut,
} from './adapter-failure.ts';
import { toCounts, toParams, toResponse } from './anthropic-messages.ts';
import { reasonOfBody } from './body-reason.ts';
import { providerError } from './provider-failure.ts';
import { providerFetch } from './provider-fetch.ts';

export type AnthropicOptions = {
  readonly model: string;
  readonly apiKey: string;
  /** Default: the API's own address. */
  readonly baseUrl?: string;
  /** Retries of one call by the SDK, on 408, 409, 429, 5xx and broken connections. Default 2. */
  readonly maxRetries?: number;
  /** What the model is called in outcomes and events. Default `anthropic:<model>`. */
  readonly id?: string;
  /**
   * An older version of the API, for compatible endpoints that know no other: the key goes out as `x-api-key`, and
   * `temperature` and `topP` are taken. Default: the SDK's own, 2026-10-21.
   */
  readonly apiVersion?: '2023-06-01';
  /** For one attempt until its response begins. Default 10 minutes. */
  readonly timeoutMs?: number;
};

/** Within every current model's own limit. */
const defaultMaxOutputTokens = 32_000;
const defaultTimeoutMs = 600_000;

type Sdk = typeof import('@anthropic-ai/sdk');
type Connection = { readonly sdk: Sdk; readonly client: Anthropic };

/**
 * A model behind Anthropic's API. Throws `model_key_missing` at once without a key; loads the SDK (26 MB, 0.2 s) at
 * the first call. The key appears in no error.
 */
export function anthropic(options: AnthropicOptions): Model {
  const apiKey = options.apiKey.trim();
  if (apiKey === '') throw missingKey('ANTHROPIC_API_KEY');
  let connection: Promise<Connection> | null = null;
  const id = options.id ?? `anthropic:${options.model}`;
  const refused = refusedByAnthropic(options.apiVersion);
  return {
    id,
    maxOutputTokens: defaultMaxOutputTokens,
    refusedSettings: refused,
    async respond(request, call) {
      checkSettings(id, request.settings ?? {}, refused);
      connection ??= connect({ ...options, apiKey });
      const { sdk, client } = await connection;
      try {
        return await ask(client, options.model, request, call);
      } catch (error) {
        // An error inside a stream has no status: its headers were reported when it began.
        if (error instanceof sdk.APIError && error.status !== undefined && error.headers) {
          call.onResponse?.(error.status, error.headers);
        }
        throw scrubbed(translate(sdk, error, call.signal), apiKey);
      }
    },
  };
}

/** Since 2026-10-21 the API answers 400 to sampling settings, even at their defaults. */
export function refusedByAnthropic(apiVersion: string | undefined): readonly SettingName[] {
  return apiVersion === undefined ? ['temperature', 'topP'] : [];
}

async function connect(options: AnthropicOptions): Promise<Connection> {
  const sdk = await import('@anthropic-ai/sdk').catch((error: unknown) => {
    const reason = toFailure(error).message;
    throw new TroupeError('model_failed', `the Anthropic SDK cannot be loaded: ${reason}`);
  });
  const { apiVersion } = options;
  const client = new sdk.Anthropic({
    ...(apiVersion === undefined
      ? { apiKey: options.apiKey }
      : {
          apiKey: null,
          authToken: null,
          defaultHeaders: { 'x-api-key': options.apiKey, 'anthropic-version': apiVersion },
        }),
    // No answer of this API is elsewhere, and a key must not follow to where it is not at home.
    fetchOptions: { redirect: 'manual' },
    fetch: providerFetch,
    baseURL: options.baseUrl ?? null,
    maxRetries: options.maxRetries ?? 2,
    timeout: options.timeoutMs ?? defaultTimeoutMs,
    openTelemetry: false,
    // The SDK would print malformed events, and with them a conversation, to the console.
    logLevel: 'off',
  });
  return { sdk, client };
}

async function ask(
  client: Anthropic,
  model: string,
  request: ModelRequest,
  call: ModelCall,
): Promise<ModelResponse> {
  const params = toParams(model, request, request.maxOutputTokens ?? defaultMaxOutputTokens);
  const stream = client.messages.stream(params, { signal: call.signal });
  stream.on('connect', () => {
    if (stream.response) call.onResponse?.(stream.response.status, stream.response.headers);
  });
  stream.on('text', (text) => call.onDelta({ type: 'text', text }));
  stream.on('thinking', (text) => call.onDelta({ type: 'thinking', text }));
  // The SDK completes arguments that were cut; what runs a tool has to be what the model wrote.
  const written = new Map<number, string>();
  stream.on('streamEvent', (event, snapshot) => {
    if (event.type === 'message_start' || event.type === 'message_delta') {
      call.onUsage?.(toCounts(snapshot.usage));
    }
    if (event.type !== 'content_block_delta' || event.delta.type !== 'input_json_delta') return;
    call.onOutput?.(event.delta.partial_json.length);
    const { index, delta } = event;
    written.set(index, (written.get(index) ?? '') + delta.partial_json);
  });
  return toResponse(await stream.finalMessage(), written);
}

function translate(sdk: Sdk, error: unknown, signal: AbortSignal): TroupeError {
  const ours = troupeErrorIn(error);
  if (ours !== null) return ours;
  if (signal.aborted || error instanceof sdk.APIUserAbortError) {
    return aborted();
  }
  if (error instanceof sdk.APIConnectionTimeoutError) return timedOut();
  if (error instanceof sdk.APIConnectionError) return disconnected(error);
  if (error instanceof sdk.APIError) return refused(error);
  const cause = error instanceof Error ? error.cause : undefined;
  const isShape = cause instanceof TypeError && cause.cause === undefined;
  if (cause instanceof SyntaxError || isShape) {
    return malformed(cause.message);
  }
  // What is left is a stream that broke off: `terminated`, or an end before `message_stop`.
  return disconnected(error);
}

/** Errors that arrive inside a stream carry a type and no status. */
const statusOfType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

function refused(error: APIError): TroupeError {
  const status = error.status ?? statusOfType[error.type ?? ''] ?? 500;
  const retryAfterMs = retryAfter(error.headers);
  // What is no error of this API, such as a proxy's page, is in the message with its status.
  const why = error.apiMessage ?? error.type ?? reasonOfBody(error.message.replace(/^\d{3} /, ''));
  const message = `${status} ${why}`;
  return providerError(
    retryAfterMs === null ? { status, message } : { status, message, retryAfterMs },
  );
}
