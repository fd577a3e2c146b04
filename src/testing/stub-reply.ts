// Owns what the stub model server can be told to answer, and the wire form of an answer. Opens no socket.
import type { StopReason } from '../models/model.ts';

/** One scripted reply of the stub server. */
export type StubReply =
  | {
      readonly type: 'message';
      readonly thinking?: string;
      /** Pieces are streamed one by one. */
      readonly text?: string | readonly string[];
      readonly toolCalls?: readonly {
        readonly id: string;
        readonly name: string;
        readonly input: unknown;
      }[];
      /** Any text: servers know reasons that clients do not. */
      readonly stopReason?: StopReason | (string & {});
      readonly usage?: StubUsage;
    }
  | {
      readonly type: 'error';
      readonly status: number;
      readonly message?: string;
      /** Sent as the header `retry-after`. */
      readonly retryAfterSeconds?: number;
    }
  /** An error event after the stream began, with status 200. */
  | { readonly type: 'stream_error'; readonly errorType: string; readonly message: string }
  /** Streams the text, then cuts the connection. */
  | { readonly type: 'disconnect'; readonly text?: string }
  /** Streams the text, then ends the response properly, but without `message_stop`. */
  | { readonly type: 'unfinished'; readonly text?: string }
  /** Answers with what is no JSON. */
  | { readonly type: 'malformed' }
  /** Never answers; `text` is streamed first when given. */
  | { readonly type: 'silence'; readonly text?: string };

export type StubUsage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
};

type StubMessage = Extract<StubReply, { readonly type: 'message' }>;

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'invalid_request_error',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** The JSON body of an error. */
export function errorBody(status: number, message: string): string {
  const type = errorTypes[status] ?? 'api_error';
  return JSON.stringify({ type: 'error', error: { type, message } });
}

/** One server-sent event. */
export function sse(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

/** The body of a reply that is not streamed. */
export function messageBody(reply: StubMessage, id: string, model: string): string {
  return JSON.stringify({
    ...frame(id, model, reply.usage),
    content: blocksOf(reply).map(({ block, finish }) => ({ ...block, ...finish })),
    stop_reason: stopReasonOf(reply),
  });
}

/** The events of a streamed reply, in order. */
export function messageEvents(reply: StubMessage, id: string, model: string): readonly string[] {
  const usage = reply.usage ?? defaultUsage;
  const events = [startEvent(id, model, usage)];
  for (const [index, { block, deltas }] of blocksOf(reply).entries()) {
    events.push(sse('content_block_start', { index, content_block: block }));
    for (const delta of deltas) events.push(sse('content_block_delta', { index, delta }));
    events.push(sse('content_block_stop', { index }));
  }
  const delta = { stop_reason: stopReasonOf(reply), stop_sequence: null };
  const { output_tokens } = usage;
  events.push(sse('message_delta', { delta, usage: { output_tokens } }), sse('message_stop'));
  return events;
}

/** The events of a text that goes no further. */
export function openingEvents(text: string, id: string, model: string): readonly string[] {
  const block = { type: 'text', text: '', citations: null };
  const delta = { type: 'text_delta', text };
  return [
    startEvent(id, model, defaultUsage),
    sse('content_block_start', { index: 0, content_block: block }),
    sse('content_block_delta', { index: 0, delta }),
  ];
}

const defaultUsage: StubUsage = { input_tokens: 10, output_tokens: 5 };

function startEvent(id: string, model: string, usage: StubUsage): string {
  return sse('message_start', { message: frame(id, model, usage) });
}

function frame(id: string, model: string, usage: StubUsage = defaultUsage): object {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { cache_read_input_tokens: 0, cache_creation_input_tokens: 0, ...usage },
  };
}

type WireBlock = {
  /** As a stream starts it. */
  readonly block: object;
  readonly deltas: readonly object[];
  /** What the deltas make of it. */
  readonly finish: object;
};

function blocksOf({ thinking, text, toolCalls = [] }: StubMessage): readonly WireBlock[] {
  const blocks: WireBlock[] = [];
  if (thinking !== undefined) {
    blocks.push({
      block: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        { type: 'thinking_delta', thinking },
        { type: 'signature_delta', signature: 'stub' },
      ],
      finish: { thinking, signature: 'stub' },
    });
  }
  if (text !== undefined) {
    const pieces = typeof text === 'string' ? [text] : text;
    blocks.push({
      block: { type: 'text', text: '', citations: null },
      deltas: pieces.map((piece) => ({ type: 'text_delta', text: piece })),
      finish: { text: pieces.join('') },
    });
  }
  for (const { id, name, input } of toolCalls) {
    blocks.push({
      block: { type: 'tool_use', id, name, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
      finish: { input },
    });
  }
  return blocks;
}

function stopReasonOf({ stopReason, toolCalls = [] }: StubMessage): string {
  return stopReason ?? (toolCalls.length > 0 ? 'tool_use' : 'end_turn');
}
