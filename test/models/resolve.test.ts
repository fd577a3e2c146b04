// Checks what a model option may be and where its key comes from.
import { describe, expect, it } from 'vitest';
import { createModel, modelId, resolveModel, withCredentials } from '#src/models/resolve.js';
import type { ModelSpec } from '#src/protocol/model-spec.js';
import { scripted } from '#src/testing.js';

describe('resolveModel', () => {
  it.each<[string, ModelSpec]>([
    ['offline', { type: 'offline' }],
    ['anthropic:claude-sonnet-5', { type: 'anthropic', model: 'claude-sonnet-5' }],
    ['openai:gpt-test', { type: 'openai', model: 'gpt-test' }],
  ])('sends %s to the gateway', (value, spec) => {
    expect(resolveModel(value)).toEqual({ route: 'gateway', spec });
  });

  it('keeps a model object on the host', () => {
    const model = scripted({ default: [] });

    expect(resolveModel(model)).toEqual({ route: 'host', model });
  });

  it.each<[unknown, string]>([
    ['gpt-9', '"gpt-9"'],
    ['anthropic:', '"anthropic:"'],
    ['openai:', '"openai:"'],
    ['', '""'],
    [undefined, 'undefined'],
    [{ specificationVersion: 'v4', modelId: 'm' }, '{"specificationVersion":"v4","modelId":"m"}'],
    [{ id: 'x', respond: true }, '{"id":"x","respond":true}'],
  ])('refuses %j by its name', (value, shown) => {
    expect(() => resolveModel(value)).toThrow(
      expect.objectContaining({
        code: 'model_unknown',
        message: expect.stringContaining(`no such model: ${shown}; known are "offline"`),
      }),
    );
  });
});

describe('withCredentials', () => {
  const spec: ModelSpec = { type: 'anthropic', model: 'm' };

  it('needs nothing for the offline model', () => {
    expect(withCredentials({ type: 'offline' }, {})).toEqual({ type: 'offline' });
  });

  it('takes the key and the address from the environment', () => {
    const env = { ANTHROPIC_API_KEY: ' k ', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' };

    expect(withCredentials(spec, env)).toEqual({
      ...spec,
      apiKey: 'k',
      apiMode: 'anthropic_messages',
      baseUrl: 'http://127.0.0.1:1',
    });
  });

  it('prefers what the specification has', () => {
    expect(withCredentials({ ...spec, apiKey: 'own' }, { ANTHROPIC_API_KEY: 'k' })).toEqual({
      ...spec,
      apiKey: 'own',
      apiMode: 'anthropic_messages',
    });
  });

  it.each([[{}], [{ ANTHROPIC_API_KEY: '' }]])('names the missing variable for %j', (env) => {
    expect(() => withCredentials(spec, env)).toThrow(
      expect.objectContaining({
        code: 'model_key_missing',
        detail: { variable: 'ANTHROPIC_API_KEY' },
      }),
    );
  });

  it('refuses an address that is none', () => {
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'nowhere' };

    expect(() => withCredentials(spec, env)).toThrow(
      expect.objectContaining({ code: 'invalid_options' }),
    );
  });
});

describe('createModel', () => {
  it.each<[ModelSpec]>([
    [{ type: 'offline' }],
    [{ type: 'anthropic', model: 'm', apiKey: 'k' }],
    [{ type: 'anthropic', model: 'm', apiKey: 'k', baseUrl: 'http://127.0.0.1:1' }],
    [{ type: 'openai', model: 'm', apiKey: 'k' }],
    [{ type: 'custom', model: 'm', apiKey: 'k', apiMode: 'anthropic_messages' }],
  ])('builds a model named after %j', (spec) => {
    expect(createModel(spec).id).toBe(modelId(spec));
  });
});
