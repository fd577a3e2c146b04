// Checks that what nobody may read is taken out of a text, in every form it could stand there.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secretsOf, withoutSecrets } from '#src/models/secrets.js';

const secret = fc.stringMatching(/^[A-Za-z0-9/+"%\\-]{8,40}$/);

test('no key of a pool, an endpoint or the environment is left in any form (C24)', () => {
  fc.assert(
    fc.property(secret, secret, secret, (pooled, own, inEnv) => {
      const secrets = secretsOf(
        { SOME_API_KEY: inEnv, HOME: '/home/somebody' },
        [{ provider: 'openai', keys: [pooled] }],
        [{ apiKey: own }, 'offline', undefined],
      );
      const forms = [pooled, own, inEnv].flatMap((key) => [
        key,
        encodeURIComponent(key),
        JSON.stringify(key),
      ]);

      const text = withoutSecrets(`in /home/somebody: ${forms.join(' ')} end`, secrets);

      expect(text).toMatch(/^in \/home\/somebody: /);
      for (const key of [pooled, own, inEnv]) expect(text).not.toContain(key);
    }),
  );
});

test.each(['sk-proj-abc***xyz', 'Bearer abc.def', 'abcd****wxyz'])(
  'what looks like a key is none of ours to show: %s (C24)',
  (shown) => {
    expect(withoutSecrets(`refused: ${shown} is wrong`, [])).toBe('refused: [key] is wrong');
  },
);

test('a key that is a word, as servers without keys are given, garbles nothing (C24)', () => {
  const secrets = secretsOf({}, [{ provider: 'openai', keys: ['local'] }], [{ apiKey: ' test ' }]);

  expect(withoutSecrets('the latest test of a local server', secrets)).toBe(
    'the latest test of a local server',
  );
});

test('a short word of the environment garbles nothing', () => {
  expect(secretsOf({ AUTH_MODE: 'none', PATH: '/usr/bin' }, [], [])).toEqual([]);
});
