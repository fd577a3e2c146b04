// Owns what the gateway keeps behind each token: the conversation that it may go on with, and its calls. A conversation has one
// token at a time; a further one takes it over, and the one before is retired (W9).
import { failure } from '../../base/failures.ts';
import { type Conversation, emptyConversation } from '../conversation.ts';
import type { Binding, BoundModel } from './binding.ts';
import { CallIds } from './call-ids.ts';
import type { GatewayCall } from './gateway-call.ts';
import { RetiredTokens } from './retired-tokens.ts';

/** What is behind a token. */
export type Activation = {
  binding: Binding;
  conversation: Conversation;
  /** The place in its list of the model that it is with: those before have failed. */
  modelAt: number;
  readonly callIds: CallIds;
  readonly calls: Map<number, GatewayCall>;
  /** The newest call, answered or not. */
  lastCall: GatewayCall | null;
  /** Its token may ask no more: the activation has left its thread. The next one brings a token of its own. */
  isRevoked: boolean;
};

/** The model that the conversation is with now. */
export function askedModel({ binding, modelAt }: Activation): BoundModel {
  return modelAt === 0 ? binding : (binding.fallbacks?.[modelAt - 1] ?? binding);
}

/** The model that is asked when that one fails; null when it is the last. */
export function nextModel({ binding, modelAt }: Activation): BoundModel | null {
  return binding.fallbacks?.[modelAt] ?? null;
}

export class GatewayTokens {
  readonly #activations = new Map<string, Activation>();
  /** The token of each conversation that is named. */
  readonly #tokens = new Map<string, string>();
  readonly #retired = new RetiredTokens();

  get(token: string): Activation | undefined {
    return this.#activations.get(token);
  }

  isRetired(token: string): boolean {
    return this.#retired.has(token);
  }

  all(): readonly string[] {
    return [...this.#activations.keys()];
  }

  /** Lets a token in, with what there is of its conversation. Calls that are still in flight there are given up. */
  open(binding: Binding): Activation {
    const activation = this.#continued(binding) ?? {
      binding,
      conversation: emptyConversation(binding.head),
      modelAt: 0,
      callIds: new CallIds(),
      calls: new Map(),
      lastCall: null,
      isRevoked: false,
    };
    this.#activations.set(binding.token, activation);
    if (binding.conversation !== undefined) this.#tokens.set(binding.conversation, binding.token);
    return activation;
  }

  /** The conversation of a token is over: returns what was behind it. */
  end(token: string): Activation | undefined {
    const activation = this.#activations.get(token);
    this.#activations.delete(token);
    this.#retired.add(token);
    const named = activation?.binding.conversation;
    if (named !== undefined) this.#tokens.delete(named);
    return activation;
  }

  #continued(binding: Binding): Activation | null {
    const before = this.#tokens.get(binding.conversation ?? '');
    const known = before === undefined ? undefined : this.#activations.get(before);
    if (before === undefined || known === undefined) return null;
    for (const call of [...known.calls.values()]) call.abort(givenUp);
    known.calls.clear();
    this.#activations.delete(before);
    this.#retired.add(before);
    known.binding = binding;
    known.isRevoked = false;
    return known;
  }
}

const givenUp = failure('aborted', 'the model call was given up');
