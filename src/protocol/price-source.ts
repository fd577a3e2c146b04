// Owns where a model's price comes from. Types only.
import type { ModelPrice } from './price.ts';

/** A model as a price table is asked for it. */
export type ListedModel = {
  readonly model: string;
  /** The provider's name, as the model's id begins; null where the id names none. */
  readonly provider: string | null;
  /** Where it is asked, when that is not its provider's own address. */
  readonly address: string | null;
};

/** Where a model's price comes from. */
export type PriceSource =
  | { readonly type: 'given'; readonly price: ModelPrice }
  | { readonly type: 'listed'; readonly listed: ListedModel }
  | { readonly type: 'none' };
