// Owns what a subagent is to the runtime: a definition of its prompt parts, tools and limits, and the task of one run. Pure.
import type { AgentDefinition, ModelRef, ToolReference } from '../../agent/definition.ts';
import { asTrustedTask } from '../../agent/trusted-task.ts';
import { capabilityTags } from '../../tools/tags.ts';
import type { ManagerConfig } from './config.ts';
import type { SubagentMaking } from './subagent.ts';
import { childTools } from './tool-lists.ts';

/** As long as a clock can be asked for: a run that has no limit of its own has no default either (A35). */
const noLimitMs = Number.MAX_SAFE_INTEGER;

export type ChildFacts = {
  readonly made: SubagentMaking;
  readonly manager: ManagerConfig;
  /** What it has of the board; null while that is off. */
  readonly board: Pick<AgentDefinition, 'ownTools' | 'hooks'> | null;
  readonly runtimeTools: readonly string[];
  readonly toolsets: readonly string[];
  readonly registered: ReadonlySet<string>;
  readonly workspace: string;
  readonly model: ModelRef | undefined;
};

/** Milliseconds a run may take; null for no limit: the agent's own, else the session's (A16, A35, X1). */
export function effectiveTimeoutMs(own: number | undefined, manager: ManagerConfig): number | null {
  const limit = own ?? manager.executionTimeoutMs;
  return limit > 0 ? limit : null;
}

/** Role, folder, behaviour, skills, in this order; time and board are on the user's side (A37, A38). */
export function childDefinition(facts: ChildFacts): AgentDefinition {
  const { made, manager, board, runtimeTools, registered, model } = facts;
  const { config, examples, lists } = made;
  const limitMs = effectiveTimeoutMs(made.executionTimeoutMs, manager) ?? noLimitMs;
  const isBoardOn = board !== null;
  const { timeEnabled, timeZone, rulePrompt } = manager;
  const tools = childTools({
    assigned: config.tools,
    runtime: runtimeTools,
    lists,
    isBoardOn,
    registered,
  });
  return {
    name: config.name,
    ...(config.description === '' ? {} : { description: config.description }),
    prompt: config.systemPrompt,
    promptParts: {
      role: true,
      workingDirectory: true,
      behaviour: rulePrompt === '' ? true : rulePrompt,
      ...(timeEnabled ? { timeZone } : {}),
    },
    skills: config.skills ?? [],
    ...tools,
    // Null means every registered tool, for every caller.
    tools: tools.tools ?? [...registered],
    disallowedTools: [...(tools.disallowedTools ?? []), `tag:${capabilityTags.delegation}`],
    ...board,
    toolsets: facts.toolsets,
    workspace: facts.workspace,
    ...(model === undefined ? {} : { model }),
    ...(examples === undefined ? {} : { initialMessages: examples }),
    ...(config.maxTurns === null ? {} : { maxTurns: config.maxTurns }),
    ...(config.closingAnswer ? { loop: { summaryTurn: true } } : {}),
    // A subagent never manages subagents (X6), and its one limit on time is that of its run (X10).
    role: 'leaf',
    totalTimeoutMs: limitMs,
    idleTimeoutMs: limitMs,
  };
}

/**
 * How one run of it is requested. The whole definition is trusted as the program's, and granted below any agent;
 * but for the tools that a model named, which are asked for and bounded by its caller (X7).
 */
export function askedAs(
  { askedBy }: SubagentMaking,
  definition: AgentDefinition,
): { readonly agent: AgentDefinition; readonly tools?: readonly ToolReference[] } {
  const { tools = [] } = definition;
  // X1 determines its time limit.
  const trust = { hasOwnLimits: true };
  if (askedBy === 'program') return { agent: asTrustedTask({ ...definition }, trust) };
  return { agent: asTrustedTask({ ...definition, tools: [] }, trust), tools };
}
