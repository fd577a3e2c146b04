// Owns whom an agent can reach by delegation, and what its settings gain from that. Pure but for what the program equips.
import type { AgentDefinition } from '../../agent/definition.ts';
import type { DelegationReach } from '../../tools/tool.ts';
import type { Settings } from './settings.ts';

export type ReachLimits = Pick<DelegationReach, 'maxSpawnDepth' | 'maxConcurrentChildren'>;

export type ReachFacts = {
  readonly depth: number;
  readonly limits: ReachLimits;
  /** The supervisor's. */
  readonly agents: readonly AgentDefinition[];
};

/** Of an agent, or of a loop of the program, which is none of the agents and has no settings. */
export function reachOf(
  { role, delegates }: Pick<AgentDefinition, 'role' | 'delegates'>,
  { depth, limits: { maxSpawnDepth, maxConcurrentChildren }, agents }: ReachFacts,
): DelegationReach {
  return {
    depth,
    maxSpawnDepth,
    maxConcurrentChildren,
    mayDelegate: role !== 'leaf' && depth < maxSpawnDepth,
    agents: agents
      .filter(({ name }) => delegates === undefined || delegates.includes(name))
      .map(({ name, description }) => ({ name, description })),
    delegates,
  };
}

export type Equipped = {
  readonly settings: Settings;
  /** What its prompt gains; blank for nothing. */
  readonly addition: string;
  /** Names of tools that are its children's alone. */
  readonly withheld: readonly string[];
};

/** The settings with what the agent is equipped with here. */
export function equipped(settings: Settings, reach: DelegationReach): Equipped {
  const { ownTools = [], prompt = '', withheldTools = [] } = settings.equip?.(reach) ?? {};
  const all = [...(settings.ownTools ?? []), ...ownTools];
  return { settings: { ...settings, ownTools: all }, addition: prompt, withheld: withheldTools };
}
