// Owns which agents a configuration has, what each is made of and what is wrong with it (A4). Registers none.

import { describe, reasonOf } from '../../base/failures.ts';
import type { SessionHost } from '../../sessions/dialect.ts';
import type { ManagerConfig } from './config.ts';
import type { ManagerOptions } from './settings.ts';
import type { StaticFault } from './static-fault.ts';
import { type SubagentInput, subagentConfig, subagentFaults } from './subagent.ts';

export type JudgedStatics = {
  readonly agents: readonly SubagentInput[];
  readonly faults: readonly StaticFault[];
};

/** Those that are enabled and that nothing is wrong with, none while the manager is off. */
export function staticsOf(
  { enabled, agents }: ManagerConfig,
  options: ManagerOptions,
  host: Pick<SessionHost, 'whyNot'>,
): JudgedStatics {
  const wanted = enabled ? agents.filter((agent) => agent.enabled) : [];
  const judged = wanted.map((agent) => judge(agent, options, host));
  return {
    agents: judged.flatMap(({ input, whys }) => (whys.length === 0 ? [input] : [])),
    faults: judged.flatMap(({ input: { name }, whys }) => whys.map((why) => ({ name, why }))),
  };
}

function judge(
  {
    name,
    description,
    personaId,
    providerId,
    maxTurns,
    closingAnswer,
  }: ManagerConfig['agents'][number],
  { personaOf, providerOf }: ManagerOptions,
  host: Pick<SessionHost, 'whyNot'>,
): { readonly input: SubagentInput; readonly whys: readonly string[] } {
  const whys: string[] = [];
  const reportFaults = <Value>(what: string, read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (thrown) {
      whys.push(`${what}${reasonOf(thrown)}`);
      return undefined;
    }
  };
  const persona =
    personaId === '' || personaOf === undefined
      ? {}
      : reportFaults(`persona ${describe(personaId)}: `, () => personaOf(personaId) ?? null);
  if (persona === null) whys.push(`there is no persona ${describe(personaId)}`);
  const provider = providerId === '' ? {} : { providerId };
  const input: SubagentInput = {
    ...persona,
    ...provider,
    name,
    description,
    maxTurns,
    closingAnswer,
  };
  const shape = persona ? subagentFaults(input) : [];
  whys.push(...shape);
  const config = persona && shape.length === 0 ? subagentConfig(input) : null;
  const id = config?.providerId ?? providerId;
  const model =
    id === '' ? undefined : reportFaults('', () => (providerOf ? (providerOf(id) ?? null) : id));
  if (model === null) whys.push(`there is no provider ${describe(id)}`);
  else if (model !== undefined) whys.push(...host.whyNot({ model, tools: [] }));
  for (const skill of config?.skills ?? []) {
    whys.push(...host.whyNot({ skills: [skill], tools: [] }));
  }
  return { input, whys };
}
