// Owns the prices of providers' models, from the table of @pydantic/genai-prices. Loads it when a price is asked for, not before.
import { createRequire } from 'node:module';
import { reasonOf } from '../../base/failures.ts';
import type { TokenCounts } from '../../protocol/history.ts';
import type { ListedModel } from '../../protocol/price-source.ts';
import type { PriceLookup } from './model-price.ts';

type Table = Pick<typeof import('@pydantic/genai-prices'), 'calcPrice'>;
type State =
  | { readonly status: 'fresh' }
  | { readonly status: 'loaded'; readonly table: Table }
  | { readonly status: 'missing'; readonly reason: string };
type Question = {
  readonly model: string;
  readonly providerId?: string;
  readonly providerApiUrl?: string;
};

const packageName = '@pydantic/genai-prices';

/** Null for an unknown price, never zero: a table that returns zero for tokens that were used knows no price. */
export class PriceTable {
  readonly #load: () => Table;
  #state: State = { status: 'fresh' };

  /** By default the package is loaded, within the call that needs it: some 50 ms, once in a process or thread. */
  constructor(load: () => Table = () => createRequire(import.meta.url)(packageName)) {
    this.#load = load;
  }

  /** Why there is no table; null while there is one, or none was needed. */
  get missing(): string | null {
    return this.#state.status === 'missing' ? this.#state.reason : null;
  }

  readonly price: PriceLookup = (listed, usage) => {
    const table = this.#loaded();
    if (table === null) return null;
    const tokens = toTableUsage(usage);
    for (const { model, ...options } of questionsOf(listed)) {
      const cost = priceIn(() => table.calcPrice(tokens, model, options));
      if (cost !== null && (cost > 0 || isEmpty(usage))) return cost;
    }
    return null;
  };

  #loaded(): Table | null {
    if (this.#state.status === 'fresh') {
      try {
        this.#state = { status: 'loaded', table: this.#load() };
      } catch (error) {
        const reason = `the package ${packageName} cannot be loaded: ${reasonOf(error)}`;
        this.#state = { status: 'missing', reason };
      }
    }
    return this.#state.status === 'loaded' ? this.#state.table : null;
  }
}

/** As exact as it can be asked first: by the address, by the provider, by the name alone. */
function questionsOf({ model, provider, address }: ListedModel): readonly Question[] {
  const [vendor = '', ...name] = model.split('/');
  const providers = [provider ?? '', (provider ?? '').split('.')[0] ?? ''];
  return [
    ...(address === null ? [] : [{ model, providerApiUrl: address }]),
    ...[...new Set(providers)].filter(Boolean).map((providerId) => ({ model, providerId })),
    { model },
    // `anthropic/claude-…`, as proxies of several providers call it.
    ...(name.length === 0 ? [] : [{ model: name.join('/'), providerId: vendor }]),
  ];
}

/** A table that fails at a question does not know its answer. */
function priceIn(ask: () => ReturnType<Table['calcPrice']>): number | null {
  try {
    const costUsd = ask()?.total_price ?? null;
    return Number.isFinite(costUsd) ? costUsd : null;
  } catch {
    return null;
  }
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
