// Owns what the models of a supervisor's agents cost, and the refusal of one whose cost is to be limited and not known.
import { TroupeError } from '../../base/failures.ts';
import { bareName, costOf, priceSource } from '../../models/budget/model-price.ts';
import type { PriceTable } from '../../models/budget/price-table.ts';
import { idOfRoute, type ModelRoute } from '../../models/resolve.ts';
import type { ModelPrice } from '../../protocol/price.ts';
import type { PriceSource } from '../../protocol/price-source.ts';

export type Pricing = {
  readonly prices: Readonly<Record<string, ModelPrice>>;
  readonly table: Pick<PriceTable, 'price' | 'missing'>;
  /** Some cost is limited: the limit could not be enforced for a model without a price. */
  readonly isLimited: boolean;
};

/** Tokens of every kind that has a price of its own. */
const probe = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1 };

/** What the tokens of a model cost, as far as it is known. */
export function priceOf(route: ModelRoute, { prices, table }: Pricing): PriceSource {
  const source = priceSource(route, idOfRoute(route), prices);
  // Of a model on the host it is looked up now as well: the table would be loaded amid the host's work else.
  if (route.route === 'host' && source.type === 'listed') table.price(source.listed, probe);
  return source;
}

/** Throws `model_price_missing` for a model whose cost is to be limited and not known. */
export function refuseUnpriced(
  route: ModelRoute,
  source: PriceSource,
  { table }: Pick<Pricing, 'table'>,
): void {
  if (costOf(source, probe, { lookUp: table.price }) !== null) return;
  const id = idOfRoute(route);
  const name = JSON.stringify(bareName(id));
  const fixes = [
    `give createSupervisor prices: { ${name}: { inputPerMTok, outputPerMTok } } in US dollars per million tokens, or { ${name}: 0 } where it is free`,
    ...(route.route === 'host' ? ['or give the model object such a price'] : []),
  ];
  const missing = source.type === 'listed' ? table.missing : null;
  const why = missing === null ? '' : ` (${missing})`;
  throw new TroupeError(
    'model_price_missing',
    `no price is known for the model ${id}${why}, so maxCostUsd cannot be kept: ${fixes.join(', ')}`,
    { detail: { model: bareName(id) } },
  );
}
