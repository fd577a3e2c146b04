// Checks prices of the table that is installed: by provider, address and name, null for the unknown, never zero by accident.
import { expect, it } from 'vitest';
import { PriceTable } from '#src/models/budget/price-table.js';

const usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};
const listed = (model: string, provider: string | null = null, address: string | null = null) => ({
  model,
  provider,
  address,
});

it('a price counts cached input apart from the rest (V10)', () => {
  const { price } = new PriceTable();
  const cached = { ...usage, inputTokens: 0, cacheReadTokens: 1_000_000 };
  const written = { ...usage, inputTokens: 0, cacheWriteTokens: 1_000_000 };

  const [plain = 0, read = 0, write] = [usage, cached, written].map(
    (each) => price(listed('claude-sonnet-4-5', 'anthropic'), each) ?? 0,
  );

  expect(plain).toBeGreaterThan(read);
  expect(write).toBeGreaterThan(plain);
  expect(read).toBeGreaterThan(0);
});

it.each([
  ['a provider of the AI SDK', listed('claude-sonnet-4-5', 'anthropic.messages')],
  ['a proxy that nobody knows', listed('claude-sonnet-4-5', 'custom', 'http://127.0.0.1:4000/v1')],
  ['a proxy of several providers', listed('anthropic/claude-sonnet-4-5', 'gateway')],
  [
    'a proxy that is known by its address',
    listed('anthropic/claude-sonnet-4.5', 'custom', 'https://openrouter.ai/api/v1'),
  ],
  ['the wrong provider', listed('claude-sonnet-4-5', 'openai')],
])('a model of %s has the price of its name (V10)', (_, model) => {
  const { price } = new PriceTable();

  expect(price(model, usage)).toBe(price(listed('claude-sonnet-4-5', 'anthropic'), usage));
});

it.each([
  ['grok-4', 'xai.chat'],
  ['gpt-5', 'azure.chat'],
  ['gemini-2.5-pro', 'google.generative-ai'],
  ['mistral-large-latest', 'mistral.chat'],
])('%s of the AI SDK’s provider %s has a price (V10)', (model, provider) => {
  expect(new PriceTable().price(listed(model, provider), usage)).toBeGreaterThan(0);
});

it.each(['claude-test', 'llama-local', ''])(
  'the price of %j is unknown, not zero (V10)',
  (model) => {
    expect(new PriceTable().price(listed(model, 'anthropic'), usage)).toBeNull();
  },
);

it.each([
  ['zero for tokens that were used', () => ({ total_price: 0 })],
  ['no number', () => ({ total_price: Number.NaN })],
  [
    'an error',
    () => {
      throw new Error('no such model');
    },
  ],
])('a price that a table answers with %s is unknown (V10)', (_, calcPrice) => {
  const { price } = new PriceTable(() => ({ calcPrice: calcPrice as never }));

  expect(price(listed('claude-x', 'anthropic'), usage)).toBeNull();
});

it('nothing is loaded before a price is asked for, and a table that is not there is asked for once (V10)', () => {
  let loads = 0;
  const table = new PriceTable(() => {
    loads += 1;
    throw new Error('Cannot find module');
  });
  expect([loads, table.missing]).toEqual([0, null]);

  for (const _ of [1, 2]) expect(table.price(listed('claude-sonnet-4-5'), usage)).toBeNull();

  expect(loads).toBe(1);
  expect(table.missing).toContain('Cannot find module');
});

it('a model is searched for once, whether or not the table has it (V10)', () => {
  const asked: (readonly [string, boolean])[] = [];
  const provider = { id: 'one' } as never;
  const { price } = new PriceTable(() => ({
    calcPrice: ((_usage: unknown, model: string, options: object) => {
      asked.push([model, 'provider' in options]);
      return model === 'known' && !('providerApiUrl' in options)
        ? { total_price: 2, provider }
        : null;
    }) as never,
  }));
  const ask = (model: string) => price({ ...listed(model), address: 'http://proxy' }, usage);

  expect([ask('known'), ask('known'), ask('other')]).toEqual([2, 2, null]);
  const before = asked.length;
  expect([ask('known'), ask('other')]).toEqual([2, null]);
  expect(asked.slice(before)).toEqual([['known', true]]);
});
