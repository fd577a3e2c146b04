// Owns Anthropic's wire form of what the stub server answers. Opens no socket.
import {
  argumentsOf,
  defaultUsage,
  piecesOf,
  type StubError,
  type StubMessage,
  type StubUsage,
  type StubWire,
  stopReasonOf,
} from './stub-reply.ts';

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

function errorBody({ status, message = 'stub error', code }: StubError): string {
  const type = errorTypes[status] ?? 'api_error';
  const details = code === undefined ? {} : { details: { error_code: code } };
  return JSON.stringify({ type: 'error', error: { type, message, ...details } });
}

function sse(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function messageBody(reply: StubMessage, id: string, model: string): string {
  return JSON.stringify({
    ...frame(id, model, reply.usage),
    content: blocksOf(reply).map(({ block, finish }) => ({ ...block, ...finish })),
    ...endOf(reply),
  });
}

function messageEvents(reply: StubMessage, id: string, model: string): readonly string[] {
  const usage = reply.usage ?? defaultUsage;
  const events = [startEvent(id, model, usage)];
  for (const [index, { block, deltas }] of blocksOf(reply).entries()) {
    events.push(sse('content_block_start', { index, content_block: block }));
    for (const delta of deltas) events.push(sse('content_block_delta', { index, delta }));
    events.push(sse('content_block_stop', { index }));
  }
  const delta = { ...endOf(reply), stop_sequence: null };
  const { output_tokens } = usage;
  events.push(sse('message_delta', { delta, usage: { output_tokens } }), sse('message_stop'));
  return events;
}

function openingEvents(text: string, id: string, model: string): readonly string[] {
  const block = { type: 'text', text: '', citations: null };
  const delta = { type: 'text_delta', text };
  return [
    startEvent(id, model, defaultUsage),
    sse('content_block_start', { index: 0, content_block: block }),
    sse('content_block_delta', { index: 0, delta }),
  ];
}

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
    const pieces = piecesOf(text);
    blocks.push({
      block: { type: 'text', text: '', citations: null },
      deltas: pieces.map((piece) => ({ type: 'text_delta', text: piece })),
      finish: { text: pieces.join('') },
    });
  }
  for (const call of toolCalls) {
    const { id, name, input } = call;
    blocks.push({
      block: { type: 'tool_use', id, name, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: argumentsOf(call) }],
      finish: { input },
    });
  }
  return blocks;
}

function endOf(reply: StubMessage): object {
  const { refusalCategory } = reply;
  const stop_details =
    refusalCategory === undefined
      ? null
      : { type: 'refusal', category: refusalCategory, explanation: null };
  return { stop_reason: stopReasonOf(reply), stop_details };
}

export const anthropicWire: StubWire = {
  body: (reply, { id, model }) => messageBody(reply, id, model),
  events: (reply, { id, model }) => messageEvents(reply, id, model),
  opening: (text, { id, model }) => openingEvents(text, id, model),
  error: errorBody,
  streamError: (type, message) => sse('error', { error: { type, message } }),
  malformed: 'event: message_start\ndata: {"type":\n\n',
};
