// Owns whether an agent may be created: its name, who has that name already, the quota (A28 to A30, X2). Pure.
import { describe, TroupeError } from '../../base/failures.ts';
import { refuseName } from './names.ts';
import type { Subagent } from './subagent.ts';

/** Throws the reason for a refusal. Defining an agent anew does not count against the quota. */
export function checkCreation(
  name: string,
  { agents, maxAgents }: { agents: ReadonlyMap<string, Subagent>; maxAgents: number },
): void {
  const why = refuseName(name);
  if (why !== null) throw new TroupeError('invalid_agent', why);
  const known = agents.get(name);
  if (known?.kind === 'static') {
    throw new TroupeError('refused', `${describe(name)} is configured by the operator`);
  }
  if (known?.status === 'RUNNING') {
    throw new TroupeError('refused', `${describe(name)} is running; wait for it or remove it`);
  }
  if (known !== undefined || agents.size < maxAgents) return;
  throw new TroupeError(
    'max_total_agents',
    `this session has ${agents.size} subagents, the limit is ${maxAgents}; remove one first`,
  );
}
