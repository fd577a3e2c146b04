// Checks what an endpoint is taken for: its API, its provider, and which key may go to it.
import { describe, expect, it } from 'vitest';
import { detectApiMode, providerOf } from '#src/models/endpoint.js';
import {
  type ModelRoute,
  refusedSettings,
  resolveModel,
  withCredentials,
} from '#src/models/resolve.js';
import { type ApiMode, apiModes, type RemoteSpec } from '#src/protocol/model-spec.js';

const env = { ANTHROPIC_API_KEY: 'key-a', OPENAI_API_KEY: 'key-o' };

function resolved(choice: unknown, standsFor?: ModelRoute, variables: object = env): RemoteSpec {
  const route = resolveModel(choice, standsFor);
  if (route.route === 'host') throw new Error('expected a specification');
  const spec = withCredentials(route.spec, { ...variables });
  if (spec.type === 'offline') throw new Error('expected a model behind an API');
  return spec;
}

function parent(choice: unknown): ModelRoute {
  return { route: 'gateway', spec: resolved(choice) };
}

function thrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a throw');
}

describe('the API of an address', () => {
  it.each<[string, ApiMode]>([
    ['https://api.anthropic.com', 'anthropic_messages'],
    ['https://api.openai.com/v1', 'codex_responses'],
    ['https://EU.api.openai.com/v1', 'codex_responses'],
    ['https://api.x.ai/v1', 'codex_responses'],
    ['https://api.minimax.example/anthropic', 'anthropic_messages'],
    ['https://proxy.example/Anthropic//', 'anthropic_messages'],
    ['http://127.0.0.1:11434/v1', 'chat_completions'],
    ['https://openrouter.ai/api/v1', 'chat_completions'],
    ['https://api.anthropic.com.attacker.example/v1', 'chat_completions'],
    ['https://proxy.example/api.openai.com/v1', 'chat_completions'],
    ['https://proxy.example/v1?x=/anthropic', 'chat_completions'],
    ['https://proxy.example/anthropic/v1', 'chat_completions'],
  ])('of %s is %s (C39)', (baseUrl, apiMode) => {
    expect(detectApiMode(baseUrl)).toBe(apiMode);
    for (const empty of ['', undefined] as const) {
      const choice = { model: 'm', baseUrl, apiKey: 'own', apiMode: empty };
      expect(resolved(choice).apiMode).toBe(apiMode);
    }
  });

  it.each(apiModes)('is %s when that is said, whatever the address says (C40)', (apiMode) => {
    for (const baseUrl of ['https://api.openai.com/v1', 'https://x.example/anthropic']) {
      expect(resolved({ model: 'm', baseUrl, apiKey: 'own', apiMode }).apiMode).toBe(apiMode);
    }
  });

  it('has the version in its path where OpenAI\u2019s SDK expects it', () => {
    const at = (baseUrl: string, apiMode: ApiMode) =>
      resolved({ model: 'm', baseUrl, apiKey: 'own', apiMode }).baseUrl;

    expect(at('https://x.example', 'chat_completions')).toBe('https://x.example/v1');
    expect(at('https://x.example/api/', 'chat_completions')).toBe('https://x.example/api');
    expect(at('https://x.example/v1', 'anthropic_messages')).toBe('https://x.example');
  });
});

describe('an endpoint', () => {
  it('is the address and the key it names, before its provider (C38)', () => {
    const choice = {
      provider: 'anthropic',
      model: 'm',
      baseUrl: 'https://x.example/v1',
      apiKey: 'own',
    };

    expect(resolved(choice)).toEqual({
      type: 'custom',
      model: 'm',
      baseUrl: 'https://x.example',
      apiKey: 'own',
      apiMode: 'anthropic_messages',
    });
  });

  it.each<[string, string, ApiMode]>([
    ['anthropic', 'http://127.0.0.1:4000', 'anthropic_messages'],
    ['anthropic', 'https://x.example/v1', 'anthropic_messages'],
    ['anthropic', 'https://api.openai.com/v1', 'codex_responses'],
    ['openai', 'http://127.0.0.1:4000', 'chat_completions'],
    ['openai', 'https://x.example/anthropic', 'anthropic_messages'],
  ])('of %s at %s speaks %s (C39)', (provider, baseUrl, apiMode) => {
    expect(resolved({ provider, model: 'm', baseUrl, apiKey: 'own' }).apiMode).toBe(apiMode);
  });

  it('names another provider for a child, with that provider\u2019s own key (A40)', () => {
    const main = parent('anthropic:claude-test');

    expect(resolved({ provider: 'openai', model: 'gpt-test' }, main)).toEqual({
      type: 'openai',
      model: 'gpt-test',
      apiKey: 'key-o',
      apiMode: 'codex_responses',
    });
  });

  it.each<[object, object]>([
    [{ model: 'other' }, { type: 'custom', model: 'other', apiKey: 'own' }],
    [{ provider: 'openai' }, { type: 'openai', model: 'm', apiKey: 'key-o' }],
    [{ apiMode: 'codex_responses' }, { type: 'custom', model: 'm', apiMode: 'codex_responses' }],
  ])('%j leaves the rest as the parent has it (C37)', (choice, expected) => {
    const main = parent({ model: 'm', baseUrl: 'https://x.example/v1', apiKey: 'own' });

    expect(resolved(choice, main)).toMatchObject(expected);
  });

  it.each<[object, string]>([
    [{ provider: 'openai' }, 'model must be the name of a model'],
    [{ model: 'm', apiKey: 'k' }, 'provider must be anthropic or openai'],
    [{ model: 'm', baseUrl: 'nowhere', apiKey: 'k' }, 'baseUrl must be a URL; got "nowhere"'],
    [{ model: 'm', baseUrl: 'ftp://x.example', apiKey: 'k' }, 'http or https; got ftp:'],
    [{ model: 'm', baseUrl: 'https://u:pass@x.example', apiKey: 'k' }, 'without a password'],
  ])('%j is refused by what is wrong with it', (choice, message) => {
    const error = thrownBy(() => resolved(choice));

    expect(error).toMatchObject({ code: 'invalid_options' });
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('pass@');
  });
});

describe('a key', () => {
  it.each(['http://api.anthropic.com', 'https://api.anthropic.com:8443', 'https://x.example/v1'])(
    'of the environment does not go along to %s (C38)',
    (baseUrl) => {
      const error = thrownBy(() => resolved({ provider: 'anthropic', model: 'm', baseUrl }));

      expect(error).toMatchObject({ code: 'model_key_missing' });
      expect(error.message).toContain(new URL(baseUrl).host);
    },
  );

  it.each([
    [{ model: 'm', baseUrl: 'https://x.example/v1', apiKey: 'key-a' }, 'x.example'],
    [{ provider: 'openai', model: 'm', apiKey: 'key-a' }, 'api.openai.com'],
    [{ provider: 'openai', model: 'm', apiKey: 'sk-ant-other' }, 'api.openai.com'],
  ])('for the wrong host is refused, unseen: %j (C38)', (choice, host) => {
    const error = thrownBy(() => resolved(choice));

    expect(error).toMatchObject({ code: 'model_key_wrong_host', detail: { host } });
    expect(error.message).toContain(host);
    expect(error.message).not.toContain(choice.apiKey);
  });

  it('is at home where the environment says its provider is', () => {
    const variables = { ...env, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };

    expect(resolved('openai:m', undefined, variables)).toMatchObject({
      apiKey: 'key-o',
      baseUrl: 'http://127.0.0.1:1/v1',
      apiMode: 'chat_completions',
    });
    const elsewhere = { model: 'm', baseUrl: 'https://api.openai.com/v1', apiKey: 'key-o' };
    expect(thrownBy(() => resolved(elsewhere, undefined, variables))).toMatchObject({
      code: 'model_key_wrong_host',
    });
  });

  it('stays with its provider when another API is asked for', () => {
    const spec = resolved({ provider: 'openai', model: 'm', apiMode: 'anthropic_messages' });

    expect(spec).toMatchObject({ apiKey: 'key-o', baseUrl: 'https://api.openai.com' });
    expect(providerOf(spec.baseUrl ?? '')).toBe('openai');
  });

  it.each([
    ['openai:m', 'OPENAI_API_KEY'],
    ['anthropic:m', 'ANTHROPIC_API_KEY'],
  ])('that is missing for %s is named by its variable', (choice, variable) => {
    expect(thrownBy(() => resolved(choice, undefined, {}))).toMatchObject({
      code: 'model_key_missing',
      detail: { variable },
    });
  });
});

describe('settings that are refused', () => {
  it.each([
    ['anthropic:m', ['temperature', 'topP']],
    ['openai:m', []],
    [{ provider: 'anthropic', model: 'm', apiVersion: '2023-06-01' }, []],
    [{ provider: 'openai', model: 'm', apiMode: 'anthropic_messages' }, ['temperature', 'topP']],
  ])('by %j are %j (B4)', (choice, expected) => {
    expect(refusedSettings(parent(choice))).toEqual(expected);
  });
});
