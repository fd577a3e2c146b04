// Owns the way to Anthropic's Messages API: the only file that knows the SDK. Retries are the SDK's, history is not.
import type { Anthropic, APIError } from '@anthropic-ai/sdk';
import { TroupeError, toFailure } from '../errors.ts';
import {
  type AssistantBlock,
  type Message,
  type Model,
  type ModelCall,
  type ModelRequest,
  type ModelResponse,
  type StopReason,
  stopReasons,
  type ToolSchema,
} from './model.ts';
import { providerError } from './provider-failure.ts';

export type AnthropicOptions = {
  readonly model: string;
  readonly apiKey: string;
  /** Default: the API's own address. */
  readonly baseUrl?: string;
  /** Retries of one call by the SDK, on 408, 409, 429, 5xx and broken connections. Default 2. */
  readonly maxRetries?: number;
  /** For one attempt until its response begins. Default 10 minutes. */
  readonly timeoutMs?: number;
};

/** Within every current model's own limit. */
const defaultMaxOutputTokens = 32_000;
const defaultTimeoutMs = 600_000;
const longestMessage = 500;

type Sdk = typeof import('@anthropic-ai/sdk');
type Connection = { readonly sdk: Sdk; readonly client: Anthropic };

/**
 * A model behind Anthropic's API. Throws `model_key_missing` at once without a key; loads the SDK (26 MB, 0.2 s) at
 * the first call. The key appears in no error.
 */
export function anthropic(options: AnthropicOptions): Model {
  const apiKey = options.apiKey.trim();
  if (apiKey === '') throw missingKey();
  let connection: Promise<Connection> | null = null;
  return {
    id: `anthropic:${options.model}`,
    maxOutputTokens: defaultMaxOutputTokens,
    async respond(request, call) {
      connection ??= connect({ ...options, apiKey });
      const { sdk, client } = await connection;
      try {
        return await ask(client, options.model, request, call);
      } catch (error) {
        throw scrubbed(translate(sdk, error, call.signal), apiKey);
      }
    },
  };
}

/** The one refusal for a model without a key: which variable is missing, and what works without. */
export function missingKey(): TroupeError {
  return new TroupeError(
    'model_key_missing',
    'ANTHROPIC_API_KEY is not set; set it, or use --model offline, which works without a key',
    { detail: { variable: 'ANTHROPIC_API_KEY' } },
  );
}

async function connect(options: AnthropicOptions): Promise<Connection> {
  const sdk = await import('@anthropic-ai/sdk').catch((error: unknown) => {
    const reason = toFailure(error).message;
    throw new TroupeError('model_failed', `the Anthropic SDK cannot be loaded: ${reason}`);
  });
  const client = new sdk.Anthropic({
    apiKey: options.apiKey,
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
  const stream = client.messages.stream(
    {
      model,
      max_tokens: request.maxOutputTokens ?? defaultMaxOutputTokens,
      messages: toMessages(request.messages),
      cache_control: { type: 'ephemeral' },
      ...(request.system === '' ? {} : { system: request.system }),
      ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toTool) }),
    },
    { signal: call.signal },
  );
  stream.on('text', (text) => call.onDelta({ type: 'text', text }));
  stream.on('thinking', (text) => call.onDelta({ type: 'thinking', text }));
  return toResponse(await stream.finalMessage());
}

/** The API refuses empty texts and empty messages, which a history may hold. */
function toMessages(messages: readonly Message[]): Anthropic.MessageParam[] {
  const sent: Anthropic.MessageParam[] = [];
  for (const { role, content } of messages) {
    const blocks = content.filter((block) => block.type !== 'text' || block.text !== '');
    // Our blocks are Anthropic's own; only `readonly` and the media types of images are told apart.
    if (blocks.length > 0) sent.push({ role, content: blocks as Anthropic.ContentBlockParam[] });
  }
  return sent;
}

function toTool({ name, description, inputSchema }: ToolSchema): Anthropic.Tool {
  // A tool's schema always describes an object: `defineTool` refuses others.
  return { name, description, input_schema: inputSchema as Anthropic.Tool.InputSchema };
}

function toResponse(message: Anthropic.Message): ModelResponse {
  const content = message.content.map(toBlock);
  const { usage } = message;
  return {
    content,
    stopReason: toStopReason(message.stop_reason, content),
    usage: {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_input_tokens ?? 0,
      cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
    },
    isEstimated: false,
    model: message.model,
  };
}

function toBlock(block: Anthropic.ContentBlock): AssistantBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.thinking, signature: block.signature };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
    default:
      // Only server tools make other blocks, and we ask for none; dropping one would break the history.
      throw new TroupeError('model_bad_response', `the response has a ${block.type} block`);
  }
}

/** A reason newer than our list ends the turn, or asks for tools when the content does. */
export function toStopReason(
  reason: string | null,
  content: readonly AssistantBlock[],
): StopReason {
  const known = stopReasons.find((candidate) => candidate === reason);
  if (known !== undefined) return known;
  return content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
}

function translate(sdk: Sdk, error: unknown, signal: AbortSignal): TroupeError {
  if (error instanceof TroupeError) return error;
  if (signal.aborted || error instanceof sdk.APIUserAbortError) {
    return new TroupeError('aborted', 'the model call was aborted');
  }
  if (error instanceof sdk.APIConnectionTimeoutError) {
    return new TroupeError('model_timeout', 'the model did not answer in time', {
      retryable: true,
    });
  }
  if (error instanceof sdk.APIConnectionError) return disconnected(error);
  if (error instanceof sdk.APIError) return refused(error);
  const cause = error instanceof Error ? error.cause : undefined;
  const isShape = cause instanceof TypeError && cause.cause === undefined;
  if (cause instanceof SyntaxError || isShape) {
    return new TroupeError('model_bad_response', `the response is malformed: ${cause.message}`);
  }
  // What is left is a stream that broke off: `terminated`, or an end before `message_stop`.
  return disconnected(error);
}

function disconnected(error: unknown): TroupeError {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const reason = cause instanceof Error ? causeOf(cause) : '';
  const text = reason === '' ? message : `${message} (${reason})`;
  return new TroupeError('model_disconnected', text, { retryable: true });
}

/** `fetch failed` hides what happened one level down. */
function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
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
  const message = `${status} ${error.apiMessage ?? error.type ?? 'with no message'}`;
  return providerError(
    retryAfterMs === null ? { status, message } : { status, message, retryAfterMs },
  );
}

function retryAfter(headers: Headers | undefined): number | null {
  const ms = headers?.get('retry-after-ms') ?? null;
  const seconds = headers?.get('retry-after') ?? null;
  const wait = ms === null ? Number(seconds ?? Number.NaN) * 1_000 : Number(ms);
  return Number.isFinite(wait) && wait >= 0 ? wait : null;
}

/** The same error with every occurrence of the key taken out of its message, and no cause that could hold it. */
function scrubbed(error: TroupeError, secret: string): TroupeError {
  const { code, retryable, detail } = error;
  const text = [secret, encodeURIComponent(secret)]
    .reduce((message, form) => message.replaceAll(form, '[key]'), error.message)
    .slice(0, longestMessage);
  return TroupeError.from(
    detail === undefined
      ? { code, message: text, retryable }
      : { code, message: text, retryable, detail },
  );
}
