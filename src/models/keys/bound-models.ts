// Owns a binding with the models that its specifications name, leased for its conversation.
import type { PricedModel, SpecBinding } from '../../protocol/model-binding.ts';
import type { Binding, BoundModel } from '../gateway/binding.ts';
import type { Model } from '../model.ts';
import type { ProviderClients } from './provider-clients.ts';

export function withModels(
  { spec, isOfTask, fallbacks, ...binding }: SpecBinding,
  providers: ProviderClients,
): Binding {
  const { token, agent, conversation = token } = binding;
  const first = isOfTask === undefined ? { spec } : { spec, isOfTask };
  const lifetime = { token: conversation, agentId: agent.id };
  const [model, ...others] = providers.modelsFor([first, ...(fallbacks ?? [])], lifetime);
  if (fallbacks === undefined) return { ...binding, model };
  return { ...binding, model, fallbacks: others.map((other, at) => priced(other, fallbacks[at])) };
}

function priced(model: Model, { price }: Partial<PricedModel> = {}): BoundModel {
  return price === undefined ? { model } : { model, price };
}
