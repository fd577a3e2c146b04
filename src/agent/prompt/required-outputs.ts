// Owns the parts that describe a run's required outputs: variables to emit (B15), an answer by schema (D19).
import type { Outputs } from '../../protocol/required-outputs.ts';

/** One instruction per variable. */
export function outputsPart({ variables, toolNames }: Outputs): string {
  const lines = Object.entries(variables).map(
    ([name, description]) =>
      `- Call ${toolNames.tool} with ${toolNames.name} "${name}" and this as ${toolNames.value}: ${description}`,
  );
  return ['# Outputs', '', 'You are done when all of these are emitted:', ...lines].join('\n');
}

export function answerPart(tool: string): string {
  return `# Answer\n\nGive your answer by calling ${tool}, once, when you have all it needs. Text alone does not count as an answer.`;
}
