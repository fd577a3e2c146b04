// Owns whom an agent can reach by delegation, and what its definition gains from that. Pure but for what the program equips.
import type { AgentDefinition } from '../../agent/definition.ts';
import type { DelegationReach } from '../../tools/tool.ts';
import type { RunSettings } from '../task.ts';

export type ReachLimits = Pick<DelegationReach, 'maxSpawnDepth' | 'maxConcurrentChildren'>;

export type ReachFacts = {
  readonly depth: number;
  readonly limits: ReachLimits;
  /** The supervisor's. */
  readonly agents: readonly AgentDefinition[];
};

/** Of an agent, or of a loop of the program, which has no definition. */
export function reachOf(
  task: RunSettings,
  definition: AgentDefinition | null,
  { depth, limits: { maxSpawnDepth, maxConcurrentChildren }, agents }: ReachFacts,
): DelegationReach {
  const role = task.role ?? definition?.role;
  const delegates = definition?.delegates;
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
  readonly definition: AgentDefinition | null;
  /** What its prompt gains; blank for nothing. */
  readonly addition: string;
  /** Names of tools that are its children's alone. */
  readonly withheld: readonly string[];
  readonly reach: DelegationReach;
};

/** The definition with what it is equipped with here. */
export function equipped(
  task: RunSettings,
  definition: AgentDefinition | null,
  facts: ReachFacts,
): Equipped {
  const reach = reachOf(task, definition, facts);
  if (definition?.equip === undefined) return { definition, addition: '', withheld: [], reach };
  const { ownTools = [], prompt = '', withheldTools: withheld = [] } = definition.equip(reach);
  const all = [...(definition.ownTools ?? []), ...ownTools];
  return { definition: { ...definition, ownTools: all }, addition: prompt, withheld, reach };
}
