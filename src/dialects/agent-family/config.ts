// Owns the options of the agent family in the words of AgentScope: a ReAct agent's, and those of a subagent's spec.
import { inOurNames, type SourceNames } from '../../base/source-names.ts';
import type { ReActAgentOptions } from './react/options.ts';
import type { SubAgentSpec } from './subagent/spec.ts';

/** The source's names of a ReAct agent's options, and ours. */
export const reActAgentNames = {
  sys_prompt: 'systemPrompt',
  max_iters: 'maxIters',
  parallel_tool_calls: 'parallelToolCalls',
  long_term_memory: 'longTermMemory',
  long_term_memory_mode: 'longTermMemoryMode',
  plan_notebook: 'planNotebook',
  enable_meta_tool: 'enableMetaTool',
  print_hint_msg: 'printHintMsg',
} as const satisfies SourceNames;

/** The source's names of a spec's fields, and ours. */
export const subAgentSpecNames = {
  tools_allowlist: 'toolsAllowlist',
  model_override: 'modelOverride',
} as const satisfies SourceNames;

/**
 * The options of `ReActAgent` in the source's names, or in ours: `new ReActAgent(reActAgentOptions({ sys_prompt, … }))`, which
 * checks them. Throws `invalid_options` for a setting that is said twice.
 */
export function reActAgentOptions(source: Readonly<Record<string, unknown>>): ReActAgentOptions {
  return inOurNames(source, reActAgentNames, 'ReActAgent') as ReActAgentOptions;
}

/** The same of a spec, for `SubagentRegistry.register`, which checks it. */
export function subAgentSpec(source: Readonly<Record<string, unknown>>): SubAgentSpec {
  return inOurNames(source, subAgentSpecNames, 'SubAgentSpec') as SubAgentSpec;
}
