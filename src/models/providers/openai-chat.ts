// Owns the translation between our history and OpenAI's Chat Completions, as its many servers speak it. Sends nothing.
import type { OpenAI } from 'openai';
import type {
  AssistantBlock,
  Message,
  StopReason,
  TokenCounts,
  ToolResultBlock,
  UserBlock,
} from '../../protocol/history.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { ToolChoice } from '../../protocol/model-settings.ts';
import type { AnswerCall, ModelRequest } from '../model.ts';
import { countChars, countHeadChars, estimateTokens } from '../token-estimate.ts';
import { disconnected } from './adapter-failure.ts';
import { withDrawnImagesMoved } from './drawn-images.ts';
import { encodeReasoning } from './opaque-reasoning.ts';
import { argumentsText, parseArguments } from './tool-arguments.ts';

type Param = OpenAI.ChatCompletionMessageParam;
type Part = OpenAI.ChatCompletionContentPart;

/** The body of a request. OpenAI's own models know the newer name of the output limit only, many servers the older. */
export function toChatParams(
  model: string,
  request: ModelRequest,
  isOpenAi: boolean,
): OpenAI.ChatCompletionCreateParamsStreaming {
  const { system, tools, messages, maxOutputTokens, settings = {} } = request;
  const { temperature, topP, effort, outputFormat, toolChoice } = settings;
  const limit = isOpenAi ? 'max_completion_tokens' : 'max_tokens';
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...withDrawnImagesMoved(messages).flatMap(toParams),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function' as const,
            function: { name, description, parameters: { ...inputSchema } },
          })),
          ...(toolChoice === undefined ? {} : { tool_choice: toToolChoice(toolChoice) }),
        }),
    ...(maxOutputTokens === undefined ? {} : { [limit]: maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(outputFormat === undefined
      ? {}
      : {
          response_format: {
            type: 'json_schema' as const,
            json_schema: { name: outputFormat.name, schema: { ...outputFormat.schema } },
          },
        }),
  };
}

function toToolChoice(choice: ToolChoice): OpenAI.ChatCompletionToolChoiceOption {
  return typeof choice === 'string'
    ? choice
    : { type: 'function', function: { name: choice.tool } };
}

function toParams({ role, content }: Message): readonly Param[] {
  return role === 'assistant' ? toAssistant(content) : toUser(content);
}

/** Thoughts have no place in these histories; what is left empty is not sent. */
function toAssistant(content: readonly AssistantBlock[]): readonly Param[] {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  const calls = content.flatMap((block) =>
    block.type === 'tool_use'
      ? [
          {
            type: 'function' as const,
            id: block.id,
            function: { name: block.name, arguments: argumentsText(block.input) },
          },
        ]
      : [],
  );
  if (text === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

/** Results come first, each as a message of its own, so that they follow their calls; then the user's content. */
function toUser(content: readonly UserBlock[]): readonly Param[] {
  const results: Param[] = [];
  const parts: Part[] = [];
  for (const block of content) {
    switch (block.type) {
      case 'tool_result':
        results.push({ role: 'tool', tool_call_id: block.tool_use_id, content: resultText(block) });
        parts.push(...imagesOf(block));
        break;
      case 'text':
        if (block.text !== '') parts.push({ type: 'text', text: block.text });
        break;
      case 'image':
        parts.push(toImage(block));
        break;
    }
  }
  return parts.length === 0 ? results : [...results, { role: 'user', content: parts }];
}

/** The API has no flag for a result that is an error: this mark in the text replaces it. */
export const errorMark = '[error] ';

function resultText({ content, is_error }: ToolResultBlock): string {
  const text =
    typeof content === 'string'
      ? content
      : content
          .map((block) => (block.type === 'text' ? block.text : '[image, see below]'))
          .join('\n');
  return is_error === true ? `${errorMark}${text}` : text;
}

/** Results contain text only; their images follow as the user's. */
function imagesOf({ content }: ToolResultBlock): readonly Part[] {
  if (typeof content === 'string') return [];
  return content.flatMap((block) => (block.type === 'image' ? [toImage(block)] : []));
}

function toImage({ source }: Extract<UserBlock, { readonly type: 'image' }>): Part {
  return {
    type: 'image_url',
    image_url: { url: `data:${source.media_type};base64,${source.data}` },
  };
}

/** Servers of open models stream thoughts in a field of their own, under one of two names. */
type Delta = OpenAI.ChatCompletionChunk.Choice.Delta & {
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
};

type CallPart = Partial<OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall>;
type Call = { id: string; name: string; text: string };

/** What a call takes beside its arguments: a stream of empty ones is no empty answer. */
const callChars = 16;

/** One streamed answer, put together. */
export class ChatAnswer {
  readonly #request: ModelRequest;
  readonly #calls: Call[] = [];
  /** By the number its server gives it, which need not be its place. */
  readonly #numbered = new Map<number, Call>();
  #model: string;
  #thinking = '';
  #text = '';
  #isRefused = false;
  #finish: string | null = null;
  #usage: OpenAI.CompletionUsage | null = null;

  constructor(model: string, request: ModelRequest) {
    this.#model = model;
    this.#request = request;
  }

  add(chunk: OpenAI.ChatCompletionChunk, call: AnswerCall): void {
    if (chunk.model) this.#model = chunk.model;
    if (chunk.usage) {
      this.#usage = chunk.usage;
      call.onUsage?.(toCounts(chunk.usage));
    }
    const [choice] = chunk.choices;
    if (choice === undefined) return;
    const delta: Delta = choice.delta ?? {};
    const thinking = delta.reasoning_content ?? delta.reasoning ?? '';
    const text = (delta.content ?? '') + (delta.refusal ?? '');
    if (delta.refusal) this.#isRefused = true;
    this.#thinking += thinking;
    this.#text += text;
    if (thinking !== '') call.onDelta({ type: 'thinking', text: thinking });
    if (text !== '') call.onDelta({ type: 'text', text });
    for (const part of delta.tool_calls ?? []) {
      call.onOutput?.(callChars + (part.function?.arguments?.length ?? 0));
      this.#addCall(part);
    }
    this.#finish = choice.finish_reason ?? this.#finish;
  }

  /** Throws `model_disconnected` when the stream ended before its answer did. */
  toResponse(): ModelResponse {
    if (this.#finish === null) throw disconnected('the stream ended before its answer');
    const calls = this.#calls;
    const content: AssistantBlock[] = [
      ...(this.#thinking === '' ? [] : [encodeReasoning('chat_completions', this.#thinking, {})]),
      ...(this.#text === '' ? [] : [{ type: 'text' as const, text: this.#text }]),
      ...calls.map(({ id, name, text }) => ({
        type: 'tool_use' as const,
        // Some servers name no ids: the gateway does.
        id,
        name,
        input: parseArguments(text),
      })),
    ];
    return {
      content,
      stopReason: this.#isRefused ? 'refusal' : stopReasonOf(this.#finish, calls.length > 0),
      usage: this.#usage === null ? this.#estimate() : toCounts(this.#usage),
      isEstimated: this.#usage === null,
      model: this.#model,
    };
  }

  /** A part without an index continues the last call, or begins one when it brings an id. */
  #addCall({ index, id, function: named }: CallPart): void {
    const last = id === undefined ? this.#calls.at(-1) : undefined;
    const call = (index == null ? last : this.#numbered.get(index)) ?? this.#beginCall(index);
    if (id) call.id = id;
    if (named?.name) call.name = named.name;
    call.text += named?.arguments ?? '';
  }

  #beginCall(index: number | null | undefined): Call {
    const call: Call = { id: '', name: '', text: '' };
    this.#numbered.set(index ?? this.#calls.length, call);
    this.#calls.push(call);
    return call;
  }

  #estimate(): TokenCounts {
    const { system, tools, messages } = this.#request;
    const calls = this.#calls.map(({ name, text }) => name + text).join('');
    return {
      inputTokens: estimateTokens(countHeadChars(system, tools) + countChars(messages)),
      outputTokens: estimateTokens(`${this.#thinking}${this.#text}${calls}`.length),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    };
  }
}

function stopReasonOf(finish: string, asksForTools: boolean): StopReason {
  switch (finish) {
    case 'length':
      return 'max_tokens';
    case 'content_filter':
      return 'refusal';
    case 'tool_calls':
    case 'function_call':
      return 'tool_use';
    default:
      // Some servers stop with calls in hand, and some know reasons that we do not.
      return asksForTools ? 'tool_use' : 'end_turn';
  }
}

/** OpenAI's input tokens include those of the cache; ours do not. */
function toCounts({ prompt_tokens, completion_tokens, ...usage }: OpenAI.CompletionUsage) {
  const { cached_tokens = 0, cache_write_tokens = 0 } = usage.prompt_tokens_details ?? {};
  return {
    inputTokens: Math.max(0, prompt_tokens - cached_tokens - cache_write_tokens),
    outputTokens: completion_tokens,
    cacheReadTokens: cached_tokens,
    cacheWriteTokens: cache_write_tokens,
  };
}
