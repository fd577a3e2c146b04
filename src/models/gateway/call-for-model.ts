// Owns a call as its model gets it: properties of its own, so that it can be taken apart, spread and passed on.

import type { TokenCounts } from '../../protocol/history.ts';
import type { ModelCall } from '../model.ts';
import type { GatewayCall } from './gateway-call.ts';

export class CallForModel implements ModelCall {
  // V8 places a function that is written as the value of a property in the old generation, and gives each object with a
  // getter of its own a hidden class there: either keeps the whole call until the next full collection (1.6 times as
  // much was promoted a task). Hence one getter for all, and names for the functions.
  static readonly #signal: PropertyDescriptor & ThisType<CallForModel> = {
    enumerable: true,
    get() {
      return this.#call.signal;
    },
  };

  readonly #call: GatewayCall;
  declare readonly signal: AbortSignal;
  declare readonly hasFallback?: true;
  readonly onDelta: ModelCall['onDelta'];
  readonly onResponse: NonNullable<ModelCall['onResponse']>;
  readonly onOutput: NonNullable<ModelCall['onOutput']>;
  readonly onUsage: NonNullable<ModelCall['onUsage']>;
  readonly onBroken: NonNullable<ModelCall['onBroken']>;

  constructor(call: GatewayCall, hasFallback: boolean) {
    const onDelta: ModelCall['onDelta'] = (delta) => call.onDelta(delta);
    const onResponse = (status: number): void => call.onResponse(status);
    const onOutput = (chars: number): void => call.onOutput(chars);
    const onUsage = (usage: TokenCounts): void => call.onUsage(usage);
    const onBroken = (): void => call.onBroken();
    this.#call = call;
    if (hasFallback) this.hasFallback = true;
    Object.defineProperty(this, 'signal', CallForModel.#signal);
    this.onDelta = onDelta;
    this.onResponse = onResponse;
    this.onOutput = onOutput;
    this.onUsage = onUsage;
    this.onBroken = onBroken;
  }
}
