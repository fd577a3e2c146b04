// Owns which source a model's price is taken from, and what tokens cost by it. Pure; knows no table.

import type { TokenCounts } from '../../protocol/history.ts';
import type { ModelPrice } from '../../protocol/price.ts';
import type { ListedModel, PriceSource } from '../../protocol/price-source.ts';
import type { Model } from '../model.ts';
import type { ModelRoute } from '../resolve.ts';

/** What tokens cost by a price table; null where it knows no price, never zero. */
export type PriceLookup = (listed: ListedModel, usage: TokenCounts) => number | null;

/** `anthropic:claude-x` is called `claude-x` by its provider. */
export function bareName(id: string): string {
  return id.slice(id.indexOf(':') + 1);
}

/** A price of `prices` by the model's id or its bare name, else the model's own, else the table's where its id names a provider. */
export function priceSource(
  route: ModelRoute,
  id: string,
  prices: Readonly<Record<string, ModelPrice>>,
): PriceSource {
  if (route.route === 'gateway' && route.spec.type === 'offline') return free;
  const name = [id, bareName(id)].find((each) => Object.hasOwn(prices, each));
  const given = (name === undefined ? undefined : prices[name]) ?? ownPrice(route);
  if (given !== undefined) return { type: 'given', price: given };
  const provider = bareName(id) === id ? null : id.slice(0, id.indexOf(':'));
  if (provider === null) return { type: 'none' };
  const address = route.route === 'gateway' ? (addressOf(route.spec) ?? null) : null;
  return { type: 'listed', listed: { model: bareName(id), provider, address } };
}

const free: PriceSource = { type: 'given', price: 0 };

function ownPrice(route: ModelRoute): Model['price'] {
  return route.route === 'host' ? route.model.price : undefined;
}

function addressOf(spec: { readonly baseUrl?: string } | object): string | undefined {
  return 'baseUrl' in spec ? spec.baseUrl : undefined;
}

/** What tokens cost; null where no price is known. A router may answer under another name than the one it was asked by. */
export function costOf(
  source: PriceSource,
  usage: TokenCounts,
  { lookUp, answeredBy }: { readonly lookUp: PriceLookup; readonly answeredBy?: string },
): number | null {
  switch (source.type) {
    case 'given':
      return costAt(source.price, usage);
    case 'listed': {
      const { listed } = source;
      const other = answeredBy ?? listed.model;
      const answered = other === listed.model ? null : lookUp({ ...listed, model: other }, usage);
      return answered ?? lookUp(listed, usage);
    }
    case 'none':
      return null;
  }
}

function costAt(price: ModelPrice, usage: TokenCounts): number {
  if (price === 0) return 0;
  const { inputPerMTok, outputPerMTok } = price;
  const { cacheReadPerMTok = inputPerMTok, cacheWritePerMTok = inputPerMTok } = price;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const dollars =
    inputTokens * inputPerMTok +
    outputTokens * outputPerMTok +
    cacheReadTokens * cacheReadPerMTok +
    cacheWriteTokens * cacheWritePerMTok;
  return dollars / 1_000_000;
}
