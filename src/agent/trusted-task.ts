// Owns which definitions are the program's own word: what they name is granted, not asked for (X7). Decides no grant.
import type { AgentDefinition } from './definition.ts';

type TrustedOptions = {
  /** The operator configured its limits: they are not bounded by the supervisor's. Default: they are. */
  readonly hasOwnLimits?: boolean;
};

/** By identity: what a thread sends, a model says or a tool puts together on the way is never among them. */
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
