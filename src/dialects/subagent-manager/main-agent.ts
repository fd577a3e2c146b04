// Owns what a session's main agent has: the tools that are left to it, and in the tree what it is equipped with for each run.
import type { AgentDefinition } from '../../agent/definition.ts';
import { endRun } from './end-run.ts';
import { treePrompt } from './main-prompt.ts';
import { handoffName } from './names.ts';
import type { Subagents } from './subagents.ts';

/**
 * Fields for the definition of such an agent: its tools and its part of the prompt are made anew for each task, and fixed in
 * the run. So it has a tool for each subagent that exists by then, and `transfer_to_subagent` for later ones. Its
 * subagents are its children, within its rights, depth and budget, and so are its background tasks; only these outlive its
 * run, as the session's (X5).
 */
export function mainAgentOf(manager: Subagents): Pick<AgentDefinition, 'equip' | 'hooks'> {
  return {
    equip({ mayDelegate }) {
      // Whenever the main agent is built, agents of the operator are there, those that were removed again (A33).
      manager.registerConfigured();
      const { config } = manager.settings;
      return {
        ownTools: manager.offered.forAgent(),
        prompt: mayDelegate ? treePrompt(config, manager.agents()) : '',
        // Where it can hand nothing over, it does the work itself.
        withheldTools: mayDelegate ? duplicatesOf(manager) : [],
      };
    },
    hooks: {
      beforeRun(_run, { runId }) {
        // An earlier run may have removed some since the task was accepted.
        manager.registerConfigured();
        manager.mainRuns.beginOfAgent(runId);
        return null;
      },
      afterRun(_run, { runId }) {
        if (manager.mainRuns.endOfAgent(runId)) manager.host.endRun(() => endRun(manager));
      },
    },
  };
}

/** Without what the operator's agents were assigned, where that is configured; handoff tools are never taken (A2). */
export function mainToolsOf<Tool extends { readonly name: string }>(
  manager: Subagents,
  tools: readonly Tool[],
): readonly Tool[] {
  const owned = new Set(duplicatesOf(manager));
  return tools.filter(({ name }) => !owned.has(name));
}

/** Names of what the operator's agents were assigned and the main agent goes without; empty unless that is configured. */
function duplicatesOf(manager: Subagents): readonly string[] {
  const { enabled, removeDuplicateTools } = manager.settings.config;
  if (!enabled || !removeDuplicateTools) return [];
  const statics = manager.agents().filter(({ kind }) => kind === 'static');
  return statics
    .flatMap(({ made }) => made.config.tools ?? [])
    .filter((name) => !name.startsWith(handoffName('')));
}
