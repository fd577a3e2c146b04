// Owns what the definitions of a supervisor name that has to be there from the start: toolsets and skills. Tools may still
// come with a module.
import type { AgentDefinition } from '../../agent/definition.ts';
import type { Skill } from '../../agent/prompt/skills.ts';
import { describe, TroupeError, toFailure } from '../../errors.ts';
import { findToolsets, type Toolset } from '../../tools/toolsets.ts';
import { assignedSkills } from './assigned-skills.ts';
import type { KnownTool } from './known-tools.ts';

/** Throws `unknown_toolset` and `unknown_skill`, naming the agent. */
export function checkNames(
  agents: readonly AgentDefinition[],
  toolsets: readonly Toolset<KnownTool>[],
  skills: ReadonlyMap<string, Skill>,
): void {
  for (const agent of agents) {
    try {
      findToolsets(agent.toolsets ?? [], toolsets);
      assignedSkills({}, agent, skills);
    } catch (thrown) {
      const { code, message } = toFailure(thrown, 'invalid_agent');
      throw new TroupeError(code, `agent ${describe(agent.name)}: ${message}`, { cause: thrown });
    }
  }
}
