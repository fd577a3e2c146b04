// Owns what the supervisor sends to the gateway about an activation: nothing of it is ever taken from the thread.
import type { Budget } from '../budget/budget-ledger.ts';
import type { Meter } from '../budget/meter.ts';
import type { PriceSource } from '../budget/model-price.ts';
import type { Head, Model, ModelRequest, ModelSettings } from '../model.ts';
import type { ModelRoute } from '../resolve.ts';

type GatewayRoute = Extract<ModelRoute, { readonly route: 'gateway' }>;

export type Binding = {
  /** The random token that only this activation and the gateway know. */
  readonly token: string;
  readonly agent: ModelRequest['agent'];
  /** The activation's prompt and tools: from the supervisor, so that a thread cannot change them and need not send them. */
  readonly head: Head;
  /** The longest answer it may have; left out: the model's own limit. */
  readonly maxOutputTokens?: number;
  /** What its calls are made with besides the conversation. */
  readonly settings?: ModelSettings;
  /** Where its calls are counted for the supervisor. Left out: nowhere. */
  readonly meter?: Meter;
  /** The tree whose budget the activation is under. */
  readonly tree: string;
  readonly model: Model;
  /** Left out: not known. */
  readonly price?: PriceSource;
  /** Left out: nothing is counted. */
  readonly budget?: Budget;
};

/**
 * A binding as it crosses to the gateway's thread: the model as its specification, with the key it needs. It comes over
 * the parent port, so that keys are neither in an environment nor in `workerData`, and a model chosen later brings its own.
 */
export type SpecBinding = Omit<Binding, 'model'> & Omit<GatewayRoute, 'route'>;
