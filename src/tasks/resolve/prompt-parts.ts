// Owns the prompt of an agent spec: which parts its definition and its task ask for. Pure.
import type { AgentDefinition, RunOptions } from '../../agent/definition.ts';
import { mergeSettings } from '../../agent/loop-settings.ts';
import { noPreamble, preambleOf } from '../../agent/prompt/preamble.ts';
import type { PromptSettings } from '../../agent/prompt/settings.ts';
import type { Skill } from '../../agent/prompt/skills.ts';
import { systemPrompt } from '../../agent/prompt/system-prompt.ts';
import type { WorkerSpec } from '../../protocol/worker-spec.ts';

export type PromptParts2 = {
  readonly system: string;
  readonly shared: Pick<WorkerSpec, 'opening' | 'memory'>;
  /** The time zone of the time its runs are given; undefined when they are given none. */
  readonly timeZone: string | undefined;
};

/** Setting by setting, the task wins. Throws `invalid_agent` for examples that do not pair. */
export function promptSpec(facts: {
  readonly task: RunOptions;
  readonly definition: AgentDefinition | null;
  readonly name: string;
  /** What it is equipped with; blank for nothing. */
  readonly addition: string;
  readonly workspace: string;
  /** It has tools that work in the workspace. */
  readonly usesFiles: boolean;
  /** Those of this agent (A61). */
  readonly skills: readonly Skill[];
  readonly loadsSkills: boolean;
  readonly requiredOutputs: Pick<WorkerSpec, 'outputs' | 'answer'>;
}): PromptParts2 {
  const {
    task,
    definition,
    name,
    addition,
    workspace,
    usesFiles,
    skills,
    loadsSkills,
    requiredOutputs,
  } = facts;
  const parts = mergeSettings<PromptSettings>(task.promptParts, definition?.promptParts);
  const isOutputFolder = parts.workingDirectory === true;
  const system = systemPrompt({
    prompt: definition?.prompt,
    addition,
    role: parts.role === true ? name : undefined,
    workspace: usesFiles || isOutputFolder ? { path: workspace, isOutputFolder } : undefined,
    behaviour: parts.behaviour === false ? undefined : parts.behaviour,
    skills,
    loadsSkills,
    nonInteractive: parts.nonInteractive,
    ...requiredOutputs,
  });
  const examples = task.initialMessages ?? definition?.initialMessages;
  const opening = preambleOf({ environment: parts.environment, examples });
  const memory = task.memory ?? definition?.memory;
  return {
    system,
    shared: {
      ...(opening === noPreamble ? {} : { opening }),
      ...(memory === undefined ? {} : { memory }),
    },
    timeZone: parts.timeZone,
  };
}
