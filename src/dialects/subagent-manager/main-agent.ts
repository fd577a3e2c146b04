// Owns what a session's main agent has: the tools that are left to it, and in the tree hooks that tell when its run is on.
import type { AgentDefinition } from '../../agent/definition.ts';
import type { SubagentManager } from './manager.ts';
import { handoffName } from './names.ts';

/**
 * Fields for the definition of such an agent. Its list of tools is fixed when its run begins, so it has one tool that hands
 * work to whoever there will be, `transfer_to_subagent`, instead of one for each. Its subagents are its children, within its
 * rights, depth and budget, and so are its background tasks; only these outlive its run, as the session's (X5).
 */
export function mainAgentOf(manager: SubagentManager): Pick<AgentDefinition, 'ownTools' | 'hooks'> {
  return {
    ownTools: manager.offered.forAgent(),
    hooks: {
      beforeRun(_run, { runId }) {
        manager.mainRuns.beginOfAgent(runId);
        return null;
      },
      afterRun(_run, { runId }) {
        if (manager.mainRuns.endOfAgent(runId)) manager.host.endRun();
      },
    },
  };
}

/** Without what the operator's agents were assigned, where that is configured; handoff tools are never taken (A2). */
export function mainToolsOf<Tool extends { readonly name: string }>(
  manager: SubagentManager,
  tools: readonly Tool[],
): readonly Tool[] {
  const { enabled, removeDuplicateTools } = manager.settings.config;
  if (!enabled || !removeDuplicateTools) return tools;
  const statics = manager.agents().filter(({ kind }) => kind === 'static');
  const owned = new Set(statics.flatMap(({ made }) => made.config.tools ?? []));
  return tools.filter(({ name }) => !owned.has(name) || name.startsWith(handoffName('')));
}
