// A language model of the AI SDK's specifications, written after their published types, that plays stub replies. Asserts nothing.
import type { AiSdkModel } from '#src/models/providers/ai-sdk.js';
import type { AiSdkVersion } from '#src/models/providers/ai-sdk-prompt.js';
import type { StubReply, StubUsage } from '#src/testing.js';

type Options = Readonly<Record<string, unknown>> & { readonly abortSignal?: AbortSignal };
type Part = Readonly<Record<string, unknown>>;
type Message = Extract<StubReply, { readonly type: 'message' }>;

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  refusal: 'content-filter',
};

export class FakeAiSdkModel implements AiSdkModel {
  readonly specificationVersion: AiSdkVersion;
  readonly provider = 'fake';
  readonly modelId = 'fake-1';
  readonly supportedUrls = {};
  readonly #replies: StubReply[] = [];
  readonly #seen: { readonly body: Options }[] = [];
  readonly #asked = new Waiting();
  readonly #cut = new Waiting();

  constructor(version: AiSdkVersion) {
    this.specificationVersion = version;
  }

  reply(...replies: readonly StubReply[]): void {
    this.#replies.push(...replies);
  }

  requests(): readonly { readonly body: Options }[] {
    return this.#seen;
  }

  nextRequest(): Promise<void> {
    return this.#asked.next();
  }

  nextCut(): Promise<void> {
    return this.#cut.next();
  }

  async doStream(options: never): Promise<{ stream: ReadableStream<unknown> }> {
    const { abortSignal, ...body }: Options = options;
    this.#seen.push({ body });
    this.#asked.add();
    const reply = this.#replies.shift() ?? { type: 'error', status: 500 };
    if (reply.type === 'error') throw callError(reply);
    if (reply.type === 'silence' && reply.text === undefined) {
      // As a fetch that waits: it ends with its signal, and with nothing else.
      await new Promise<never>((_, reject) => {
        abortSignal?.addEventListener('abort', () => {
          this.#cut.add();
          reject(abortSignal.reason);
        });
      });
    }
    return { stream: this.#stream(reply) };
  }

  #stream(reply: StubReply): ReadableStream<unknown> {
    const parts = this.#partsOf(reply);
    return new ReadableStream({
      pull: (controller) => {
        const part = parts.shift();
        if (part !== undefined) controller.enqueue(part);
        else if (reply.type === 'disconnect') {
          controller.error(new TypeError('terminated', { cause: new Error('other side closed') }));
        } else if (reply.type !== 'silence') controller.close();
      },
      cancel: () => this.#cut.add(),
    });
  }

  #partsOf(reply: StubReply): Part[] {
    const metadata = { type: 'response-metadata', id: 'r', modelId: 'fake-1' };
    const start = [{ type: 'stream-start', warnings: [] }, metadata];
    switch (reply.type) {
      case 'message':
        return [...start, ...contentOf(reply), this.#finish(reply)];
      case 'stream_error':
        return [...start, { type: 'error', error: callError({ status: 529, ...reply }) }];
      case 'malformed': {
        const error = Object.assign(new Error('JSON parsing failed'), {
          name: 'AI_JSONParseError',
        });
        return [...start, { type: 'error', error }];
      }
      case 'disconnect':
      case 'unfinished':
      case 'silence':
        return [
          ...start,
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: reply.text ?? '' },
        ];
      default:
        throw new Error(`the fake cannot play ${reply.type}`);
    }
  }

  #finish({ stopReason, toolCalls = [], usage }: Message): Part {
    const raw = stopReason ?? (toolCalls.length > 0 ? 'tool_use' : 'end_turn');
    const unified = finishReasons[raw] ?? 'other';
    const isFlat = this.specificationVersion === 'v2';
    return {
      type: 'finish',
      finishReason: isFlat ? unified : { unified, raw },
      usage: isFlat ? flatUsage(usage) : nestedUsage(usage),
    };
  }
}

function contentOf({ thinking, text, toolCalls = [] }: Message): readonly Part[] {
  const pieces = text === undefined || typeof text === 'string' ? [text ?? ''] : text;
  const providerMetadata = { fake: { signature: 'stub' } };
  return [
    ...(thinking === undefined
      ? []
      : [
          { type: 'reasoning-start', id: '0' },
          { type: 'reasoning-delta', id: '0', delta: thinking },
          { type: 'reasoning-end', id: '0', providerMetadata },
        ]),
    { type: 'text-start', id: '0' },
    ...pieces.map((delta) => ({ type: 'text-delta', id: '0', delta })),
    { type: 'text-end', id: '0' },
    ...toolCalls.map(({ id, name, input, rawInput }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: rawInput ?? JSON.stringify(input),
    })),
  ];
}

function callError(reply: {
  readonly status: number;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}): Error {
  const { status: statusCode, message = 'fake error', retryAfterSeconds } = reply;
  const responseHeaders =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const fields = { name: 'AI_APICallError', statusCode, responseHeaders, isRetryable: true };
  return Object.assign(new Error(message), fields);
}

const defaultUsage: StubUsage = { input_tokens: 10, output_tokens: 5 };

function flatUsage(usage: StubUsage = defaultUsage): Part {
  const { input_tokens, output_tokens: outputTokens } = usage;
  const { cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage;
  const inputTokens = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return { inputTokens, outputTokens, cachedInputTokens: cache_read_input_tokens };
}

function nestedUsage(usage: StubUsage = defaultUsage): Part {
  const { input_tokens: noCache, output_tokens: text } = usage;
  const { cache_read_input_tokens: cacheRead = 0 } = usage;
  const { cache_creation_input_tokens: cacheWrite = 0 } = usage;
  return {
    inputTokens: { total: noCache + cacheRead + cacheWrite, noCache, cacheRead, cacheWrite },
    outputTokens: { total: text, text, reasoning: undefined },
  };
}

/** Things that happen, each waited for once. */
class Waiting {
  #count = 0;
  readonly #resolvers: (() => void)[] = [];

  add(): void {
    const resolve = this.#resolvers.shift();
    if (resolve === undefined) this.#count += 1;
    else resolve();
  }

  next(): Promise<void> {
    if (this.#count > 0) {
      this.#count -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#resolvers.push(resolve));
  }
}
