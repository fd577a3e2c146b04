// Owns the messages between an agent's thread and the model gateway, on the gateway's port and on the slot's alike. Types only.
import type { Failure } from '../base/failures.ts';
import type { AssistantBlock, Message, StopReason, TokenCounts } from './history.ts';

/** A streamed piece of a response. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string };

/** A whole response of a model. */
export type ModelResponse = {
  /** Its blocks, in order. */
  readonly content: readonly AssistantBlock[];
  /** Why it ended. */
  readonly stopReason: StopReason;
  /** The tokens it took. */
  readonly usage: TokenCounts;
  /** True when the counts are our guess (characters / 4), not the provider's. */
  readonly isEstimated: boolean;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /** With `refusal`: its category, where the provider reports one. */
  readonly refusalCategory?: string;
};

/** What a model answers: of a response, what is left out has a default. */
export type ModelReply = {
  /** Its blocks, in order. */
  readonly content: readonly AssistantBlock[];
  /** Why it ended. Default: `tool_use` with calls of tools, else `end_turn`. */
  readonly stopReason?: StopReason;
  /** The tokens it took; those of a cache default to 0. Default: our guess (characters / 4). */
  readonly usage?: Pick<TokenCounts, 'inputTokens' | 'outputTokens'> & Partial<TokenCounts>;
  /** True when the counts are a guess. Default: true without `usage`, else false. */
  readonly isEstimated?: boolean;
  /** The model that answered, as the provider names it. Default: the model's id. */
  readonly model?: string;
  /** With `refusal`: its category, where the provider reports one. */
  readonly refusalCategory?: string;
};

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
  | { readonly type: 'model_abort'; readonly token: string; readonly callId: number }
  /** The asker leaves its thread: what the call is answered goes to the supervisor. */
  | { readonly type: 'model_detach'; readonly token: string; readonly callId: number };

/** The one answer to a call. */
export type FromGateway =
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
      /** The text that had arrived; left out when that is nothing. */
      readonly streamed?: string;
    };

/** A piece of an answer: it goes to the supervisor, wherever the asker is, and before the answer does. */
export type StreamedDelta = {
  readonly type: 'model_delta';
  readonly callId: number;
  readonly turn: number;
  readonly delta: ModelDelta;
};

/** What the supervisor receives of a gateway: what streams, and the answers to runs without a thread. */
export type ToSupervisor = StreamedDelta | FromGateway;
