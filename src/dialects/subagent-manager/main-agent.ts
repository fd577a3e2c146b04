// Owns what an agent of the tree has to be a session's main agent: its tools, and hooks that tell when its run is on.
import type { AgentDefinition } from '../../agent/definition.ts';
import type { SubagentManager } from './manager.ts';

/**
 * Fields for the definition of such an agent. Its list of tools is fixed when its run begins, so it has one tool that hands
 * work to whoever there will be, `transfer_to_subagent`, instead of one for each. Its subagents are its children, within its
 * rights; background tasks belong to the session and outlive its run (X5).
 */
export function mainAgentOf(manager: SubagentManager): Pick<AgentDefinition, 'ownTools' | 'hooks'> {
  return {
    ownTools: manager.offered.forAgent(),
    hooks: {
      beforeRun() {
        manager.deliveries.beginRun();
        return null;
      },
      afterRun() {
        manager.host.endRun();
      },
    },
  };
}
