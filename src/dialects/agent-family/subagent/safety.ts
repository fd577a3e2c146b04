// Owns the enforcement of a subagent's limits: ahead of each model call and each tool call, counted per call (D49).
import type { AgentDefinition } from '../../../agent/definition.ts';
import type { Hooks } from '../../../agent/hooks.ts';
import { TroupeError } from '../../../base/failures.ts';
import type { TokenCounts } from '../../../protocol/history.ts';
import { capabilityTags } from '../../../tools/tags.ts';
import type { SafetyLimits } from './permissions.ts';

/** An agent under limits: what it may use is narrowed, what it may spend is counted by `hooks`, those of its call. */
export function underLimits(
  agent: AgentDefinition,
  { disabledTools = [], totalTimeoutMs }: SafetyLimits,
  hooks: Hooks,
): AgentDefinition {
  const totalMs = least(agent.totalTimeoutMs, totalTimeoutMs);
  return {
    ...agent,
    // One level of delegation: a subagent has no subagents of its own, whatever it was given (D35, X6).
    role: 'leaf',
    disallowedTools: [
      ...(agent.disallowedTools ?? []),
      ...disabledTools,
      `tag:${capabilityTags.delegation}`,
    ],
    ...(totalMs === undefined ? {} : { totalTimeoutMs: totalMs }),
    hooks: [...[agent.hooks ?? []].flat(), hooks],
  };
}

/** Hooks that refuse what goes beyond the limits, counted from zero over all runs that get them. */
export function limitingHooks({
  maxTokens,
  maxToolCalls,
  disabledTools = [],
}: SafetyLimits): Hooks {
  const disabled = new Set(disabledTools);
  let tokens = 0;
  let calls = 0;
  return {
    beforeTurn() {
      if (maxTokens === undefined || tokens < maxTokens) return;
      const why = `${tokens} tokens are used, the limit of a call is ${maxTokens}`;
      throw new TroupeError('budget_tokens', why);
    },
    afterTurn({ usage }) {
      tokens += totalOf(usage);
    },
    beforeTool({ name }) {
      if (disabled.has(name)) return { deny: `Tool "${name}" is disabled.` };
      calls += 1;
      if (maxToolCalls === undefined || calls <= maxToolCalls) return;
      return {
        deny: `The limit of ${maxToolCalls} tool calls is used up. Answer with what you have.`,
      };
    },
  };
}

function totalOf(usage: TokenCounts): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** The smaller of those there are. */
function least(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
