// Owns which agents a configuration has and what each is made of, judged before anything is changed (A4). Registers none.
import type { ManagerConfig } from './config.ts';
import type { ManagerOptions } from './settings.ts';
import { type SubagentInput, subagentConfig } from './subagent.ts';

/** Those that are enabled, none while the manager is off. Throws `invalid_options` for a persona that makes no agent. */
export function staticsOf(
  { enabled, agents }: ManagerConfig,
  { personaOf }: ManagerOptions,
): readonly SubagentInput[] {
  const wanted = enabled ? agents.filter((agent) => agent.enabled) : [];
  return wanted.map(({ name, description, personaId, providerId }) => {
    const persona = personaId === '' ? {} : (personaOf?.(personaId) ?? {});
    const provider = providerId === '' ? {} : { providerId };
    const input = { ...persona, ...provider, name, description };
    subagentConfig(input);
    return input;
  });
}
