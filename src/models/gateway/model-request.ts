// Owns what a model is asked and how long its answer may be: by binding, conversation, loop and budget. Pure.
import type { Model, ModelRequest } from '../model.ts';
import type { OutputLimit } from '../providers/output-limit.ts';
import type { CallBound } from './call-bounds.ts';
import type { ModelRequestMessage } from './early-requests.ts';
import { type Activation, askedModel } from './gateway-tokens.ts';

/** `bound` is what the budget leaves; null without one. */
export function outputLimitOf(
  request: ModelRequest,
  model: Model,
  bound: CallBound | null,
): OutputLimit {
  const metered = bound?.maxOutputTokens ?? null;
  const asked = request.maxOutputTokens ?? model.maxOutputTokens ?? null;
  return { maxOutputTokens: metered ?? asked, isBudget: metered !== null };
}

/** The request to the model that the conversation is with now. */
export function toRequest(
  activation: Activation,
  { turn, toolChoice }: ModelRequestMessage,
): ModelRequest {
  const { binding, conversation } = activation;
  const { head, messages } = conversation;
  const { agent, maxOutputTokens } = binding;
  const { model } = askedModel(activation);
  // The loop asks for it, not the program: an API without such a setting is called without.
  const isSent = toolChoice !== undefined && model.refusedSettings?.includes('toolChoice') !== true;
  const settings = isSent ? { ...binding.settings, toolChoice } : binding.settings;
  // Spelled out: every turn comes by here, and a spread costs ten times as much.
  const request: { -readonly [Key in keyof ModelRequest]: ModelRequest[Key] } = {
    system: head.system,
    tools: head.tools,
    messages,
    agent,
    turn,
  };
  if (settings !== undefined) request.settings = settings;
  if (maxOutputTokens !== undefined) request.maxOutputTokens = maxOutputTokens;
  return request;
}

/** The request as its budget was granted: no answer is longer than the bound. */
export function grantedRequest(
  request: ModelRequest,
  { maxOutputTokens }: CallBound,
): ModelRequest {
  return maxOutputTokens === null ? request : { ...request, maxOutputTokens };
}
