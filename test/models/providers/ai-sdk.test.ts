// Checks models of the AI SDK in each version of its specification: the adapter contract, and what is their own.
import { describe, expect, it } from 'vitest';
import { aiSdk, isAiSdkModel } from '#src/models/providers/ai-sdk.js';
import type { AiSdkVersion } from '#src/models/providers/ai-sdk-prompt.js';
import { resolveModel } from '#src/models/resolve.js';
import type { ModelSettings } from '#src/protocol/model-settings.js';
import { adapterContract } from '../adapter-contract.ts';
import type { AdapterUnderTest, WireHistory } from '../adapter-traits.ts';
import { FakeAiSdkModel } from '../ai-sdk-fake.ts';
import { boundCall, rejection, request } from '../support.ts';

type Fields = Readonly<Record<string, unknown>>;

async function start(version: AiSdkVersion): Promise<AdapterUnderTest> {
  const fake = new FakeAiSdkModel(version);
  return Object.assign(fake, {
    connect: () => aiSdk(fake),
    close: () => Promise.resolve(),
  });
}

function historyIn(body: Fields): WireHistory {
  const prompt = body['prompt'] as { role: string; content: string | Fields[] }[];
  return prompt.flatMap(({ role, content }): WireHistory => {
    if (typeof content === 'string') return [];
    return content.map((part): WireHistory[number] => {
      const { type, text, toolCallId, toolName, input } = part;
      switch (type) {
        case 'reasoning':
          expect(part['providerOptions']).toEqual({ fake: { signature: 'stub' } });
          return { thinking: String(text) };
        case 'tool-call':
          return { call: String(toolCallId), name: String(toolName), input };
        case 'tool-result': {
          const output = part['output'] as Fields;
          const isError = output['type'] === 'error-text';
          return { result: String(toolCallId), text: String(output['value']), isError };
        }
        default:
          return { role: role as 'user' | 'assistant', text: String(text) };
      }
    });
  });
}

function settingsIn(body: Fields): ModelSettings {
  const { temperature, topP, reasoning: effort, responseFormat } = body;
  const { type, ...outputFormat } = (responseFormat ?? {}) as Fields;
  const format = type === 'json' ? { outputFormat } : {};
  const plain = Object.entries({ temperature, topP, effort });
  const settings = plain.filter(([, value]) => value !== undefined);
  return Object.fromEntries([...settings, ...Object.entries(format)]);
}

for (const version of ['v2', 'v3', 'v4'] as const) {
  adapterContract(`ai sdk ${version}`, {
    start: () => start(version),
    isHttp: false,
    countsCacheWrites: version !== 'v2',
    returnsThinking: true,
    unreadable: [],
    toolChoiceIn: ({ toolChoice }) => {
      const { type, toolName } = toolChoice as Fields;
      return type === 'tool' ? { tool: toolName } : type;
    },
    refused: version === 'v4' ? [] : ['effort'],
    stopReasons: [
      ['end_turn', 'end_turn'],
      ['tool_use', 'tool_use'],
      ['max_tokens', 'max_tokens'],
      ['refusal', 'refusal'],
      ['newer_than_this_list', 'end_turn'],
      ...(version === 'v2'
        ? []
        : ([
            ['pause_turn', 'pause_turn'],
            ['model_context_window_exceeded', 'model_context_window_exceeded'],
          ] as const)),
    ],
    outputLimitIn: (body) => body['maxOutputTokens'],
    settingsIn,
    historyIn,
  });
}

/** A model whose stream has these parts. */
function playing(parts: readonly object[], version: AiSdkVersion = 'v4') {
  const asked: Fields[] = [];
  const model = aiSdk({
    specificationVersion: version,
    provider: 'p',
    modelId: 'm',
    doStream: (options: Fields) => {
      asked.push(options);
      return Promise.resolve({ stream: ReadableStream.from(parts) as ReadableStream<unknown> });
    },
  });
  return { model, asked };
}

const finish = { type: 'finish', finishReason: { unified: 'stop' }, usage: {} };

describe('a model of the AI SDK', () => {
  it.each(['v2', 'v3', 'v4'] as const)('is known by its structure, %s', (version) => {
    const fake = new FakeAiSdkModel(version);

    expect(resolveModel(fake)).toMatchObject({ route: 'host', model: { id: 'fake:fake-1' } });
  });

  it.each([
    [{ specificationVersion: 'v1', provider: 'p', modelId: 'm', doStream: () => {} }],
    [{ specificationVersion: 'v4', provider: 'p', modelId: 'm' }],
    [{ specificationVersion: 'v4', doStream: () => {} }],
    [null],
    ['v4'],
  ])('is not %j', (value) => {
    expect(isAiSdkModel(value)).toBe(false);
  });

  it('gets back with a call what its provider said beside it', async () => {
    const providerMetadata = { google: { thoughtSignature: 'sig' } };
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' };
    const { model, asked } = playing([{ ...call, providerMetadata }, finish]);
    const { content } = await model.respond(request(), boundCall());

    await model.respond(
      request({
        messages: [
          { role: 'assistant', content },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }] },
        ],
      }),
      boundCall(),
    );

    expect(asked[1]?.['prompt']).toMatchObject([
      { role: 'system' },
      { role: 'assistant', content: [{ type: 'tool-call', providerOptions: providerMetadata }] },
      { role: 'tool', content: [{ type: 'tool-result', toolName: 'look' }] },
    ]);
  });

  it.each<[AiSdkVersion, object, unknown]>([
    ['v2', { type: 'media', data: 'AA==', mediaType: 'image/png' }, 'AA=='],
    ['v3', { type: 'image-data', data: 'AA==', mediaType: 'image/png' }, 'AA=='],
    [
      'v4',
      { type: 'file', data: { type: 'data', data: 'AA==' }, mediaType: 'image/png' },
      { type: 'data', data: 'AA==' },
    ],
  ])('gets images as %s has them', async (version, expected, data) => {
    const { model, asked } = playing([finish], version);
    const source = { type: 'base64' as const, media_type: 'image/png', data: 'AA==' };
    const image = { type: 'image' as const, source };

    await model.respond(
      request({
        system: '',
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'c', content: [image] }, image],
          },
        ],
      }),
      boundCall(),
    );

    expect(asked[0]?.['prompt']).toMatchObject([
      { role: 'tool', content: [{ output: { type: 'content', value: [expected] } }] },
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] },
    ]);
  });

  it.each<[AiSdkVersion, unknown, unknown]>([
    ['v2', new Uint8Array([0]), 'AA=='],
    ['v3', 'AA==', 'AA=='],
    ['v4', { type: 'data', data: 'AA==' }, { type: 'data', data: 'AA==' }],
  ])('keeps an image that it drew, and gets it back as %s has it', async (version, drawn, sent) => {
    const file = { type: 'file', mediaType: 'image/png', data: drawn };
    const { model, asked } = playing([file, finish], version);
    const source = { type: 'base64', media_type: 'image/png', data: 'AA==' };

    const { content } = await model.respond(request(), boundCall());
    await model.respond(request({ messages: [{ role: 'assistant', content }] }), boundCall());

    expect(content).toEqual([{ type: 'image', source }]);
    expect(asked[1]?.['prompt']).toContainEqual({
      role: 'assistant',
      content: [{ type: 'file', mediaType: 'image/png', data: sent }],
    });
  });

  it('estimates what its provider did not count, and says so', async () => {
    const delta = { type: 'text-delta', id: '0', delta: 'x'.repeat(40) };

    const response = await playing([delta, finish]).model.respond(request(), boundCall());

    expect(response).toMatchObject({
      isEstimated: true,
      usage: { inputTokens: 6, outputTokens: 10 },
    });
  });

  it.each<[object, string]>([
    [{ type: 'file', mediaType: 'image/png' }, 'model_bad_response'],
    [{ type: 'file', mediaType: 'audio/wav', data: 'AA==' }, 'model_bad_response'],
    [{ type: 'tool-result', toolCallId: 'c' }, 'model_bad_response'],
    [
      { type: 'tool-call', toolCallId: 'c', toolName: 'n', input: '{}', providerExecuted: true },
      'model_bad_response',
    ],
    [{ type: 'tool-call', input: '{}' }, 'model_bad_response'],
    [{ type: 'error', error: 'no' }, 'model_failed'],
    [{ ...finish, finishReason: { unified: 'error' } }, 'model_failed'],
    [{ ...finish, finishReason: { unified: 'interrupted' } }, 'model_disconnected'],
  ])('fails on the part %j', async (part, code) => {
    const error = await rejection(playing([part]).model.respond(request(), boundCall()));

    expect(error).toMatchObject({ code });
  });

  it.each([
    ['AI_APICallError', 'model_disconnected'],
    ['AI_TypeValidationError', 'model_bad_response'],
    ['AI_LoadAPIKeyError', 'model_auth'],
    ['AI_NoSuchModelError', 'model_unknown'],
    ['AI_UnsupportedFunctionalityError', 'model_bad_request'],
  ])('that throws %s fails %s', async (name, code) => {
    const thrown = Object.assign(new Error('no'), { name });
    const model = aiSdk({
      specificationVersion: 'v3',
      provider: 'p',
      modelId: 'm',
      doStream: () => Promise.reject(thrown),
    });

    expect(await rejection(model.respond(request(), boundCall()))).toMatchObject({ code });
  });
});
