// Owns what the gateway keeps of one activation's history, so that only new messages cross the boundary. Calls no model.
import { type Failure, failure } from '../base/failures.ts';
import type { Message } from '../protocol/history.ts';
import type { Head } from '../protocol/model-head.ts';
import type { ModelResponse, ToGateway } from '../protocol/model-messages.ts';
import type { TakenBounds } from './budget/call-usage.ts';
import { countChars, countHeadChars, estimateTokens } from './token-estimate.ts';

type Request = Extract<ToGateway, { readonly type: 'model_request' }>;

/** The history of an activation in the gateway. A value: requests keep what they were made with. */
export type Conversation = {
  readonly head: Head;
  readonly messages: readonly Message[];
  /** What a provider counted for the first `count` messages and the head. */
  readonly measured: { readonly count: number; readonly tokens: number } | null;
};

/** A conversation without messages. Its head comes from the supervisor and never changes. */
export function emptyConversation(head: Head): Conversation {
  return { head, messages: [], measured: null };
}

/**
 * The conversation with a request's messages put in from its index on. A request that does not follow what is known
 * gets `gateway_lost`: the thread was replaced in between, and the sender has to send its history whole.
 */
export function extend(known: Conversation, request: Request): Conversation | Failure {
  const { from, messages } = request;
  if (from > known.messages.length) {
    return failure('gateway_lost', 'the gateway does not hold this conversation; send it whole', {
      retryable: true,
    });
  }
  const isSamePrefix = (known.measured?.count ?? 0) <= from;
  return {
    head: known.head,
    messages: from === 0 ? messages : known.messages.slice(0, from).concat(messages),
    measured: isSamePrefix ? known.measured : null,
  };
}

/** The conversation after a response, with what the provider counted for it. */
export function measure(known: Conversation, response: ModelResponse): Conversation {
  if (response.isEstimated) return known;
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = response.usage;
  const tokens = inputTokens + cacheReadTokens + cacheWriteTokens;
  return { ...known, measured: { count: known.messages.length, tokens } };
}

/** How to estimate what a call over this conversation took that its provider did not count. */
export function takenBounds(
  { head, messages, measured }: Conversation,
  maxOutputTokens: number | null,
): TakenBounds {
  return {
    maxOutputTokens: maxOutputTokens ?? Number.POSITIVE_INFINITY,
    inputTokens: () => {
      const fresh = countChars(messages.slice(measured?.count ?? 0));
      if (measured !== null) return measured.tokens + estimateTokens(fresh);
      const headChars = countHeadChars(head.system, head.tools);
      return estimateTokens(headChars + fresh);
    },
  };
}

/** Few texts take more than a token for two characters. */
const minCharsPerToken = 2;

/** At most so many input tokens: what the provider counted before, and a generous guess at the rest. */
export function boundInputTokens({ head, messages, measured }: Conversation): number {
  const fresh = countChars(messages.slice(measured?.count ?? 0));
  if (measured !== null) return measured.tokens + Math.ceil(fresh / minCharsPerToken);
  return Math.ceil((countHeadChars(head.system, head.tools) + fresh) / minCharsPerToken);
}
