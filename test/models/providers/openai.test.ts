// Checks the OpenAI adapter with the real SDK against the stub server: the adapter contract in both of its modes.
import { describe, expect, it } from 'vitest';
import { toFailure } from '#src/base/failures.js';
import {
  missingPackage,
  type OpenAiMode,
  type OpenAiOptions,
  openai,
} from '#src/models/providers/openai.js';
import { startStubModelServer } from '#src/testing.js';
import { adapterContract } from '../adapter-contract.ts';
import { type AdapterUnderTest, contractKey, type WireHistory } from '../adapter-traits.ts';
import { modelCall, rejection, request } from '../support.ts';

async function start(mode: OpenAiMode): Promise<AdapterUnderTest> {
  const server = await startStubModelServer();
  const fixed = { model: 'gpt-test', apiKey: contractKey, baseUrl: `${server.url}/v1`, mode };
  return Object.assign(server, {
    connect: (more: Partial<OpenAiOptions> = {}) => openai({ ...fixed, maxRetries: 0, ...more }),
  });
}

type Fields = Readonly<Record<string, unknown>>;

function defined(settings: Fields) {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function outcomeOf(marked: unknown): { text: string; isError: boolean } {
  const text = String(marked);
  const isError = text.startsWith('[error] ');
  return { text: isError ? text.slice('[error] '.length) : text, isError };
}

function partsOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((part: Fields) => String(part['text'])).join('');
}

function chatHistory(body: Fields): WireHistory {
  const messages = body['messages'] as Fields[];
  return messages.flatMap((message): WireHistory => {
    const { role, content } = message;
    if (role === 'system') return [];
    if (role === 'tool') {
      return [{ result: String(message['tool_call_id']), ...outcomeOf(content) }];
    }
    const calls = (message['tool_calls'] ?? []) as { id: string; function: Fields }[];
    const text = content === null ? '' : partsOf(content);
    return [
      ...(text === '' ? [] : [{ role: role as 'user' | 'assistant', text }]),
      ...calls.map(({ id, function: { name, arguments: written } }) => {
        return { call: id, name: String(name), input: JSON.parse(String(written)) };
      }),
    ];
  });
}

function responsesHistory(body: Fields): WireHistory {
  return (body['input'] as Fields[]).map((item): WireHistory[number] => {
    const { type, call_id: id } = item;
    switch (type) {
      case 'function_call': {
        const input = JSON.parse(String(item['arguments']));
        return { call: String(id), name: String(item['name']), input };
      }
      case 'function_call_output':
        return { result: String(id), ...outcomeOf(item['output']) };
      case 'reasoning':
        expect(item).toMatchObject({ id: 'rs_stub', encrypted_content: 'stub' });
        return { thinking: partsOf(item['summary']) };
      default: {
        const role = item['role'] as 'user' | 'assistant';
        return { role, text: partsOf(item['content']) };
      }
    }
  });
}

const shared = { countsCacheWrites: true, isHttp: true, unreadable: [], refused: [] };

adapterContract('openai chat_completions', {
  ...shared,
  start: () => start('chat_completions'),
  returnsThinking: false,
  stopReasons: [
    ['end_turn', 'end_turn'],
    ['tool_use', 'tool_use'],
    ['function_call', 'tool_use'],
    ['max_tokens', 'max_tokens'],
    ['refusal', 'refusal'],
    ['newer_than_this_list', 'end_turn'],
  ],
  outputLimitIn: (body) => body['max_tokens'],
  settingsIn: ({ temperature, top_p: topP, reasoning_effort: effort, response_format }) => {
    const { json_schema: outputFormat } = (response_format ?? {}) as Fields;
    return defined({ temperature, topP, effort, outputFormat });
  },
  toolChoiceIn: ({ tool_choice: choice }) =>
    typeof choice === 'string'
      ? choice
      : { tool: (choice as { function: Fields }).function['name'] },
  historyIn: chatHistory,
});

adapterContract('openai codex_responses', {
  ...shared,
  start: () => start('codex_responses'),
  returnsThinking: true,
  stopReasons: [
    ['end_turn', 'end_turn'],
    ['max_tokens', 'max_tokens'],
    ['refusal', 'refusal'],
    ['newer_than_this_list', 'end_turn'],
  ],
  outputLimitIn: (body) => body['max_output_tokens'],
  settingsIn: ({ temperature, top_p: topP, reasoning, text }) => {
    const { effort } = (reasoning ?? {}) as Fields;
    const { format } = (text ?? {}) as { readonly format?: Fields };
    const outputFormat =
      format === undefined ? undefined : { name: format['name'], schema: format['schema'] };
    return defined({ temperature, topP, effort, outputFormat });
  },
  toolChoiceIn: ({ tool_choice: choice }) =>
    typeof choice === 'string' ? choice : { tool: (choice as Fields)['name'] },
  historyIn: responsesHistory,
});

describe('openai', () => {
  it.each<[OpenAiMode, string, string, object]>([
    [
      'chat_completions',
      'context_length_exceeded',
      'context_window_exceeded',
      { retryable: false },
    ],
    ['codex_responses', 'context_length_exceeded', 'context_window_exceeded', { retryable: false }],
    ['chat_completions', 'insufficient_quota', 'model_auth', { retryable: false }],
    ['codex_responses', 'rate_limit_exceeded', 'model_rate_limited', { retryable: true }],
    ['chat_completions', '502', 'model_failed', { retryable: true }],
  ])('in %s takes the code %s inside a stream for %s', async (mode, errorType, code, rest) => {
    const far = await start(mode);
    far.reply({ type: 'stream_error', errorType, message: 'no' });

    const error = await rejection(far.connect().respond(request(), modelCall()));

    expect(error).toMatchObject({ code, ...rest });
    await far.close();
  });

  it('takes a 429 without money for a key that is spent', async () => {
    const far = await start('codex_responses');
    far.reply({ type: 'error', status: 429, code: 'insufficient_quota' });

    const error = await rejection(far.connect().respond(request(), modelCall()));

    expect(error).toMatchObject({ code: 'model_auth', retryable: false, detail: { status: 402 } });
    await far.close();
  });

  it('keeps nothing on the server', async () => {
    const far = await start('codex_responses');
    far.reply({ type: 'message', text: 'ok' });

    await far.connect().respond(request(), modelCall());

    expect(far.requests()[0]?.body).toMatchObject({ store: false });
    expect(far.requests()[0]?.body).not.toHaveProperty('previous_response_id');
    await far.close();
  });

  it.each(['', '  '])('refuses the key %j before anything starts', (apiKey) => {
    const options = { model: 'm', apiKey, mode: 'chat_completions' as const };

    expect(() => openai(options)).toThrow(
      expect.objectContaining({
        code: 'model_key_missing',
        detail: { variable: 'OPENAI_API_KEY' },
      }),
    );
  });

  it('names the package that is missing, and how to get it', () => {
    const absent = Object.assign(new Error("Cannot find package 'openai'"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });

    expect(toFailure(missingPackage(absent))).toEqual({
      code: 'model_package_missing',
      message:
        'models of OpenAI need the package "openai", which is not installed; run: npm install openai',
      retryable: false,
      detail: { package: 'openai' },
    });
    expect(missingPackage(new Error('broken')).message).toBe(
      'the package "openai" cannot be loaded: broken',
    );
  });
});
