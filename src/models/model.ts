// Owns the Model port: what a model is asked, how it answers, and what it promises.
import type { Clock } from '../base/clock.ts';
import type { Message, TokenCounts } from '../protocol/history.ts';
import type { ToolSchema } from '../protocol/model-head.ts';
import type { ModelDelta, ModelReply } from '../protocol/model-messages.ts';
import type { ModelSettings } from '../protocol/model-settings.ts';
import type { ModelPrice } from '../protocol/price.ts';
import type { ResponseHeaders } from './providers/rate-headers.ts';

/** The settings that an API may refuse. */
export type SettingName = keyof ModelSettings;

/** What a model is asked: the whole conversation, each time. */
export type ModelRequest = {
  /** The system prompt. */
  readonly system: string;
  /** The tools it may call. */
  readonly tools: readonly ToolSchema[];
  /** The conversation, oldest message first. */
  readonly messages: readonly Message[];
  /** Undefined leaves the model's own limit. */
  readonly maxOutputTokens?: number;
  /** What is left out is the API's own default. */
  readonly settings?: ModelSettings;
  /** The agent that asks: the definition's name, the actor's id and path. */
  readonly agent: { readonly id: string; readonly name: string; readonly path: string };
  /** 1 for the first turn of a run. */
  readonly turn: number;
};

/** How a request is ended, and what is reported while it is answered. */
export type ModelCall = {
  /** Aborted when the run is interrupted, its activation ends, or the call's time is over. */
  readonly signal: AbortSignal;
  /** Another model is asked when this one fails: long waits are not worth it. Left out: there is none. */
  readonly hasFallback?: true;
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
  /**
   * False for a model that retries by itself, and for test doubles: each of its failures is final. Default: they are
   * retried as `modelRetry` of the supervisor says, by the `status` of the error, or its `retryable`.
   */
  readonly retry?: false;
  /** Answers one request. Rejects when `call.signal` aborts. */
  respond(request: ModelRequest, call: ModelCall): Promise<ModelReply>;
  /** Called by a supervisor before the first request, by models that wait; without it they are on the machine's clock. */
  useClock?(clock: Clock): void;
}
