// Owns the system prompt of an agent spec: which parts its settings ask for. Pure.
import { type PromptParts, systemPrompt } from '../../agent/prompt/system-prompt.ts';
import type { Settings } from './settings.ts';

export type PromptFacts = Pick<
  PromptParts,
  'addition' | 'skills' | 'loadsSkills' | 'outputs' | 'answer'
> & {
  readonly workspace: string;
  /** It has tools that work in the workspace. */
  readonly usesFiles: boolean;
};

export function promptOf(
  { name, prompt, promptParts }: Settings,
  { workspace, usesFiles, ...parts }: PromptFacts,
): string {
  const { role, workingDirectory, behaviour, nonInteractive } = promptParts;
  const isOutputFolder = workingDirectory === true;
  return systemPrompt({
    prompt,
    role: role === true ? name : undefined,
    workspace: usesFiles || isOutputFolder ? { path: workspace, isOutputFolder } : undefined,
    behaviour: behaviour === false ? undefined : behaviour,
    nonInteractive,
    ...parts,
  });
}
