// Owns the translation between our history and the bodies of Anthropic's Messages API. Sends nothing.
import type { Anthropic } from '@anthropic-ai/sdk';
import { TroupeError } from '../../base/failures.ts';
import {
  type AssistantBlock,
  type Message,
  type StopReason,
  stopReasons,
  type TokenCounts,
} from '../../protocol/history.ts';
import type { ToolSchema } from '../../protocol/model-head.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { ToolChoice } from '../../protocol/model-settings.ts';
import type { ModelRequest } from '../model.ts';
import { withDrawnImagesMoved } from './drawn-images.ts';
import { isOpaque } from './opaque-reasoning.ts';
import { parseArguments } from './tool-arguments.ts';

/** Marks the end of a prefix that the provider keeps. At most four of a request may have it. */
const cached = { cache_control: { type: 'ephemeral' } } as const;

/**
 * The body of a request. What ends a stable prefix is marked: the system prompt (or the last tool), which tools come
 * before, and the last two user messages, so that each request finds what the one before it wrote. What belongs to one
 * request alone comes after the mark.
 */
export function toParams(
  model: string,
  request: ModelRequest,
  maxTokens: number,
): Anthropic.MessageStreamParams {
  const { system, settings = {} } = request;
  const { temperature, topP, effort, outputFormat, toolChoice } = settings;
  const tools = request.tools.map(toTool);
  const lastTool = tools.at(-1);
  if (system === '' && lastTool !== undefined) tools.splice(-1, 1, { ...lastTool, ...cached });
  return {
    model,
    max_tokens: maxTokens,
    messages: toMessages(request.messages),
    ...(system === '' ? {} : { system: [{ type: 'text', text: system, ...cached }] }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length === 0 || toolChoice === undefined
      ? {}
      : { tool_choice: toToolChoice(toolChoice) }),
    ...(effort === undefined && outputFormat === undefined
      ? {}
      : {
          output_config: {
            ...(effort === undefined ? {} : { effort }),
            ...(outputFormat === undefined
              ? {}
              : { format: { type: 'json_schema', schema: outputFormat.schema } }),
          },
        }),
    // Not in the types of this version; only sent where an older version of the API is asked for.
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
  };
}

function toToolChoice(choice: ToolChoice): Anthropic.ToolChoice {
  if (typeof choice === 'object') return { type: 'tool', name: choice.tool };
  return { type: choice === 'required' ? 'any' : choice };
}

type SentMessage = {
  readonly role: 'user' | 'assistant';
  readonly content: Anthropic.ContentBlockParam[];
  /** How many of its blocks the next request will contain again. */
  readonly stable: number;
};

/** The API refuses empty texts and messages, which a history may contain, and thoughts that are not its own. */
function toMessages(messages: readonly Message[]): Anthropic.MessageParam[] {
  const sent: SentMessage[] = [];
  for (const { role, content } of withDrawnImagesMoved(messages)) {
    const blocks = withoutLastThoughts(content.filter(isSent));
    if (blocks.length === 0) continue;
    const stable = blocks.findLastIndex((block) => !isTransient(block)) + 1;
    sent.push({ role, content: blocks.map(toParam), stable });
  }
  const users = sent.filter(({ role }) => role === 'user').slice(-2);
  return sent.map((message) => (users.includes(message) ? marked(message) : plain(message)));
}

/** The API refuses a message that ends with a thought, as one that was cut does. */
function withoutLastThoughts(blocks: readonly Message['content'][number][]) {
  const end = blocks.findLastIndex(
    ({ type }) => type !== 'thinking' && type !== 'redacted_thinking',
  );
  return blocks.slice(0, end + 1);
}

function isTransient(block: Message['content'][number]): boolean {
  return block.type === 'text' && block.isTransient === true;
}

function isSent(block: Message['content'][number]): boolean {
  if (block.type === 'text') return block.text !== '';
  return block.type !== 'thinking' || !isOpaque(block);
}

/** Our blocks are Anthropic's own; only `readonly` and the media types of images differ. */
function toParam(block: Message['content'][number]): Anthropic.ContentBlockParam {
  switch (block.type) {
    case 'text':
      return (
        isTransient(block) ? { type: 'text', text: block.text } : block
      ) as Anthropic.TextBlockParam;
    case 'tool_use':
      // The tool result already reports arguments that are no object; the API takes nothing but an object back.
      return { ...block, input: objectOf(block.input) } as Anthropic.ContentBlockParam;
    default:
      return block as Anthropic.ContentBlockParam;
  }
}

function objectOf(input: unknown): object {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject ? input : { input };
}

function plain({ role, content }: SentMessage): Anthropic.MessageParam {
  return { role, content };
}

function marked({ content, role, stable }: SentMessage): Anthropic.MessageParam {
  const last = content[stable - 1];
  if (last === undefined) return { role, content };
  // User messages contain texts, images and tool results, and each of them can be marked.
  const end = { ...(last as Anthropic.TextBlockParam), ...cached };
  return { role, content: content.with(stable - 1, end) };
}

function toTool({ name, description, inputSchema }: ToolSchema): Anthropic.Tool {
  // A tool's schema always describes an object: `defineTool` refuses others.
  return { name, description, input_schema: inputSchema as Anthropic.Tool.InputSchema };
}

/** What came back, with the arguments as they were written. Throws `model_bad_response` for a block we did not ask for. */
export function toResponse(
  message: Anthropic.Message,
  written: ReadonlyMap<number, string>,
): ModelResponse {
  const content = message.content.map((block, index) => toBlock(block, written.get(index)));
  const category = message.stop_details?.category ?? null;
  return {
    content,
    stopReason: toStopReason(message.stop_reason, content),
    usage: toCounts(message.usage),
    isEstimated: false,
    model: message.model,
    ...(category === null ? {} : { refusalCategory: category }),
  };
}

export function toCounts(usage: Anthropic.Usage): TokenCounts {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
  };
}

function toBlock(block: Anthropic.ContentBlock, written: string | undefined): AssistantBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.thinking, signature: block.signature };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'tool_use':
      return {
        type: 'tool_use',
        // Some servers name no ids: the gateway does.
        id: block.id ?? '',
        name: block.name,
        input: written === undefined ? block.input : parseArguments(written),
      };
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
