// Owns the prices of providers' models, from the table of @pydantic/genai-prices. Loads it when a price is asked for, not before.
import { createRequire } from 'node:module';
import type { PriceOptions, Provider } from '@pydantic/genai-prices';
import { reasonOf } from '../../base/failures.ts';
import type { TokenCounts } from '../../protocol/history.ts';
import type { ListedModel } from '../../protocol/price-source.ts';
import type { PriceLookup } from './model-price.ts';

type Table = Pick<typeof import('@pydantic/genai-prices'), 'calcPrice'>;
type State =
  | { readonly status: 'fresh' }
  | { readonly status: 'loaded'; readonly table: Table }
  | { readonly status: 'missing'; readonly reason: string };
type Question = { readonly model: string } & Pick<
  PriceOptions,
  'provider' | 'providerId' | 'providerApiUrl'
>;

const packageName = '@pydantic/genai-prices';
/** Models that are looked up again without a search; a router may answer by any name. */
const maxKnown = 200;

/** Null for an unknown price, never zero: a table that returns zero for tokens that were used knows no price. */
export class PriceTable {
  readonly #load: () => Table;
  #state: State = { status: 'fresh' };
  /** By model, provider and address: what the table had an answer to, the latest last; null for nothing. */
  readonly #known = new Map<string, Question | null>();

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
    const key = JSON.stringify([listed.model, listed.provider, listed.address]);
    const known = this.#known.get(key);
    if (known === null) return null;
    const tokens = toTableUsage(usage);
    let isListed = false;
    for (const question of questionsAfter(known, listed)) {
      const { model, ...options } = question;
      const answer = answerTo(() => table.calcPrice(tokens, model, options));
      if (answer === null) continue;
      isListed = true;
      if (answer.costUsd === 0 && !isEmpty(usage)) continue;
      if (question !== known) this.#learn(key, { model, provider: answer.provider });
      return answer.costUsd;
    }
    if (!isListed) this.#learn(key, null);
    return null;
  };

  #learn(key: string, question: Question | null): void {
    this.#known.set(key, question);
    const [oldest = ''] = this.#known.keys();
    if (this.#known.size > maxKnown) this.#known.delete(oldest);
  }

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

/** What was answered last time is most likely answered again. */
function* questionsAfter(known: Question | undefined, listed: ListedModel): Iterable<Question> {
  if (known !== undefined) yield known;
  yield* questionsOf(listed);
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
function answerTo(
  ask: () => ReturnType<Table['calcPrice']>,
): { readonly costUsd: number; readonly provider: Provider } | null {
  try {
    const answer = ask();
    if (answer === null || !Number.isFinite(answer.total_price)) return null;
    return { costUsd: answer.total_price, provider: answer.provider };
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
