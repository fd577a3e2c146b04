// Owns what the supervisor sends to the gateway about an activation: nothing of it is ever taken from the thread. Types only.
import type { BudgetAccount } from './budget.ts';
import type { Meter } from './meter.ts';
import type { Head } from './model-head.ts';
import type { ModelSettings } from './model-settings.ts';
import type { GatewayModel } from './model-spec.ts';
import type { PriceSource } from './price-source.ts';

/** A binding without its model: what the gateway of the host and that of the thread get alike. */
export type ModelBinding = {
  /** The random token that only this activation and the gateway know. */
  readonly token: string;
  /**
   * Names what the gateway keeps of a run over its activations: its messages, its key, its calls. Binding a further token to
   * it retires the one before. Left out: the token's own.
   */
  readonly conversation?: string;
  /** The agent that asks: the definition's name, the actor's id and path. */
  readonly agent: { readonly id: string; readonly name: string; readonly path: string };
  /** The activation's prompt and tools: from the supervisor, so that a thread cannot change them and need not send them. */
  readonly head: Head;
  /** The longest answer it may have; left out: the model's own limit. */
  readonly maxOutputTokens?: number;
  /** What its calls are made with besides the conversation. */
  readonly settings?: ModelSettings;
  /** Where its calls are counted for the supervisor. Left out: nowhere. */
  readonly meter?: Meter;
  /** What its calls are counted under, the outermost first; empty: nothing is counted. */
  readonly accounts: readonly BudgetAccount[];
  /** Left out: not known. */
  readonly price?: PriceSource;
};

/**
 * A binding as it crosses to the gateway's thread: the model as its specification, with the key it needs. It comes over
 * the parent port, so that keys are neither in an environment nor in `workerData`, and a model chosen later brings its own.
 */
export type SpecBinding = ModelBinding &
  GatewayModel & {
    /** Asked in turn, each when the one before it fails. */
    readonly fallbacks?: readonly PricedModel[];
  };

/** A model that the gateway's thread builds, and what its tokens cost; left out: not known. */
export type PricedModel = GatewayModel & { readonly price?: PriceSource };
