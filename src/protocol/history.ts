// Owns the canonical shape of history: Anthropic content blocks, whatever the provider.
import type { Failure } from '../base/failures.ts';

/** A text of a message. */
export type TextBlock = {
  readonly type: 'text';
  /** What is written. */
  readonly text: string;
  /** Part of this request alone: the next one will not contain it, so that no stable prefix ends with it. */
  readonly isTransient?: true;
};
/** Returned to the provider unmodified, signature included. */
export type ThinkingBlock = {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
};
export type RedactedThinkingBlock = { readonly type: 'redacted_thinking'; readonly data: string };
/** An image of a message: PNG, JPEG, GIF or WebP, in base64. */
export type ImageBlock = {
  readonly type: 'image';
  /** Its bytes, with their media type, such as `image/png`. */
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
};
export type ToolUseBlock = {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
};
export type ToolResultBlock = {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  readonly is_error?: boolean;
};

/** An image is the answer of a model that draws. */
export type AssistantBlock =
  | TextBlock
  | ImageBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock;
export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;

/** One entry of an agent's memory. Every `tool_use` is answered by exactly one `tool_result` in the next user message. */
export type Message =
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] };

/** A result as history keeps it; `failure` is set with `isError` and goes to events, never to the model. */
export type ToolResult = {
  /** What the model reads. */
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  /** True when the tool failed, or was not run. */
  readonly isError: boolean;
  /** Why it is an error. */
  readonly failure?: Failure;
  /** What the tool was called with, when a person changed it. */
  readonly input?: unknown;
};

export const stopReasons = [
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
] as const;

/** Why a response ended; a reason newer than this list arrives as `end_turn`, or `tool_use` when it asks for tools. */
export type StopReason = (typeof stopReasons)[number];

/** Token counts of one response. `inputTokens` excludes the two cache counts, as Anthropic reports them. */
export type TokenCounts = {
  /** Input that was neither read from a cache nor written to one. */
  readonly inputTokens: number;
  /** Tokens of the response, thinking included. */
  readonly outputTokens: number;
  /** Input that was read from a cache. */
  readonly cacheReadTokens: number;
  /** Input that was written to a cache. */
  readonly cacheWriteTokens: number;
};

export function isToolCall(block: AssistantBlock): block is ToolUseBlock {
  return block.type === 'tool_use';
}

export function toolCallsOf(content: readonly AssistantBlock[]): readonly ToolUseBlock[] {
  return content.filter(isToolCall);
}

/** The request with a text at the end of its last user message; the conversation itself does not change. */
export function withAppended(messages: readonly Message[], text: string): readonly Message[] {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const last = messages[at];
  if (text === '' || last?.role !== 'user') return messages;
  const block = { type: 'text', text, isTransient: true } as const;
  const added: Message = { ...last, content: [...last.content, block] };
  return messages.with(at, added);
}
