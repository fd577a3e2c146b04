// Owns what a child of `delegate_task` is: its role, its tools, its limits, and what was corrected on the way. Pure.
import type { AgentDefinition, AgentRole } from '../../agent/definition.ts';
import { asTrustedTask } from '../../agent/trusted-task.ts';
import { describe } from '../../base/failures.ts';
import { capabilityTags, subagentDenyList } from '../../tools/tags.ts';
import type { AnyTool, Subtask } from '../../tools/tool.ts';
import type { DelegatedTask } from './input.ts';
import type { Settings } from './options.ts';
import { childPrompt, maxOf, orchestratorPrompt } from './prompt.ts';

/** Groups that no child has, even on request (C15); an orchestrator keeps the first (C16). */
const blockedGroups: ReadonlySet<string> = new Set([
  'delegation',
  'clarify',
  'memory',
  'code_execution',
  'send_message',
]);

/** The same by the names their tools have. */
const blockedTools: readonly string[] = ['clarify', 'memory', 'execute_code', 'send_message'];
const withoutDelegation = subagentDenyList.filter(
  (tag) => tag !== `tag:${capabilityTags.delegation}`,
);

/** Toolsets of a child of the program's own loop, which has none to share. */
const loopToolsets: readonly string[] = ['file', 'web'];

export type Child = { readonly task: Subtask; readonly warnings: readonly string[] };

export type ChildPlace = {
  /** The child's. */
  readonly depth: number;
  /** Its caller is a loop of the program, no agent. */
  readonly isOfLoop: boolean;
  /** What an orchestrator delegates with. */
  readonly delegateTool: AnyTool;
};

/** The program's options are granted; what the call names is its model's request, within the caller's rights (X7). */
export function childOf(asked: DelegatedTask, settings: Settings, place: ChildPlace): Child {
  const { depth, isOfLoop, delegateTool } = place;
  const warnings: string[] = [];
  const role = roleOf(asked.role, settings, depth, warnings);
  const named = asked.toolsets?.filter((name) => isOffered(name, settings, warnings));
  const { tools, toolsets: bound, childTimeoutMs, model } = settings;
  const toolsets = bound === undefined ? defaultToolsets(named, isOfLoop) : (named ?? bound);
  const mayDelegate = role === 'orchestrator';
  const agent = asTrustedTask({
    name: mayDelegate ? 'orchestrator' : 'subagent',
    prompt: childPrompt(asked),
    role,
    ...(tools === undefined ? {} : { tools }),
    ...(toolsets === undefined ? {} : { toolsets }),
    ...(mayDelegate ? { equip: orchestrating(settings, delegateTool) } : {}),
    disallowedTools: [...blockedTools, ...(mayDelegate ? withoutDelegation : subagentDenyList)],
    maxTurns: turnsOf(asked.maxIterations, settings, warnings),
    ...(childTimeoutMs === undefined ? {} : { idleTimeoutMs: childTimeoutMs }),
    ...(model === undefined ? {} : { model }),
  });
  const task: Subtask = { goal: asked.goal, agent };
  // Toolsets that a model names without a list of the program go into the task, where its caller's rights bound them.
  const isAsked = bound === undefined && named !== undefined;
  return { task: isAsked ? { ...task, toolsets: named } : task, warnings };
}

/** What lets a child delegate, where it can: the supervisor's depth may end before the tool's. */
function orchestrating(
  settings: Settings,
  delegateTool: AnyTool,
): NonNullable<AgentDefinition['equip']> {
  return (reach) =>
    reach.depth < maxOf(settings, reach)
      ? { ownTools: [delegateTool], prompt: orchestratorPrompt(settings, reach) }
      : {};
}

/** For a call that names none where the program sets none; an agent's child has those of the agent. */
function defaultToolsets(named: readonly string[] | undefined, isOfLoop: boolean) {
  return named === undefined && isOfLoop ? loopToolsets : undefined;
}

function isOffered(name: string, { toolsets }: Settings, warnings: string[]): boolean {
  if (blockedGroups.has(name)) {
    warnings.push(`toolset "${name}" is not for subagents and was left out`);
    return false;
  }
  if (toolsets === undefined || toolsets.includes(name)) return true;
  const there = toolsets.join(', ') || 'none';
  warnings.push(`toolset ${describe(name)} was left out; those of subagents here: ${there}`);
  return false;
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
  const hasSpace = maxSpawnDepth === undefined || depth < maxSpawnDepth;
  if (orchestratorEnabled && hasSpace) return 'orchestrator';
  const why = orchestratorEnabled
    ? `no agent delegates at depth ${depth}`
    : 'there are no orchestrators here';
  warnings.push(`role "orchestrator" has no effect: ${why}; leaf is used`);
  return 'leaf';
}

/** The turns that the call requests, never above the configured limit unless the program allows it (X8). */
function turnsOf(asked: number | undefined, settings: Settings, warnings: string[]): number {
  const { maxIterations, mayRaiseIterations } = settings;
  if (asked === undefined) return maxIterations;
  if (asked <= maxIterations || mayRaiseIterations) return asked;
  warnings.push(`max_iterations ${asked} is above the limit, ${maxIterations} is used`);
  return maxIterations;
}
