// Owns the prices of providers' models, from the optional package @pydantic/genai-prices. Loaded in the gateway's thread only.
import type { Model, Price, TokenCounts } from './model.ts';

type Table = Pick<typeof import('@pydantic/genai-prices'), 'calcPrice'>;

const providers = ['anthropic', 'openai'] as const;

/**
 * Prices of models, once loaded: 0 for `offline`, null for what the table does not know and for everything while the
 * package is not installed. Never zero by accident: a table that says nothing for tokens that were used knows no price.
 */
export class PriceTable {
  readonly #import: () => Promise<Table>;
  #table: Table | null = null;
  #loading: Promise<void> | null = null;

  constructor(load: () => Promise<Table> = () => import('@pydantic/genai-prices')) {
    this.#import = load;
  }

  /** Loads the table before the first price that needs it; null when there is nothing to wait for. */
  prepare({ id }: Model): Promise<void> | null {
    if (id === 'offline' || this.#table !== null) return null;
    this.#loading ??= this.#import().then(
      (table) => {
        this.#table = table;
      },
      // Not installed, or broken: every price is unknown, which a budget in dollars says when it is asked for.
      () => {},
    );
    return this.#loading;
  }

  readonly price: Price = (model, usage) => {
    if (model === 'offline') return 0;
    const table = this.#table;
    if (table === null) return null;
    for (const providerId of providers) {
      const found = table.calcPrice(toTableUsage(usage), model, { providerId });
      if (found === null) continue;
      return found.total_price > 0 || isEmpty(usage) ? found.total_price : null;
    }
    return null;
  };
}

/** The table counts cached input as a part of the input; we, as Anthropic does, beside it. */
function toTableUsage({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: TokenCounts) {
  return {
    input_tokens: inputTokens + cacheReadTokens + cacheWriteTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
  };
}

function isEmpty(usage: TokenCounts): boolean {
  return Object.values(usage).every((count) => count === 0);
}
