// Owns which definitions are the program's own: what they name is a grant, not a request (X7). Decides no grant.
import type { AgentDefinition } from './definition.ts';

type TrustedOptions = {
  /** The operator configured its limits: they are not bounded by the supervisor's. Default: they are. */
  readonly hasOwnLimits?: boolean;
};

/** By identity: a definition sent by a thread, written by a model or built by a tool is never among them. */
const trusted = new WeakMap<AgentDefinition, TrustedOptions>();

/** The same definition, known as the program's. For code that has every name in it from the program. */
export function asTrustedTask(
  definition: AgentDefinition,
  options: TrustedOptions = {},
): AgentDefinition {
  trusted.set(definition, options);
  return definition;
}

export function isTrustedTask(definition: AgentDefinition): boolean {
  return trusted.has(definition);
}

export function hasOwnLimits(definition: AgentDefinition): boolean {
  return trusted.get(definition)?.hasOwnLimits === true;
}
