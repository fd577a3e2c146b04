// Owns the prompt of an agent: named parts in a fixed order, nothing in the system part that changes per call (A38).
import type { Message } from '../models/model.ts';
import type { Outputs } from './owed.ts';

const defaultPrompt =
  'You are a subagent. Work on the task you are given with the tools you have, then answer with what you found. ' +
  'Your last message is the only thing your caller sees.';

export type PromptParts = {
  /** The definition's own prompt; a general one when it has none. */
  readonly prompt?: string | undefined;
  /** Named only to agents that have tools to use it with. */
  readonly workspace?: string | undefined;
  /** Variables it has to emit (B15). */
  readonly outputs?: Outputs | undefined;
  /** The tool it has to answer by (D19). */
  readonly answer?: { readonly tool: string } | undefined;
};

/** The system prompt; byte-identical for every run of a definition. */
export function systemPrompt({ prompt, workspace, outputs, answer }: PromptParts): string {
  const parts = [prompt ?? defaultPrompt];
  if (workspace !== undefined) parts.push(`# Working Directory\n\n${workspace}`);
  if (outputs !== undefined) parts.push(outputsPart(outputs));
  if (answer !== undefined) parts.push(answerPart(answer.tool));
  return parts.join('\n\n');
}

/** One instruction per variable. */
function outputsPart({ variables, words }: Outputs): string {
  const lines = Object.entries(variables).map(
    ([name, description]) =>
      `- Call ${words.tool} with ${words.name} "${name}" and this as ${words.value}: ${description}`,
  );
  return ['# Outputs', '', 'You are done when all of these are emitted:', ...lines].join('\n');
}

function answerPart(tool: string): string {
  return `# Answer\n\nGive your answer by calling ${tool}, once, when you have all it needs. Text alone does not count as an answer.`;
}

/** The user message a task begins with: its goal, and the context its caller gave. */
export function taskMessage(goal: string, context?: string): Message {
  const text =
    context === undefined || context === '' ? goal : `${goal}\n\n# Context\n\n${context}`;
  return { role: 'user', content: [{ type: 'text', text }] };
}
