// Owns the check that what a model answered is a response: objects of the program, and servers that only nearly speak
// their API, may answer anything. By hand, not zod: it is on the path of every turn, also in the gateway's thread.
import { endlessness, maxInput } from '../../base/endless.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';
import { decoded } from '../../base/json-text.ts';
import {
  type AssistantBlock,
  isToolCall,
  stopReasons,
  type TokenCounts,
  type ToolUseBlock,
} from '../../protocol/history.ts';
import { imageTypes, isImageType } from '../../protocol/image.ts';
import type { ModelReply, ModelResponse } from '../../protocol/model-messages.ts';
import { bareName } from '../budget/model-price.ts';
import type { Model, ModelRequest } from '../model.ts';
import { countChars, countHeadChars, estimateTokens } from '../token-estimate.ts';

const counts = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;
/** A provider without a cache counts none of these. */
const optional: ReadonlySet<string> = new Set(['cacheReadTokens', 'cacheWriteTokens']);

/** The texts that each kind of block has to have. */
const textsOf: Readonly<Record<AssistantBlock['type'], readonly string[]>> = {
  text: ['text'],
  image: [],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name'],
};

/** The response to a request. Throws `model_bad_response` naming the first field that is none, and the value seen. */
export function asResponse(value: unknown, model: Model, request: ModelRequest): ModelResponse {
  checkReply(value);
  return withArguments(isWhole(value) ? value : withDefaults(value, model, request));
}

function checkReply(value: unknown): asserts value is ModelReply {
  if (!isRecord(value)) throw bad('it', 'an object', value);
  const { content, usage, stopReason, model, isEstimated } = value;
  if (!Array.isArray(content)) throw bad('content', 'a list of blocks', content);
  for (const [index, block] of content.entries()) checkBlock(`content.${index}`, block);
  if (stopReason !== undefined && !stopReasons.some((known) => known === stopReason)) {
    throw bad('stopReason', `one of ${stopReasons.join(', ')}`, stopReason);
  }
  if (usage !== undefined) checkUsage(usage);
  if (isEstimated !== undefined && typeof isEstimated !== 'boolean') {
    throw bad('isEstimated', 'true or false', isEstimated);
  }
  if (model !== undefined && typeof model !== 'string') throw bad('model', 'a name', model);
}

function checkUsage(usage: unknown): void {
  if (!isRecord(usage)) throw bad('usage', 'an object', usage);
  for (const name of counts) {
    const count = usage[name];
    if (count === undefined && optional.has(name)) continue;
    const isCount = typeof count === 'number' && Number.isFinite(count) && count >= 0;
    if (!isCount) throw bad(`usage.${name}`, 'a number from 0', count);
  }
}

/** What providers answer: nothing is made anew. */
function isWhole(reply: ModelReply): reply is ModelResponse {
  const { stopReason, usage, isEstimated, model } = reply;
  if (stopReason === undefined || isEstimated === undefined || model === undefined) return false;
  return usage?.cacheReadTokens !== undefined && usage.cacheWriteTokens !== undefined;
}

/** What a model of the program leaves out. */
function withDefaults(reply: ModelReply, { id }: Model, request: ModelRequest): ModelResponse {
  const { content, usage = estimated(content, request), isEstimated, refusalCategory } = reply;
  return {
    content,
    stopReason: reply.stopReason ?? (content.some(isToolCall) ? 'tool_use' : 'end_turn'),
    usage: { cacheReadTokens: 0, cacheWriteTokens: 0, ...usage },
    isEstimated: isEstimated ?? reply.usage === undefined,
    model: reply.model ?? bareName(id),
    ...(refusalCategory === undefined ? {} : { refusalCategory }),
  };
}

function estimated(
  content: ModelReply['content'],
  { system, tools, messages }: ModelRequest,
): Pick<TokenCounts, 'inputTokens' | 'outputTokens'> {
  return {
    inputTokens: estimateTokens(countHeadChars(system, tools) + countChars(messages)),
    outputTokens: estimateTokens(countChars([{ role: 'assistant', content }])),
  };
}

/** The same, with arguments that a tool can take or refuse by name. */
function withArguments(response: ModelResponse): ModelResponse {
  const { content } = response;
  const read = content.map((block) => (block.type === 'tool_use' ? readable(block) : block));
  return read.every((block, at) => block === content[at])
    ? response
    : { ...response, content: read };
}

function readable(call: ToolUseBlock): ToolUseBlock {
  const { type, id, name, input } = call;
  const meant = decoded(input);
  const why = endlessness(meant, maxInput);
  // What is without end can be neither printed nor sent: it becomes a text.
  if (why !== null) return { type, id, name, input: `[arguments ${why}]` };
  return meant === input ? call : { type, id, name, input: meant };
}

function checkBlock(field: string, block: unknown): void {
  if (!isRecord(block)) throw bad(field, 'a block', block);
  const { type } = block;
  if (typeof type !== 'string' || !Object.hasOwn(textsOf, type)) {
    throw bad(`${field}.type`, `one of ${Object.keys(textsOf).join(', ')}`, type);
  }
  for (const name of textsOf[type as AssistantBlock['type']]) {
    if (typeof block[name] !== 'string') throw bad(`${field}.${name}`, 'a text', block[name]);
  }
  if (type === 'image') checkImage(`${field}.source`, block['source']);
}

function checkImage(field: string, source: unknown): void {
  if (!isRecord(source)) throw bad(field, 'an object', source);
  const { type, media_type: mediaType, data } = source;
  if (type !== 'base64') throw bad(`${field}.type`, 'base64', type);
  if (typeof mediaType !== 'string' || !isImageType(mediaType)) {
    throw bad(`${field}.media_type`, `one of ${imageTypes.join(', ')}`, mediaType);
  }
  if (typeof data !== 'string') throw bad(`${field}.data`, 'a text', data);
}

function bad(field: string, wanted: string, value: unknown): TroupeError {
  const message = `the model's answer is no response: ${field} must be ${wanted}, it is ${describe(value)}`;
  return new TroupeError('model_bad_response', message);
}
