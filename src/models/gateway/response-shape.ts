// Owns the check that what a model answered is a response: objects of the program, and servers that only nearly speak
// their API, may answer anything. By hand, not zod: it is on the path of every turn, also in the gateway's thread.
import { endlessness, maxInput } from '../../base/endless.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';
import { decoded } from '../../base/json-text.ts';
import { type AssistantBlock, stopReasons, type ToolUseBlock } from '../../protocol/history.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';

const counts = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;

/** The texts that each kind of block has to have. */
const textsOf: Readonly<Record<AssistantBlock['type'], readonly string[]>> = {
  text: ['text'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name'],
};

/** The answer as a response. Throws `model_bad_response` naming the first field that is none, and the value seen. */
export function asResponse(value: unknown): ModelResponse {
  if (!isRecord(value)) throw bad('it', 'an object', value);
  const { content, usage, stopReason, model, isEstimated } = value;
  if (!Array.isArray(content)) throw bad('content', 'a list of blocks', content);
  for (const [index, block] of content.entries()) checkBlock(`content.${index}`, block);
  if (!stopReasons.some((known) => known === stopReason)) {
    throw bad('stopReason', `one of ${stopReasons.join(', ')}`, stopReason);
  }
  if (!isRecord(usage)) throw bad('usage', 'an object', usage);
  for (const name of counts) {
    const count = usage[name];
    const isCount = typeof count === 'number' && Number.isFinite(count) && count >= 0;
    if (!isCount) throw bad(`usage.${name}`, 'a number from 0', count);
  }
  if (typeof isEstimated !== 'boolean') throw bad('isEstimated', 'true or false', isEstimated);
  if (typeof model !== 'string') throw bad('model', 'a name', model);
  // Every field was just checked.
  return withArguments(value as ModelResponse);
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
}

function bad(field: string, wanted: string, value: unknown): TroupeError {
  const message = `the model's answer is no response: ${field} must be ${wanted}, it is ${describe(value)}`;
  return new TroupeError('model_bad_response', message);
}
