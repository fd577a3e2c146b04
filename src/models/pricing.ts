// Owns how a price is asked for, and the one used when a service names none. Knows no table: unknown is null, never zero.
import type { Model, Price } from './model.ts';

/** The offline model is free; of every other model no price is known. */
export const defaultPrice: Price = (model) => (model === 'offline' ? 0 : null);

/** The price of a service; one that throws, or gives no number, is no price. */
export function guarded(price: Price): Price {
  return (model, usage) => {
    try {
      const costUsd = price(model, usage);
      return Number.isFinite(costUsd) ? costUsd : null;
    } catch {
      return null;
    }
  };
}

/** `anthropic:claude-x` is priced as `claude-x`, as the provider names it. */
export function priceName({ id }: Model): string {
  return id.slice(id.indexOf(':') + 1);
}
