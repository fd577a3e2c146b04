// Owns `defineAgent`: checks a definition and folds its aliases into one.

import { TroupeError } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import { copySettings } from './copy-settings.ts';
import { type AgentDefinition, type AgentOptions, agentSchema } from './definition.ts';
import { asTrustedTask } from './trusted-task.ts';

/**
 * A checked definition, known as the program's own word: the tools it names are granted, also below an agent that lacks them.
 * So never make one of what a model said. Throws `invalid_agent` naming the field and the value seen.
 */
export function defineAgent<Answer = unknown>(
  options: AgentOptions<Answer>,
): AgentDefinition<Answer> {
  parseOptions(agentSchema, options, 'defineAgent', 'invalid_agent');
  // Folding changes the name of its prompt and nothing else.
  return asTrustedTask(foldAliases(options)) as AgentDefinition<Answer>;
}

/** The definition as it is now, with one name for its prompt: later changes to what it was made of do not count. Throws `invalid_agent` when it has several. */
export function foldAliases(options: AgentOptions): AgentDefinition {
  const { systemPrompt, instructions, ...rest } = copySettings(options, {
    what: `agent ${options.name}`,
    code: 'invalid_agent',
  });
  const prompts = [rest.prompt, systemPrompt, instructions].filter((text) => text !== undefined);
  if (prompts.length > 1) {
    throw new TroupeError(
      'invalid_agent',
      `agent ${rest.name} has ${prompts.length} prompts; give one of prompt, systemPrompt, instructions`,
    );
  }
  const [prompt] = prompts;
  return prompt === undefined ? rest : { ...rest, prompt };
}
