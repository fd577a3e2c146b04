// Owns whom an agent can reach by delegation. Pure.
import type { AgentDefinition } from '../../agent/definition.ts';
import type { DelegationReach } from '../../tools/tool.ts';

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
