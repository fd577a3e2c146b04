// Owns what is added to the main agent's system prompt: the operator's routing text, or how to manage subagents (A3, A70),
// for a loop of the program and for an agent of the tree. Pure.
import { lineOf } from '../../tools/described-at.ts';
import type { ManagerConfig } from './config.ts';
import { anyHandoff, handoffName, nameRule } from './names.ts';
import type { Subagent } from './subagent.ts';

/** For a loop of the program, empty when there is nothing: the router's text gives way to the section on creating agents. */
export function mainPrompt(config: ManagerConfig): string {
  if (!config.enabled) return '';
  return config.dynamicEnabled ? managementSection(config, loopHandover) : config.routerPrompt;
}

/** The same for an agent of the tree, with those of its subagents that have a tool of their own (A25). */
export function treePrompt(config: ManagerConfig, agents: readonly Subagent[]): string {
  if (!config.enabled) return '';
  const { dynamicEnabled, routerPrompt } = config;
  const first = dynamicEnabled ? managementSection(config, treeHandover) : routerPrompt.trim();
  return [first, agentsSection(agents)].filter((part) => part !== '').join('\n\n');
}

const loopHandover = `Each subagent has a tool of its own, ${handoffName('<name>')}. Its input is the whole task.`;
const treeHandover =
  `Each subagent that is there when you begin has a tool of its own, ${handoffName('<name>')}; to those you create, hand work with ${anyHandoff} and their name. ` +
  'The input is the whole task.';

function agentsSection(agents: readonly Subagent[]): string {
  if (agents.length === 0) return '';
  return [
    '# Subagents that are there',
    '',
    'Hand work to them by these tools. They see nothing of this conversation: the input is the whole task. With background_task ' +
      'true the call returns at once with a task id, and wait_for_subagent waits for the result.',
    '',
    ...agents.map(({ name, handoff, made }) =>
      lineOf(
        handoff.name === anyHandoff ? `${anyHandoff}, with the name "${name}"` : handoff.name,
        made.config.description,
      ),
    ),
  ].join('\n');
}

function managementSection(
  { maxAgents, cleanupAtRunEnd }: ManagerConfig,
  handover: string,
): string {
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
    `- ${handover}`,
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
