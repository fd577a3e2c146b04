// Owns what definitions name that has to be there: toolsets, skills, and tools as far as no module can bring them.
import type { AgentDefinition } from '../../agent/definition.ts';
import type { Skill } from '../../agent/prompt/skills.ts';
import { describe, TroupeError, toFailure } from '../../base/failures.ts';
import { resolveGrants } from '../../tools/grants.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { Toolset } from '../../tools/toolset.ts';
import { findToolsets } from '../../tools/toolsets.ts';
import { assignedSkills } from './assigned-skills.ts';
import type { KnownTool } from './known-tools.ts';
import { referencesOf } from './needed-modules.ts';

type Given = {
  readonly agents: readonly AgentDefinition[];
  readonly tools: readonly (AnyTool | URL)[];
};
type Known = (reference: AnyTool | URL) => readonly KnownTool[];

/** Throws `unknown_toolset`, `unknown_skill` and `unknown_tool`, naming the agent of the supervisor. */
export function checkNames(
  { agents, tools }: Given,
  toolsets: readonly Toolset<KnownTool>[],
  skills: ReadonlyMap<string, Skill>,
  known: Known,
): void {
  for (const agent of agents) {
    try {
      findToolsets(agent.toolsets ?? [], toolsets);
      assignedSkills({}, agent, skills);
      checkTools(agent, referencesOf(tools, agent, {}), toolsets, known);
    } catch (thrown) {
      const { code, message } = toFailure(thrown, 'invalid_agent');
      throw new TroupeError(code, `agent ${describe(agent.name)}: ${message}`, { cause: thrown });
    }
  }
}

/** A module brings what it exports, and `equip` what it likes: those are known with the first task. */
function checkTools(
  agent: AgentDefinition,
  references: readonly (AnyTool | URL)[],
  toolsets: readonly Toolset<KnownTool>[],
  known: Known,
): void {
  if (agent.equip !== undefined || references.some((each) => each instanceof URL)) return;
  resolveGrants<KnownTool>({
    registered: references.flatMap(known),
    declared: agent.tools?.filter((each) => typeof each === 'string'),
    toolsets: findToolsets(agent.toolsets ?? [], toolsets),
    knownToolsets: toolsets,
    granted: agent.grantedTools,
  });
}
