// Owns what a gateway knows of an activation, with its models built.
import type { ModelBinding } from '../../protocol/model-binding.ts';
import type { PriceSource } from '../../protocol/price-source.ts';
import type { Model } from '../model.ts';

export type BoundModel = {
  readonly model: Model;
  /** Left out: not known. */
  readonly price?: PriceSource;
};

export type Binding = ModelBinding &
  BoundModel & {
    /** Asked in turn, each when the one before it fails. */
    readonly fallbacks?: readonly BoundModel[];
  };
