// Owns how the stream parts of the AI SDK's specifications become a response. Reads no stream.
import { TroupeError } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';
import {
  type AssistantBlock,
  type StopReason,
  stopReasons,
  type TokenCounts,
} from '../../protocol/history.ts';
import { imageBlock, isImageType } from '../../protocol/image.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { AnswerCall, ModelRequest } from '../model.ts';
import { countChars, countHeadChars, estimateTokens, imageChars } from '../token-estimate.ts';
import { disconnected, malformed } from './adapter-failure.ts';
import type { SealedMetadata } from './ai-sdk-prompt.ts';
import { encodeReasoning } from './opaque-reasoning.ts';
import { parseArguments } from './tool-arguments.ts';

type Fields = Readonly<Record<string, unknown>>;
type Streamed = { readonly type: 'text' | 'reasoning'; text: string; metadata: unknown };

/** Assembles one streamed answer; parts are checked as they are read, because no other code has checked them. */
export class AiSdkAnswer {
  readonly #request: ModelRequest;
  readonly #type: string;
  readonly #blocks: (Streamed | AssistantBlock)[] = [];
  readonly #open = new Map<string, Streamed>();
  #model: string;
  #streamedChars = 0;
  #asksForTools = false;
  #finish: { readonly reason: unknown; readonly usage: unknown } | null = null;

  /** `type` is the content type that the provider gives its answer; empty when it is not known. */
  constructor(model: string, request: ModelRequest, type = '') {
    this.#model = model;
    this.#request = request;
    this.#type = type;
  }

  /** Throws what the model failed with in the middle of its answer. */
  add(value: unknown, call: AnswerCall): void {
    const part = fieldsOf(value);
    switch (part['type']) {
      case 'text-delta':
      case 'reasoning-delta':
        this.#addDelta(part, call);
        return;
      case 'reasoning-start':
      case 'reasoning-end':
        this.#streamed('reasoning', part);
        return;
      case 'tool-input-delta':
        call.onOutput?.(String(part['delta']).length);
        return;
      case 'tool-call':
        this.#addCall(part);
        return;
      case 'response-metadata':
        if (typeof part['modelId'] === 'string') this.#model = part['modelId'];
        return;
      case 'finish':
        this.#finish = { reason: part['finishReason'], usage: part['usage'] };
        return;
      case 'error':
        throw part['error'];
      case 'file':
        this.#addFile(part, call);
        return;
      case 'tool-result':
      case 'tool-approval-request':
      case 'reasoning-file':
        // Only tools of the provider make these, and we ask for none; dropping one would break the history.
        throw badPart(part['type']);
      default:
        // Beginnings and ends, sources, warnings, and parts newer than this list.
        return;
    }
  }

  /** Throws `model_disconnected` when the stream ended before its answer did. */
  toResponse(): ModelResponse {
    // A model's reader of events finds none in a page or an error, and reports that the answer was empty.
    if (
      this.#blocks.length === 0 &&
      /^(text\/(html|plain)|application\/(\S+\+)?json)\b/i.test(this.#type)
    ) {
      throw malformed(`${this.#type} where a stream of events was expected`);
    }
    if (this.#finish === null) throw disconnected('the stream ended before its answer');
    const { reason, usage } = this.#finish;
    const counts = toCounts(fieldsOf(usage ?? {}));
    return {
      content: this.#blocks.flatMap(toBlocks),
      stopReason: stopReasonOf(reason, this.#asksForTools),
      usage: counts ?? this.#estimate(),
      isEstimated: counts === null,
      model: this.#model,
    };
  }

  #addDelta(part: Fields, call: AnswerCall): void {
    const isText = part['type'] === 'text-delta';
    const streamed = this.#streamed(isText ? 'text' : 'reasoning', part);
    const { delta } = part;
    if (typeof delta !== 'string' || delta === '') return;
    streamed.text += delta;
    this.#streamedChars += delta.length;
    call.onDelta({ type: isText ? 'text' : 'thinking', text: delta });
  }

  #streamed(type: Streamed['type'], part: Fields): Streamed {
    const key = `${type}:${String(part['id'])}`;
    let streamed = this.#open.get(key);
    if (streamed === undefined) {
      streamed = { type, text: '', metadata: undefined };
      this.#open.set(key, streamed);
      this.#blocks.push(streamed);
    }
    // Signatures come with the last part of a thought.
    streamed.metadata = part['providerMetadata'] ?? streamed.metadata;
    return streamed;
  }

  /** Version 4 wraps the bytes. A file that is no image has no place in a history. */
  #addFile({ mediaType, data: given }: Fields, call: AnswerCall): void {
    const data = isRecord(given) && given['type'] === 'data' ? given['data'] : given;
    const text = data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data;
    if (typeof mediaType !== 'string' || !isImageType(mediaType) || typeof text !== 'string') {
      throw badPart(`file, ${String(mediaType)}`);
    }
    call.onOutput?.(imageChars);
    this.#streamedChars += imageChars;
    this.#blocks.push(imageBlock(mediaType, text));
  }

  #addCall(part: Fields): void {
    // A provider that names no ids leaves that to the gateway.
    const { toolCallId = '', toolName, input, providerExecuted, providerMetadata } = part;
    if (providerExecuted === true) throw badPart('call of a tool of the provider');
    if (typeof toolCallId !== 'string' || typeof toolName !== 'string') throw badPart('tool-call');
    this.#asksForTools = true;
    if (providerMetadata !== undefined) {
      const kept: SealedMetadata = { isOfCall: true, providerMetadata };
      this.#blocks.push(encodeReasoning('ai_sdk', '', kept));
    }
    const read = typeof input === 'string' ? parseArguments(input) : (input ?? {});
    this.#streamedChars += String(input).length;
    this.#blocks.push({ type: 'tool_use', id: toolCallId, name: toolName, input: read });
  }

  #estimate(): TokenCounts {
    const { system, tools, messages } = this.#request;
    return {
      inputTokens: estimateTokens(countHeadChars(system, tools) + countChars(messages)),
      outputTokens: estimateTokens(this.#streamedChars),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    };
  }
}

function toBlocks(block: Streamed | AssistantBlock): readonly AssistantBlock[] {
  if (!('metadata' in block)) return [block];
  const { type, text, metadata } = block;
  if (type === 'text') return text === '' ? [] : [{ type: 'text', text }];
  const kept: SealedMetadata = metadata === undefined ? {} : { providerMetadata: metadata };
  return [encodeReasoning('ai_sdk', text, kept)];
}

/** Version 2 gives a reason, later ones the provider's own reason as well, which may be one of ours. */
function stopReasonOf(finish: unknown, asksForTools: boolean): StopReason {
  const { unified, raw } = typeof finish === 'string' ? { unified: finish } : fieldsOf(finish);
  const known = stopReasons.find((reason) => reason === raw);
  if (known !== undefined) return known;
  switch (unified) {
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    case 'tool-calls':
      return 'tool_use';
    case 'error':
      throw new TroupeError('model_failed', 'the model ended its answer with an error');
    case 'interrupted':
      throw disconnected('the model was interrupted in its answer');
    default:
      return asksForTools ? 'tool_use' : 'end_turn';
  }
}

/** Null when the model counted nothing. Version 2 has flat counts, and none of what was written to a cache. */
function toCounts({ inputTokens: input, outputTokens: output, ...rest }: Fields) {
  if (typeof input === 'object' || typeof output === 'object') {
    const { total, noCache, cacheRead, cacheWrite } = fieldsOf(input ?? {});
    const read = countOf(cacheRead);
    const written = countOf(cacheWrite);
    const plain = noCache === undefined ? countOf(total) - read - written : countOf(noCache);
    const outputTokens = fieldsOf(output ?? {})['total'];
    if (total === undefined && noCache === undefined && outputTokens === undefined) return null;
    return {
      inputTokens: Math.max(0, plain),
      outputTokens: countOf(outputTokens),
      cacheReadTokens: read,
      cacheWriteTokens: written,
    };
  }
  if (input === undefined && output === undefined) return null;
  const read = countOf(rest['cachedInputTokens']);
  return {
    inputTokens: Math.max(0, countOf(input) - read),
    outputTokens: countOf(output),
    cacheReadTokens: read,
    cacheWriteTokens: 0,
  };
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) throw badPart(String(value));
  return value as Fields;
}

function badPart(what: unknown): TroupeError {
  return new TroupeError('model_bad_response', `the response has a part it cannot have: ${what}`);
}
