// Owns the wire form of OpenAI's Chat Completions for what the stub server answers. Opens no socket.
import {
  argumentsOf,
  defaultUsage,
  piecesOf,
  type StubAnswer,
  type StubError,
  type StubMessage,
  type StubUsage,
  type StubWire,
  stopReasonOf,
} from './stub-reply.ts';

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
};

const errorCodes: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
};

/** The error of both of OpenAI's APIs. */
export function openAiError({ status, message = 'stub error', code }: StubError): string {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  const known = code ?? errorCodes[status] ?? null;
  return JSON.stringify({ error: { message, type, param: null, code: known } });
}

/** The code of an error inside a stream, for Anthropic's name of it. */
export function openAiCode(errorType: string): string {
  return errorType === 'overloaded_error' ? 'server_is_overloaded' : errorType;
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function chunk({ id, model }: StubAnswer, delta: object, finish: string | null = null): string {
  return data({
    id,
    object: 'chat.completion.chunk',
    created: 0,
    model,
    choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
  });
}

function usageOf(usage: StubUsage = defaultUsage): object {
  const { input_tokens, output_tokens } = usage;
  const { cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage;
  const prompt_tokens = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return {
    prompt_tokens,
    completion_tokens: output_tokens,
    total_tokens: prompt_tokens + output_tokens,
    prompt_tokens_details: {
      cached_tokens: cache_read_input_tokens,
      cache_write_tokens: cache_creation_input_tokens,
    },
  };
}

function finishOf(reply: StubMessage): string {
  const reason = stopReasonOf(reply);
  return finishReasons[reason] ?? reason;
}

function callsOf({ toolCalls = [] }: StubMessage): readonly object[] {
  return toolCalls.map((call, index) => ({
    index,
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
}

/** Arguments arrive in two pieces, the calls of one answer interleaved. */
function callEvents({ toolCalls = [] }: StubMessage, answer: StubAnswer): readonly string[] {
  const parts = toolCalls.map((call, index) => {
    const text = argumentsOf(call);
    const half = Math.floor(text.length / 2);
    const named = { name: call.name, arguments: text.slice(0, half) };
    return [
      chunk(answer, { tool_calls: [{ index, id: call.id, type: 'function', function: named }] }),
      chunk(answer, { tool_calls: [{ index, function: { arguments: text.slice(half) } }] }),
    ] as const;
  });
  return [...parts.map(([first]) => first), ...parts.map(([, second]) => second)];
}

export const openAiChatWire: StubWire = {
  body: (reply, { id, model }) => {
    const calls = callsOf(reply).map((call) => ({ ...call, index: undefined }));
    return JSON.stringify({
      id,
      object: 'chat.completion',
      created: 0,
      model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: piecesOf(reply.text).join('') || null,
            ...(reply.thinking === undefined ? {} : { reasoning_content: reply.thinking }),
            ...(calls.length === 0 ? {} : { tool_calls: calls }),
          },
          finish_reason: finishOf(reply),
          logprobs: null,
        },
      ],
      usage: usageOf(reply.usage),
    });
  },
  events: (reply, answer) => [
    chunk(answer, { role: 'assistant', content: '' }),
    ...(reply.thinking === undefined ? [] : [chunk(answer, { reasoning_content: reply.thinking })]),
    ...piecesOf(reply.text).map((content) => chunk(answer, { content })),
    ...callEvents(reply, answer),
    chunk(answer, {}, finishOf(reply)),
    data({
      id: answer.id,
      object: 'chat.completion.chunk',
      created: 0,
      model: answer.model,
      choices: [],
      usage: usageOf(reply.usage),
    }),
    'data: [DONE]\n\n',
  ],
  opening: (text, answer) => [
    chunk(answer, { role: 'assistant', content: '' }),
    chunk(answer, { content: text }),
  ],
  error: openAiError,
  streamError: (errorType, message) =>
    data({ error: { message, type: 'server_error', param: null, code: openAiCode(errorType) } }),
  malformed: 'data: {"id":\n\n',
};
