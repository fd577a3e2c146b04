// Owns the way to OpenAI's two APIs and to servers that speak like them: the SDK's client and its errors.
import type { APIError, OpenAI } from 'openai';
import { troupeErrorIn } from '../../base/bounded-body.ts';
import { TroupeError, toFailure } from '../../base/failures.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { Model, ModelCall, ModelRequest } from '../model.ts';
import {
  aborted,
  disconnected,
  malformed,
  missingKey,
  retryAfter,
  scrubbed,
  timedOut,
} from './adapter-failure.ts';
import { reasonOfBody } from './body-reason.ts';
import { ChatAnswer, toChatParams } from './openai-chat.ts';
import { refusal, statusOfCode } from './openai-refusal.ts';
import { ResponsesAnswer, toResponsesParams } from './openai-responses.ts';
import { providerFetch } from './provider-fetch.ts';

/** Which of the two APIs is spoken; by the names that the source systems use. */
export type OpenAiMode = 'chat_completions' | 'codex_responses';

export type OpenAiOptions = {
  readonly model: string;
  readonly apiKey: string;
  readonly mode: OpenAiMode;
  /** Default: OpenAI's own address. */
  readonly baseUrl?: string;
  /** What the model is called in outcomes and events. Default `openai:<model>`. */
  readonly id?: string;
  /** Retries of one call by the SDK, on 408, 409, 429, 5xx and broken connections. Default 2. */
  readonly maxRetries?: number;
  /** For one attempt until its response begins. Default 10 minutes. */
  readonly timeoutMs?: number;
};

/** Within the limits of the models that a budget is likely to meet. */
const defaultMaxOutputTokens = 16_384;
const defaultTimeoutMs = 600_000;

type Sdk = typeof import('openai');
type Connection = { readonly sdk: Sdk; readonly client: OpenAI };

/**
 * A model behind an API of OpenAI's making. Throws `model_key_missing` at once without a key; loads the package `openai`
 * at the first call, which fails `model_package_missing` when it is not installed. The key appears in no error.
 */
export function openai(options: OpenAiOptions): Model {
  const apiKey = options.apiKey.trim();
  if (apiKey === '') throw missingKey('OPENAI_API_KEY');
  let connection: Promise<Connection> | null = null;
  return {
    id: options.id ?? `openai:${options.model}`,
    maxOutputTokens: defaultMaxOutputTokens,
    async respond(request, call) {
      connection ??= connect({ ...options, apiKey });
      const { sdk, client } = await connection;
      try {
        const ask = options.mode === 'chat_completions' ? askChat : askResponses;
        return await ask(client, options, { request, call });
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

async function connect(options: OpenAiOptions): Promise<Connection> {
  const sdk = await import('openai').catch((error: unknown) => {
    throw missingPackage(error);
  });
  const client = new sdk.OpenAI({
    apiKey: options.apiKey,
    // Nothing is taken from an environment: the endpoint receives only what its options contain.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: options.baseUrl ?? null,
    maxRetries: options.maxRetries ?? 2,
    timeout: options.timeoutMs ?? defaultTimeoutMs,
    // The SDK would print malformed events, and with them a conversation, to the console.
    logLevel: 'off',
    // No answer of this API is elsewhere, and a key must not follow to where it is not at home.
    fetchOptions: { redirect: 'manual' },
    fetch: providerFetch,
  });
  return { sdk, client };
}

/** The error of a package that could not be loaded: which one, and what to do when it is just not there. */
export function missingPackage(error: unknown): TroupeError {
  const detail = { package: 'openai' };
  const isAbsent =
    error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  const message = isAbsent
    ? 'models of OpenAI need the package "openai", which is not installed; run: npm install openai'
    : `the package "openai" cannot be loaded: ${toFailure(error).message}`;
  return new TroupeError('model_package_missing', message, { detail });
}

type Question = { readonly request: ModelRequest; readonly call: ModelCall };

async function askChat(
  client: OpenAI,
  { model, baseUrl }: OpenAiOptions,
  { request, call }: Question,
): Promise<ModelResponse> {
  const { signal } = call;
  const params = toChatParams(model, request, baseUrl === undefined);
  const asked = client.chat.completions.create(params, { signal });
  const { data: stream, response } = await asked.withResponse();
  call.onResponse?.(response.status, response.headers);
  const answer = new ChatAnswer(model, request);
  for await (const chunk of stream) answer.add(chunk, call);
  // The SDK ends an aborted stream as if it were complete.
  if (signal.aborted) throw aborted();
  return answer.toResponse();
}

async function askResponses(
  client: OpenAI,
  { model }: OpenAiOptions,
  { request, call }: Question,
): Promise<ModelResponse> {
  const { signal } = call;
  const asked = client.responses.create(toResponsesParams(model, request), { signal });
  const { data: stream, response } = await asked.withResponse();
  call.onResponse?.(response.status, response.headers);
  const answer = new ResponsesAnswer();
  for await (const event of stream) answer.add(event, call);
  if (signal.aborted) throw aborted();
  return answer.toResponse();
}

function translate(sdk: Sdk, error: unknown, signal: AbortSignal): TroupeError {
  const ours = troupeErrorIn(error);
  if (ours !== null) return ours;
  if (signal.aborted || error instanceof sdk.APIUserAbortError) return aborted();
  if (error instanceof sdk.APIConnectionTimeoutError) return timedOut();
  if (error instanceof sdk.APIConnectionError) return disconnected(error);
  if (error instanceof sdk.APIError) return refused(error);
  const isShape = error instanceof TypeError && error.cause === undefined;
  if (error instanceof SyntaxError || isShape) return malformed(error.message);
  // What is left is a stream that broke off.
  return disconnected(error);
}

function refused(error: APIError): TroupeError {
  const { code, type, headers } = error;
  const known = statusOfCode(code ?? null) ?? error.status ?? statusOfCode(type ?? null);
  const retryAfterMs = retryAfter(headers);
  return refusal({
    status: known ?? 500,
    code: code ?? null,
    // What is no error of this API, such as a proxy's page, is in the message with its status.
    message: messageOf(error.error) ?? type ?? reasonOfBody(error.message.replace(/^\d{3} /, '')),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

function messageOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('message' in body)) return null;
  return typeof body.message === 'string' ? body.message : null;
}
