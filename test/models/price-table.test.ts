// Checks prices: the real table where it is installed, null for the unknown, never zero by accident.
import { describe, expect, it } from 'vitest';
import { PriceTable } from '#src/models/price-table.js';

const usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};
const modelCalled = (id: string) => ({ id, respond: () => Promise.reject(new Error('unused')) });

async function loaded(load?: ConstructorParameters<typeof PriceTable>[0]): Promise<PriceTable> {
  const table = new PriceTable(load);
  await table.prepare(modelCalled('anthropic:x'));
  return table;
}

describe('a price', () => {
  it('V10 of a known model counts cached input apart from the rest', async () => {
    const { price } = await loaded();
    const cached = { ...usage, inputTokens: 0, cacheReadTokens: 1_000_000 };
    const written = { ...usage, inputTokens: 0, cacheWriteTokens: 1_000_000 };

    const [plain, read, write] = [usage, cached, written].map((each) => {
      return price('claude-sonnet-4-5', each) ?? 0;
    });

    expect(plain).toBeGreaterThan(read ?? 0);
    expect(write).toBeGreaterThan(plain ?? 0);
    expect(read).toBeGreaterThan(0);
  });

  it.each(['claude-test', 'llama-local', ''])('of %j is unknown, not zero', async (model) => {
    const { price } = await loaded();

    expect(price(model, usage)).toBeNull();
  });

  it('that a table gives as zero for tokens that were used is unknown', async () => {
    const zero = { total_price: 0 } as never;
    const { price } = await loaded(async () => ({ calcPrice: () => zero }));

    expect(price('claude-x', usage)).toBeNull();
    expect(price('claude-x', { ...usage, inputTokens: 0, outputTokens: 0 })).toBe(0);
  });

  it('is unknown while the package is not installed, and then not waited for again', async () => {
    let imports = 0;
    const table = await loaded(() => {
      imports += 1;
      return Promise.reject(new Error('Cannot find package'));
    });
    await table.prepare(modelCalled('anthropic:y'));

    expect(table.price('claude-sonnet-4-5', usage)).toBeNull();
    expect(imports).toBe(1);
  });

  it('of the offline model is zero, and loads nothing', () => {
    const table = new PriceTable(() => Promise.reject(new Error('loaded')));

    expect(table.prepare(modelCalled('offline'))).toBeNull();
    expect(table.price('offline', usage)).toBe(0);
  });
});
