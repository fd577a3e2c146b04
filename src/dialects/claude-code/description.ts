// Owns the description of the tool `Agent`: which agents it can start, and the purpose of each. Pure.
import type { AgentDefinition } from '../../agent/definition.ts';
import { lineOf } from '../../tools/described-at.ts';
import type { DelegationReach } from '../../tools/tool.ts';

/** The description where the available agents are unknown. */
export const generalDescription =
  'Start a subagent with a fresh context for a task of several steps. Only its last message comes back.';

/** The names that `subagent_type` takes where the tool is offered, each with its purpose; `allowed` are those of the program. */
export function describeAgents(
  allowed: readonly (string | AgentDefinition)[] | undefined,
  { agents, delegates }: Pick<DelegationReach, 'agents' | 'delegates'>,
): string {
  const purposes = new Map(agents.map(({ name, description }) => [name, description]));
  const lines = (allowed ?? agents).flatMap((agent) => {
    if (typeof agent !== 'string') return [lineOf(agent.name, agent.description)];
    const mayDelegate = delegates === undefined || delegates.includes(agent);
    return mayDelegate ? [lineOf(agent, purposes.get(agent))] : [];
  });
  const types = lines.length === 0 ? [] : [`subagent_type is one of:\n${lines.join('\n')}`];
  const untyped = delegates === undefined ? [] : ['A call without subagent_type is refused here.'];
  return [generalDescription, ...types, ...untyped].join('\n');
}
