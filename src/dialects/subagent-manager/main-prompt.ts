// Owns what is added to the main agent's system prompt: the operator's routing text, or how to manage subagents (A3, A70). Pure.
import type { ManagerConfig } from './config.ts';
import { handoffName, nameRule } from './names.ts';

/** The addition, empty when there is none: the router's text gives way to the section on creating agents. */
export function mainPrompt(config: ManagerConfig): string {
  if (!config.enabled) return '';
  return config.dynamicEnabled ? managementSection(config) : config.routerPrompt;
}

function managementSection({ maxAgents, cleanupAtRunEnd }: ManagerConfig): string {
  const protection = cleanupAtRunEnd
    ? '- When your answer is given, every subagent that is not protected is removed. Protect those you will need again with manage_subagent_protection before you answer.'
    : '- Subagents stay until they are removed.';
  return [
    '# Subagents',
    '',
    `You can create subagents and hand work to them. This session holds at most ${maxAgents} of them at a time, those that the operator configured included.`,
    '',
    '## When to create one',
    '',
    '- The work has parts that can be done side by side, or a part that needs its own role, its own tools or a long look at much material.',
    '- Do what takes one or two steps yourself.',
    '',
    '## How to define one',
    '',
    `Call create_subagent. For its name: ${nameRule}. Its system_prompt has to say`,
    '',
    '1. its role: who it is and what it is good at,',
    '2. its context: what it has to know, for it sees nothing of this conversation,',
    '3. its instruction: what to do and what to answer with.',
    '',
    '4. Its tools: give it the fewest it can do the work with.',
    '',
    '## How to hand work over',
    '',
    `- Each subagent has a tool of its own, ${handoffName('<name>')}. Its input is the whole task.`,
    '- In sequence: the call returns with the answer. Use it where the next step needs that answer.',
    '- In the background: with background_task true the call returns at once with a task id. Go on with other work, then call wait_for_subagent. Use it for parts that do not need each other.',
    '- A subagent that is running takes no second task.',
    '',
    '## How to collect and clean up',
    '',
    '- Collect the result of every background task with wait_for_subagent before you answer. When its time is over, the task goes on: wait again.',
    '- Remove subagents that are of no more use with remove_subagent: they count against the limit.',
    protection,
  ].join('\n');
}
