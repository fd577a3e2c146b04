// Owns `defineAgent`: checks a definition and folds its aliases into one.

import { TroupeError } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import { copySettings } from './copy-settings.ts';
import { type AgentDefinition, type AgentOptions, agentSchema } from './definition.ts';
import { asTrustedTask } from './trusted-task.ts';

/**
 * Checks a definition and trusts it as the program's own: the tools it names are granted, also below an agent without
 * them. So never build one from a model's output. Throws `invalid_agent` naming the field and the value seen.
 */
export function defineAgent<Answer = unknown>(
  options: AgentOptions<Answer>,
): AgentDefinition<Answer> {
  parseOptions(agentSchema, options, 'defineAgent', 'invalid_agent');
  // Folding changes the name of its prompt and nothing else.
  return asTrustedTask(foldAliases(options)) as AgentDefinition<Answer>;
}

/** A copy of the definition with one name for its prompt. Throws `invalid_agent` when it has several prompts. */
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
