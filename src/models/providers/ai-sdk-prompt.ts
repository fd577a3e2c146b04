// Owns the translation of a request into the call options of the AI SDK's specifications. Calls nothing.

import type {
  AssistantBlock,
  ImageBlock,
  Message,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from '../../protocol/history.ts';
import type { ModelRequest } from '../model.ts';
import { decodeReasoning } from './opaque-reasoning.ts';

export type AiSdkVersion = 'v2' | 'v3' | 'v4';

type Part = Readonly<Record<string, unknown>>;

/** What a sealed thought of the AI SDK carries: a thought's metadata, or that of the call right after it. */
export type SealedMetadata = { readonly isOfCall?: true; readonly providerMetadata?: unknown };

/** The options of `doStream`. */
export function toCallOptions(
  version: AiSdkVersion,
  request: ModelRequest,
  abortSignal: AbortSignal,
): Part {
  const { system, tools, messages, maxOutputTokens, settings = {} } = request;
  const { temperature, topP, effort, outputFormat, toolChoice = 'auto' } = settings;
  const names = new Map(messages.flatMap(callNames));
  return {
    prompt: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...messages.flatMap((message) => toPrompt(version, message, names)),
    ],
    abortSignal,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => {
            return { type: 'function', name, description, inputSchema };
          }),
          toolChoice:
            typeof toolChoice === 'string'
              ? { type: toolChoice }
              : { type: 'tool', toolName: toolChoice.tool },
        }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(effort === undefined ? {} : { reasoning: effort }),
    ...(outputFormat === undefined ? {} : { responseFormat: { type: 'json', ...outputFormat } }),
  };
}

/** The specification wants a result to name its tool again. */
function callNames({ content }: Message): readonly (readonly [id: string, name: string])[] {
  return content.flatMap((block) =>
    block.type === 'tool_use' ? [[block.id, block.name] as const] : [],
  );
}

function toPrompt(
  version: AiSdkVersion,
  { role, content }: Message,
  names: ReadonlyMap<string, string>,
): readonly Part[] {
  if (role === 'assistant') {
    const parts = toAssistant(version, content);
    return parts.length === 0 ? [] : [{ role, content: parts }];
  }
  const results: Part[] = [];
  const parts: Part[] = [];
  for (const block of content) {
    if (block.type === 'tool_result') results.push(toResult(version, block, names));
    else if (block.type === 'image' || block.text !== '') parts.push(toPart(version, block));
  }
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool', content: results }]),
    ...(parts.length === 0 ? [] : [{ role: 'user', content: parts }]),
  ];
}

function toAssistant(version: AiSdkVersion, content: readonly AssistantBlock[]): readonly Part[] {
  const parts: Part[] = [];
  let ofCall: unknown;
  for (const block of content) {
    switch (block.type) {
      case 'text':
        if (block.text !== '') parts.push({ type: 'text', text: block.text });
        break;
      case 'image':
        parts.push(toPart(version, block));
        break;
      case 'thinking': {
        // What was kept is ours; a thought of another API is not sent.
        const kept = decodeReasoning('ai_sdk', block) as SealedMetadata | undefined;
        if (kept?.isOfCall === true) ofCall = kept.providerMetadata;
        else if (kept !== undefined) {
          const part = { type: 'reasoning', text: block.thinking };
          parts.push(withOptions(part, kept.providerMetadata));
        }
        break;
      }
      case 'tool_use': {
        const { id: toolCallId, name: toolName, input } = block;
        const part = { type: 'tool-call', toolCallId, toolName, input };
        parts.push(withOptions(part, ofCall));
        ofCall = undefined;
        break;
      }
      case 'redacted_thinking':
        break;
    }
  }
  return parts;
}

/** Provider metadata of a part goes back to the provider as options of that part. */
function withOptions(part: Part, providerOptions: unknown): Part {
  return providerOptions === undefined ? part : { ...part, providerOptions };
}

function toResult(
  version: AiSdkVersion,
  { tool_use_id, content, is_error }: ToolResultBlock,
  names: ReadonlyMap<string, string>,
): Part {
  const toolName = names.get(tool_use_id) ?? 'unknown';
  return {
    type: 'tool-result',
    toolCallId: tool_use_id,
    toolName,
    output: toOutput(version, content, is_error === true),
  };
}

function toOutput(
  version: AiSdkVersion,
  content: ToolResultBlock['content'],
  isError: boolean,
): Part {
  if (typeof content === 'string') return { type: isError ? 'error-text' : 'text', value: content };
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (isError) return { type: 'error-text', value: text };
  return { type: 'content', value: content.map((block) => toOutputPart(version, block)) };
}

function toOutputPart(version: AiSdkVersion, block: TextBlock | ImageBlock): Part {
  if (block.type === 'text') return { type: 'text', text: block.text };
  const { media_type: mediaType, data } = block.source;
  switch (version) {
    case 'v2':
      return { type: 'media', data, mediaType };
    case 'v3':
      return { type: 'image-data', data, mediaType };
    case 'v4':
      return { type: 'file', data: { type: 'data', data }, mediaType };
  }
}

function toPart(version: AiSdkVersion, block: Exclude<UserBlock, ToolResultBlock>): Part {
  if (block.type === 'text') return { type: 'text', text: block.text };
  const { media_type: mediaType, data } = block.source;
  return { type: 'file', mediaType, data: version === 'v4' ? { type: 'data', data } : data };
}
