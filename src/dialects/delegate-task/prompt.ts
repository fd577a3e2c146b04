// Owns the words of `delegate_task`: what its child is told, and what the model that may call it is told. Pure.
import type { AgentRole } from '../../agent/definition.ts';
import type { DelegatedTask } from './input.ts';

/** Built from goal and context alone (C4); without a context there is no word of one. */
export function childPrompt(
  { goal, context = '' }: Pick<DelegatedTask, 'goal' | 'context'>,
  role: AgentRole,
): string {
  const parts = [
    'You are a subagent that works on one task, alone. Nobody can answer questions.',
    `# Your Task\n\n${goal.trim()}`,
  ];
  if (context.trim() !== '') parts.push(`# Context\n\n${context.trim()}`);
  if (role === 'orchestrator') {
    parts.push(
      'You may hand parts of the task to subagents of your own with delegate_task. They know nothing of this ' +
        'conversation: give each a goal and all the context it needs, and put their results together yourself.',
    );
  }
  parts.push(
    'Do the task with your tools. When it is done, end with a short summary, since nothing else of your work is seen:\n' +
      '- what you did\n- what you found\n- which files you created or changed\n- which problems you met',
  );
  return parts.join('\n\n');
}

/** When to delegate and when not to (C49). */
export const description = [
  'Hand work to subagents with a fresh conversation and their own tools and shell. Only their final summaries come back.',
  'Give one task (goal, context) or several at once (tasks), which then run in parallel.',
  'Use it for work that needs reasoning of its own: research, reviewing or debugging a part, independent pieces that can ' +
    'go on at the same time, and whatever would flood this conversation with intermediate output.',
  'Do not use it for a single tool call, for mechanical steps without decisions (a script does those better), or for ' +
    'what needs this conversation or the user: a subagent knows only the goal and context you give it, and cannot ask back.',
  'The call returns when every subagent has ended; none goes on in the background.',
].join('\n');
