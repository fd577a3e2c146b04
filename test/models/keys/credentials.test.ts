// Checks whom a pool's keys are for: two addresses are never one provider, and a key never goes to another host.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CredentialPool,
  endpointOf,
  readPools,
  withPool,
} from '#src/models/keys/credentials.js';

const spec = { type: 'anthropic', model: 'm' } as const;
const pool = (baseUrl?: string): CredentialPool => ({
  provider: 'anthropic',
  keys: ['sk-one'],
  ...(baseUrl === undefined ? {} : { baseUrl }),
});

describe('an endpoint', () => {
  it.each([
    ['https://api.anthropic.com', undefined, true],
    ['https://API.anthropic.com:443/', 'https://api.anthropic.com', true],
    ['http://api.anthropic.com', 'https://api.anthropic.com', false],
    ['https://h:8443', 'https://h', false],
    ['https://h/team-a', 'https://h/team-b', false],
    ['https://h/team-a/', 'https://h/team-a', true],
  ])('%s and %s are one provider: %s (C41)', (a, b, isOne) => {
    expect(endpointOf('anthropic', a) === endpointOf('anthropic', b)).toBe(isOne);
    expect(endpointOf('anthropic', a)).not.toBe(endpointOf('openai', a));
  });
});

describe('a model', () => {
  const proxied = { type: 'custom', model: 'm', baseUrl: 'http://b/v1' } as const;

  it('goes to the address of its provider’s first pool', () => {
    expect(withPool(spec, [pool('http://a'), pool('http://b')])).toEqual({
      ...spec,
      baseUrl: 'http://a',
      apiMode: 'anthropic_messages',
      pool: 'anthropic at http://a',
    });
    expect(withPool(spec, [pool()])).toEqual({
      ...spec,
      apiMode: 'anthropic_messages',
      pool: 'anthropic at https://api.anthropic.com',
    });
  });

  it('with an address of its own is under the pool for that address, whatever its provider (C41)', () => {
    const pools = [pool('http://a'), pool('http://b/'), pool('http://c')];
    const found = {
      baseUrl: 'http://b',
      apiMode: 'anthropic_messages',
      pool: 'anthropic at http://b',
    };

    expect(withPool(proxied, pools)).toMatchObject(found);
    expect(withPool({ ...spec, baseUrl: 'http://b/' }, pools)).toMatchObject(found);
    expect(withPool({ ...proxied, baseUrl: 'http://d' }, pools)).toBeNull();
  });

  it('of two pools at one address is under the one whose API it speaks (C41)', () => {
    const pools = [pool('http://b'), { ...pool('http://b/v1'), provider: 'openai' as const }];
    const asked = (apiMode: 'anthropic_messages' | 'chat_completions') =>
      withPool({ ...proxied, apiMode }, pools)?.pool;

    expect(asked('anthropic_messages')).toBe('anthropic at http://b');
    expect(asked('chat_completions')).toBe('openai at http://b/v1');
  });

  it('with a key of its own, or of a provider without a pool, has no part in pools', () => {
    expect(withPool({ ...spec, apiKey: 'k' }, [pool('http://a')])).toBeNull();
    expect(withPool(spec, [{ ...pool('http://a'), provider: 'openai' }])).toBeNull();
  });

  it('with an address that no pool is for is refused, whatever the two are (C41)', () => {
    const host = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(host, host, (a, b) => {
        fc.pre(a !== b);
        const asked = { ...spec, baseUrl: `http://${a}` };

        expect(() => withPool(asked, [pool(`http://${b}`)])).toThrow(
          expect.objectContaining({
            code: 'model_key_wrong_host',
            message: expect.not.stringContaining('sk-one'),
          }),
        );
      }),
    );
  });
});

describe('pools', () => {
  it('call keys by their label, else by their place', () => {
    const keys = [' sk-one ', { key: 'sk-two', label: 'team' }];

    expect(readPools([{ provider: 'openai', keys }])).toEqual([
      {
        endpoint: 'openai at https://api.openai.com/v1',
        strategy: 'least_used',
        keys: [
          { key: 'sk-one', label: 'key 1' },
          { key: 'sk-two', label: 'team' },
        ],
      },
    ]);
  });
});
