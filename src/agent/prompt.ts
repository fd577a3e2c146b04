// Owns the prompt of an agent: named parts in a fixed order, nothing in the system part that changes per call (A38).
import type { Message } from '../models/model.ts';

const defaultPrompt =
  'You are a subagent. Work on the task you are given with the tools you have, then answer with what you found. ' +
  'Your last message is the only thing your caller sees.';

export type PromptParts = {
  /** The definition's own prompt; a general one when it has none. */
  readonly prompt?: string | undefined;
  /** Named only to agents that have tools to use it with. */
  readonly workspace?: string | undefined;
};

/** The system prompt; byte-identical for every run of a definition. */
export function systemPrompt({ prompt, workspace }: PromptParts): string {
  const parts = [prompt ?? defaultPrompt];
  if (workspace !== undefined) parts.push(`# Working Directory\n\n${workspace}`);
  return parts.join('\n\n');
}

/** The user message a task begins with: its goal, and the context its caller gave. */
export function taskMessage(goal: string, context?: string): Message {
  const text =
    context === undefined || context === '' ? goal : `${goal}\n\n# Context\n\n${context}`;
  return { role: 'user', content: [{ type: 'text', text }] };
}
