// Owns what a child of `delegate_task` is: its role, its tools, its limits, and what was corrected on the way. Pure.
import type { AgentDefinition, AgentRole, ToolReference } from '../../agent/definition.ts';
import { describe } from '../../errors.ts';
import { capabilityTags, childDenials } from '../../tools/tags.ts';
import type { DelegatedTask } from './input.ts';
import type { Settings } from './options.ts';
import { childPrompt } from './prompt.ts';

/** Groups that no child has, whoever asks for them (C15); an orchestrator keeps the first (C16). */
const blockedGroups: ReadonlySet<string> = new Set([
  'delegation',
  'clarify',
  'memory',
  'code_execution',
  'send_message',
]);

/** The same by the names their tools have. */
const blockedTools: readonly string[] = ['clarify', 'memory', 'execute_code', 'send_message'];
const withoutDelegation = childDenials.filter((tag) => tag !== `tag:${capabilityTags.delegation}`);

export type Child = { readonly definition: AgentDefinition; readonly warnings: readonly string[] };

/** `depth` is the child's; `delegateTool` is what an orchestrator delegates with. */
export function childOf(
  task: DelegatedTask,
  settings: Settings,
  { depth, delegateTool }: { readonly depth: number; readonly delegateTool: ToolReference },
): Child {
  const warnings: string[] = [];
  const role = roleOf(task.role, settings, depth, warnings);
  const toolsets = (task.toolsets ?? settings.toolsets).filter((name) => {
    if (!blockedGroups.has(name)) return true;
    warnings.push(`toolset "${name}" is not for subagents and was left out`);
    return false;
  });
  const mayDelegate = role === 'orchestrator';
  return {
    definition: {
      name: mayDelegate ? 'orchestrator' : 'subagent',
      prompt: childPrompt(task, role, { depth, maxSpawnDepth: settings.maxSpawnDepth }),
      role,
      tools: mayDelegate ? [delegateTool] : [],
      toolsets,
      disallowedTools: [...blockedTools, ...(mayDelegate ? withoutDelegation : childDenials)],
      maxTurns: turnsOf(task.maxIterations, settings, warnings),
      ...(settings.childTimeoutMs === undefined ? {} : { idleTimeoutMs: settings.childTimeoutMs }),
      ...(settings.model === undefined ? {} : { model: settings.model }),
    },
    warnings,
  };
}

/** An orchestrator only where it could delegate: at the limit it would be one in name (C25, C27, C30). */
function roleOf(
  asked: string | undefined,
  { orchestratorEnabled, maxSpawnDepth }: Settings,
  depth: number,
  warnings: string[],
): AgentRole {
  if (asked === undefined || asked === 'leaf') return 'leaf';
  if (asked !== 'orchestrator') {
    warnings.push(`role ${describe(asked)} is neither leaf nor orchestrator; leaf is used`);
    return 'leaf';
  }
  const hasRoom = maxSpawnDepth === undefined || depth < maxSpawnDepth;
  return orchestratorEnabled && hasRoom ? 'orchestrator' : 'leaf';
}

/** The call's own wish, never above the configured limit unless the program allows it (X8). */
function turnsOf(asked: number | undefined, settings: Settings, warnings: string[]): number {
  const { maxIterations, mayRaiseIterations } = settings;
  if (asked === undefined) return maxIterations;
  if (asked <= maxIterations || mayRaiseIterations) return asked;
  warnings.push(`max_iterations ${asked} is above the limit, ${maxIterations} is used`);
  return maxIterations;
}
