// Owns what the gateway keeps of one life's history, so that only new messages cross the boundary. Calls no model.
import { type Failure, failure } from '../errors.ts';
import type { Message, ModelResponse, ToGateway, ToolSchema } from './model.ts';
import { countChars, countHeadChars } from './token-estimate.ts';

type Head = { readonly system: string; readonly tools: readonly ToolSchema[] };
type Request = Extract<ToGateway, { readonly type: 'model_request' }>;

/** The history of a life as the gateway holds it. A value: requests keep what they were made with. */
export type Conversation = {
  readonly head: Head | null;
  readonly messages: readonly Message[];
  /** What a provider counted for the first `count` messages and the head. */
  readonly measured: { readonly count: number; readonly tokens: number } | null;
};

export const emptyConversation: Conversation = { head: null, messages: [], measured: null };

/**
 * The conversation with a request's messages put in from its index on. A request that does not follow what is held
 * gets `gateway_lost`: the thread was replaced in between, and the sender has to send its history whole.
 */
export function extend(held: Conversation, request: Request): Conversation | Failure {
  const { head = held.head, from, messages } = request;
  if (head === null || from > held.messages.length) {
    return failure('gateway_lost', 'the gateway does not hold this conversation; send it whole', {
      retryable: true,
    });
  }
  const isSamePrefix = request.head === undefined && (held.measured?.count ?? 0) <= from;
  return {
    head,
    messages: from === 0 ? messages : held.messages.slice(0, from).concat(messages),
    measured: isSamePrefix ? held.measured : null,
  };
}

/** The conversation after a response, with what the provider counted for it. */
export function measure(held: Conversation, response: ModelResponse): Conversation {
  if (response.isEstimated) return held;
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = response.usage;
  const tokens = inputTokens + cacheReadTokens + cacheWriteTokens;
  return { ...held, measured: { count: held.messages.length, tokens } };
}

/** Few texts take more than a token for two characters. */
const fewestCharsPerToken = 2;

/** At most so many input tokens: what the provider counted before, and a generous guess at the rest. */
export function boundInputTokens({ head, messages, measured }: Conversation): number {
  const fresh = countChars(messages.slice(measured?.count ?? 0));
  if (measured !== null) return measured.tokens + Math.ceil(fresh / fewestCharsPerToken);
  const headChars = head === null ? 0 : countHeadChars(head.system, head.tools);
  return Math.ceil((headChars + fresh) / fewestCharsPerToken);
}
