// Owns the wire form of OpenAI's Responses API for what the stub server answers. Opens no socket.

import { openAiCode, openAiError } from './stub-openai-chat.ts';
import {
  argumentsOf,
  defaultUsage,
  piecesOf,
  type StubAnswer,
  type StubMessage,
  type StubUsage,
  type StubWire,
  stopReasonOf,
} from './stub-reply.ts';

const incompleteReasons: Readonly<Record<string, string>> = {
  max_tokens: 'max_output_tokens',
  refusal: 'content_filter',
};

type WireEvent = { readonly type: string; readonly [field: string]: unknown };

/** Events with their names and numbers, as the API sends them. */
function events(list: readonly WireEvent[]): readonly string[] {
  return list.map(
    (event, sequence_number) =>
      `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
}

function frame({ id, model }: StubAnswer): object {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 0,
    model,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
}

function usageOf(usage: StubUsage = defaultUsage): object {
  const { input_tokens: plain, output_tokens } = usage;
  const { cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage;
  const input_tokens = plain + cache_read_input_tokens + cache_creation_input_tokens;
  return {
    input_tokens,
    input_tokens_details: {
      cached_tokens: cache_read_input_tokens,
      cache_write_tokens: cache_creation_input_tokens,
    },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output_tokens,
  };
}

function finished(reply: StubMessage, answer: StubAnswer): object {
  const reason = incompleteReasons[stopReasonOf(reply)];
  return {
    ...frame(answer),
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: itemsOf(reply).map(({ item }) => item),
    usage: usageOf(reply.usage),
  };
}

type WireItem = { readonly item: object; readonly deltas: readonly WireEvent[] };

function itemsOf({ thinking, text, toolCalls = [] }: StubMessage): readonly WireItem[] {
  const items: WireItem[] = [];
  if (thinking !== undefined) {
    const summary = [{ type: 'summary_text', text: thinking }];
    items.push({
      item: { id: 'rs_stub', type: 'reasoning', summary, encrypted_content: 'stub' },
      deltas: [
        {
          type: 'response.reasoning_summary_text.delta',
          item_id: 'rs_stub',
          summary_index: 0,
          delta: thinking,
        },
      ],
    });
  }
  if (text !== undefined) items.push(messageItem(piecesOf(text)));
  for (const [index, call] of toolCalls.entries()) {
    const id = `fc_${index}`;
    const written = argumentsOf(call);
    items.push({
      item: {
        id,
        type: 'function_call',
        call_id: call.id,
        name: call.name,
        arguments: written,
        status: 'completed',
      },
      deltas: [
        {
          type: 'response.function_call_arguments.delta',
          item_id: id,
          delta: written,
        },
      ],
    });
  }
  return items;
}

function messageItem(pieces: readonly string[]): WireItem {
  const content = [{ type: 'output_text', text: pieces.join(''), annotations: [] }];
  return {
    item: { id: 'msg_stub', type: 'message', role: 'assistant', status: 'completed', content },
    deltas: pieces.map((delta) => ({
      type: 'response.output_text.delta',
      item_id: 'msg_stub',
      content_index: 0,
      delta,
      logprobs: [],
    })),
  };
}

/** An item as a stream begins it: named, and still empty. */
function begun(item: object): object {
  const empty = 'arguments' in item ? { arguments: '' } : 'content' in item ? { content: [] } : {};
  return { ...item, ...empty, status: 'in_progress' };
}

function opening(text: string, answer: StubAnswer): readonly WireEvent[] {
  const { item, deltas } = messageItem([text]);
  return [
    { type: 'response.created', response: frame(answer) },
    { type: 'response.output_item.added', output_index: 0, item: begun(item) },
    ...deltas.map((delta) => ({ ...delta, output_index: 0 })),
  ];
}

export const openAiResponsesWire: StubWire = {
  body: (reply, answer) => JSON.stringify(finished(reply, answer)),
  events: (reply, answer) => {
    const response = finished(reply, answer);
    const isCut = incompleteReasons[stopReasonOf(reply)] !== undefined;
    return events([
      { type: 'response.created', response: frame(answer) },
      ...itemsOf(reply).flatMap(({ item, deltas }, output_index) => [
        { type: 'response.output_item.added', output_index, item: begun(item) },
        ...deltas.map((delta) => ({ ...delta, output_index })),
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: isCut ? 'response.incomplete' : 'response.completed', response },
    ]);
  },
  opening: (text, answer) => events(opening(text, answer)),
  error: openAiError,
  streamError: (errorType, message) =>
    events([{ type: 'error', code: openAiCode(errorType), message, param: null }]).join(''),
  malformed: 'event: response.created\ndata: {"type":\n\n',
};
