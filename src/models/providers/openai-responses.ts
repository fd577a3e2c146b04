// Owns the translation between our history and OpenAI's Responses API. Sends nothing, keeps nothing on the server.
import type { OpenAI } from 'openai';
import { TroupeError } from '../../base/failures.ts';
import type {
  AssistantBlock,
  Message,
  StopReason,
  TokenCounts,
  ToolResultBlock,
  UserBlock,
} from '../../protocol/history.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { AnswerCall, ModelRequest } from '../model.ts';
import { disconnected } from './adapter-failure.ts';
import { withDrawnImagesMoved } from './drawn-images.ts';
import { decodeReasoning, encodeReasoning } from './opaque-reasoning.ts';
import { errorMark } from './openai-chat.ts';
import { refusal, statusOfCode } from './openai-refusal.ts';
import { argumentsText, parseArguments } from './tool-arguments.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Part = OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage;

/**
 * The body of a request. Thoughts are asked for, and kept for the next request, when an effort is set: models that do
 * not think refuse to be asked.
 */
export function toResponsesParams(
  model: string,
  request: ModelRequest,
): OpenAI.Responses.ResponseCreateParamsStreaming {
  const { system, tools, messages, maxOutputTokens, settings = {} } = request;
  const { temperature, topP, effort, outputFormat, toolChoice } = settings;
  return {
    model,
    stream: true,
    store: false,
    input: withDrawnImagesMoved(messages).flatMap(toItems),
    ...(system === '' ? {} : { instructions: system }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function' as const,
            name,
            description,
            parameters: { ...inputSchema },
            strict: false,
          })),
          ...(toolChoice === undefined
            ? {}
            : {
                tool_choice:
                  typeof toolChoice === 'string'
                    ? toolChoice
                    : { type: 'function' as const, name: toolChoice.tool },
              }),
        }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(effort === undefined
      ? {}
      : { reasoning: { effort, summary: 'auto' }, include: ['reasoning.encrypted_content'] }),
    ...(outputFormat === undefined
      ? {}
      : {
          text: {
            format: {
              type: 'json_schema' as const,
              name: outputFormat.name,
              schema: { ...outputFormat.schema },
            },
          },
        }),
  };
}

function toItems({ role, content }: Message): readonly Item[] {
  return role === 'assistant' ? content.flatMap(toOutputItem) : toUserItems(content);
}

function toOutputItem(block: AssistantBlock): readonly Item[] {
  // Images have been moved by now; sealed thoughts are of another API.
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ role: 'assistant', content: block.text }];
    case 'tool_use': {
      const { id, name, input } = block;
      return [{ type: 'function_call', call_id: id, name, arguments: argumentsText(input) }];
    }
    case 'thinking': {
      // What was kept is an item of this very API.
      const item = decodeReasoning('codex_responses', block) as Item | null | undefined;
      return item == null ? [] : [item];
    }
    case 'image':
    case 'redacted_thinking':
      return [];
  }
}

/** Results come first, so that they follow their calls; then the user's content. */
function toUserItems(content: readonly UserBlock[]): readonly Item[] {
  const results: Item[] = [];
  const parts: Part[] = [];
  for (const block of content) {
    if (block.type === 'tool_result') {
      const output = outputOf(block);
      results.push({ type: 'function_call_output', call_id: block.tool_use_id, output });
    } else if (block.type === 'image' || block.text !== '') parts.push(toPart(block));
  }
  return parts.length === 0 ? results : [...results, { role: 'user', content: parts }];
}

function outputOf({ content, is_error }: ToolResultBlock): string | Part[] {
  const mark = is_error === true ? errorMark : '';
  if (typeof content === 'string') return `${mark}${content}`;
  const parts = content.map(toPart);
  return mark === '' ? parts : [{ type: 'input_text', text: mark.trim() }, ...parts];
}

function toPart(block: Exclude<UserBlock, ToolResultBlock>): Part {
  if (block.type === 'text') return { type: 'input_text', text: block.text };
  const { media_type, data } = block.source;
  return { type: 'input_image', detail: 'auto', image_url: `data:${media_type};base64,${data}` };
}

/** One streamed answer, put together from its finished items: some servers leave them out of the last event. */
export class ResponsesAnswer {
  readonly #items: OpenAI.Responses.ResponseOutputItem[] = [];
  #end: OpenAI.Responses.Response | null = null;

  /** Throws the API's error when it failed in the middle of its answer. */
  add(event: OpenAI.Responses.ResponseStreamEvent, call: AnswerCall): void {
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        call.onDelta({ type: 'text', text: event.delta });
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        call.onDelta({ type: 'thinking', text: event.delta });
        return;
      case 'response.function_call_arguments.delta':
        call.onOutput?.(event.delta.length);
        return;
      case 'response.output_item.done':
        this.#items.push(event.item);
        return;
      case 'response.completed':
      case 'response.incomplete':
        this.#end = event.response;
        return;
      case 'response.failed':
        if (event.response.usage) call.onUsage?.(toCounts(event.response.usage));
        throw failed(event.response.error);
      case 'error':
        throw failed(event);
      default:
        // Beginnings and ends of parts, and events newer than this list, carry nothing that does not come again.
        return;
    }
  }

  /** Throws `model_disconnected` when the stream ended before its answer did. */
  toResponse(): ModelResponse {
    const end = this.#end;
    if (end === null) throw disconnected('the stream ended before its answer');
    const items = this.#items.length > 0 ? this.#items : end.output;
    const content = items.flatMap(toBlocks);
    return {
      content,
      stopReason: stopReasonOf(end, items),
      usage: toCounts(end.usage),
      isEstimated: false,
      model: end.model,
    };
  }
}

function failed(error: { readonly code: string | null; readonly message: string } | null) {
  const { code = null, message = 'the response failed' } = error ?? {};
  return refusal({ status: statusOfCode(code) ?? 500, code, message });
}

function toBlocks(item: OpenAI.Responses.ResponseOutputItem): readonly AssistantBlock[] {
  switch (item.type) {
    case 'message': {
      const text = item.content
        .map((part) => (part.type === 'refusal' ? part.refusal : part.text))
        .join('');
      return text === '' ? [] : [{ type: 'text', text }];
    }
    case 'function_call': {
      const input = parseArguments(item.arguments);
      // Some servers name no ids: the gateway does.
      return [{ type: 'tool_use', id: item.call_id ?? '', name: item.name, input }];
    }
    case 'reasoning': {
      // Without its encrypted form a thought cannot go back: the server keeps nothing.
      const kept = item.encrypted_content ? item : null;
      const text = (item.content ?? item.summary).map((part) => part.text).join('\n');
      return [encodeReasoning('codex_responses', text, kept)];
    }
    default:
      // Only tools of the server make other items, and we ask for none; dropping one would break the history.
      throw new TroupeError('model_bad_response', `the response has a ${item.type} item`);
  }
}

function stopReasonOf(
  { incomplete_details }: OpenAI.Responses.Response,
  items: readonly OpenAI.Responses.ResponseOutputItem[],
): StopReason {
  if (incomplete_details?.reason === 'max_output_tokens') return 'max_tokens';
  if (incomplete_details?.reason === 'content_filter') return 'refusal';
  const isRefused = items.some(
    (item) => item.type === 'message' && item.content.some((part) => part.type === 'refusal'),
  );
  if (isRefused) return 'refusal';
  return items.some((item) => item.type === 'function_call') ? 'tool_use' : 'end_turn';
}

/** OpenAI's input tokens include those of the cache; ours do not. */
function toCounts(usage: OpenAI.Responses.ResponseUsage | undefined): TokenCounts {
  const { input_tokens = 0, output_tokens = 0, input_tokens_details } = usage ?? {};
  const { cached_tokens = 0, cache_write_tokens = 0 } = input_tokens_details ?? {};
  return {
    inputTokens: Math.max(0, input_tokens - cached_tokens - cache_write_tokens),
    outputTokens: output_tokens,
    cacheReadTokens: cached_tokens,
    cacheWriteTokens: cache_write_tokens,
  };
}
