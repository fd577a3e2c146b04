// Owns the Model port and the canonical shape of history: Anthropic content blocks, whatever the provider.
import type { Clock } from '../base/clock.ts';
import type { Failure } from '../base/failures.ts';
import type { ModelPrice } from './price.ts';
import type { ResponseHeaders } from './providers/rate-headers.ts';

export type TextBlock = {
  readonly type: 'text';
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
export type ImageBlock = {
  readonly type: 'image';
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

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;
export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;

/** One entry of an agent's memory. Every `tool_use` is answered by exactly one `tool_result` in the next user message. */
export type Message =
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] };

export type JsonSchema = { readonly [key: string]: unknown };

/** A tool as a model sees it. */
export type ToolSchema = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
};

/** What precedes a conversation and never changes in it, so that a provider can cache it. */
export type Head = { readonly system: string; readonly tools: readonly ToolSchema[] };

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
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
};

export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** How much a model thinks before it answers, in the terms of the APIs that have such a setting. */
export type Effort = (typeof efforts)[number];

/** Which tools a response may call: as the model likes, at least one, none, or the named one. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

/** The settings of a run's model calls besides the conversation. What is left out is the API's own default. */
export type ModelSettings = {
  /** Above 0 to 2, as far as the API takes it. */
  readonly temperature?: number;
  /** Above 0 to 1. */
  readonly topP?: number;
  readonly effort?: Effort;
  /** Of a request that offers tools. */
  readonly toolChoice?: ToolChoice;
  /** The answer's text is JSON of this schema. */
  readonly outputFormat?: { readonly name: string; readonly schema: JsonSchema };
};

/** The settings that an API may refuse. */
export type SettingName = keyof ModelSettings;

export type ModelRequest = {
  readonly system: string;
  readonly tools: readonly ToolSchema[];
  readonly messages: readonly Message[];
  /** Undefined leaves the model's own limit. */
  readonly maxOutputTokens?: number;
  readonly settings?: ModelSettings;
  /** The agent that asks: the definition's name, the actor's id and path. */
  readonly agent: { readonly id: string; readonly name: string; readonly path: string };
  /** 1 for the first turn of a run. */
  readonly turn: number;
};

export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string };

export type ModelResponse = {
  readonly content: readonly AssistantBlock[];
  readonly stopReason: StopReason;
  readonly usage: TokenCounts;
  /** True when the counts are our guess (characters / 4), not the provider's. */
  readonly isEstimated: boolean;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /** With `refusal`: its category, where the provider reports one. */
  readonly refusalCategory?: string;
};

export type ModelCall = {
  /** Aborted when the run is interrupted, its activation ends, or the call's time is over. */
  readonly signal: AbortSignal;
  /** Streamed pieces, in order; none after the promise settled. */
  onDelta(delta: ModelDelta): void;
  /** Called with the provider's response, refusals included, as soon as its headers are there. */
  onResponse?(status: number, headers: ResponseHeaders): void;
  /** Called with the number of characters of the answer that are no delta, as they come: the arguments of tools. */
  onOutput?(chars: number): void;
  /** Called with what the provider has counted for this attempt so far: what it took when it breaks off. */
  onUsage?(usage: TokenCounts): void;
  /** Called when an attempt broke off and another one follows: both were taken. */
  onBroken?(): void;
};

/** What the code that assembles a streamed answer reports to its call. */
export type AnswerCall = Pick<ModelCall, 'onDelta' | 'onOutput' | 'onUsage'>;

/** What answers a request. Rejects with a `TroupeError` whose code begins with `model_`, `script_` or `cassette_`, or is `aborted`. */
export interface Model {
  /** What outcomes and events call it, `offline` or `anthropic:claude-…`. */
  readonly id: string;
  /** The output limit of a call that names none; what a budget reserves for it. */
  readonly maxOutputTokens?: number;
  /** Settings its API refuses: a run that has one fails `model_setting_refused` before it starts. Default: none. */
  readonly refusedSettings?: readonly SettingName[];
  /**
   * What its tokens cost, unless the supervisor's `prices` say so. Left out: an id that names its provider, such as
   * `anthropic:claude-…`, is looked up in the price table; of another one no price is known, and no cost is limited.
   */
  readonly price?: ModelPrice;
  respond(request: ModelRequest, call: ModelCall): Promise<ModelResponse>;
  /** Called by a supervisor before the first request, by models that wait; without it they are on the machine's clock. */
  useClock?(clock: Clock): void;
}

/** What a call took that has no response: as its provider counted it, or our guess. */
export type SpentTokens = {
  readonly usage: TokenCounts;
  readonly isEstimated: boolean;
  readonly costUsd: number | null;
};

/**
 * Messages between an agent's thread and the model gateway, both directions on one port. A request has what is new in
 * the conversation; prompt, tools and every setting are those that the supervisor has bound.
 */
export type ToGateway =
  | {
      readonly type: 'model_request';
      readonly token: string;
      readonly callId: number;
      readonly turn: number;
      /** Replaces the conversation from this index on: only what is new crosses the boundary. */
      readonly from: number;
      readonly messages: readonly Message[];
      /** Instead of the bound one, in this request. */
      readonly toolChoice?: 'auto' | 'none';
    }
  | { readonly type: 'model_abort'; readonly token: string; readonly callId: number };

export type FromGateway =
  | { readonly type: 'model_delta'; readonly callId: number; readonly delta: ModelDelta }
  | {
      readonly type: 'model_response';
      readonly callId: number;
      readonly response: ModelResponse;
      readonly costUsd: number | null;
    }
  | {
      readonly type: 'model_failed';
      readonly callId: number;
      readonly failure: Failure;
      /** What the call took all the same; left out when that is nothing. */
      readonly spent?: SpentTokens;
    };
