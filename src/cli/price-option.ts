// Owns the option `--price`: how it is parsed, and the error for a model without a price in the command's terms. Pure.
import { InvalidArgumentError } from 'commander';
import { TroupeError } from '../base/failures.ts';
import type { ModelPrice } from '../index.ts';

type Prices = Readonly<Record<string, ModelPrice>>;

/** Reads `model=in,out` or `model=0` and adds it to those before. A model's name may contain `=`. */
export function readPrice(text: string, before: Prices = {}): Prices {
  const [, model, input, output] = /^(.+)=(\d*\.?\d+)(?:,(\d*\.?\d+))?$/.exec(text) ?? [];
  if (model !== undefined && output !== undefined) {
    return { ...before, [model]: { inputPerMTok: Number(input), outputPerMTok: Number(output) } };
  }
  if (model !== undefined && Number(input) === 0) return { ...before, [model]: 0 };
  throw new InvalidArgumentError(
    'Expected a model and its price, such as my-model=3,15 or my-model=0.',
  );
}

/** Does the work; a model without a price is refused with what the command line can do about it. */
export function withPriceHint<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TroupeError) || error.code !== 'model_price_missing') throw error;
    const { code, detail = {} } = error;
    const model = String(detail['model']);
    const message = `no price is known for the model ${model}, so --budget-usd cannot be kept: give --price '${model}=<in>,<out>' in US dollars per million tokens, or --price '${model}=0' where it is free`;
    throw new TroupeError(code, message, { detail });
  }
}
