// Owns the words of `delegate_task`: what its child is told, and what the model that may call it is told. Pure.
import type { AgentRole } from '../../agent/definition.ts';
import type { DelegatedTask } from './input.ts';

/** Built from goal and context alone (C4); without a context there is no word of one. */
export function childPrompt(
  { goal, context = '' }: Pick<DelegatedTask, 'goal' | 'context'>,
  role: AgentRole,
  levels: Levels = {},
): string {
  const parts = [
    'You are a subagent that works on one task, alone. Nobody can answer questions.',
    `# Your Task\n\n${goal.trim()}`,
  ];
  if (context.trim() !== '') parts.push(`# Context\n\n${context.trim()}`);
  if (role === 'orchestrator') {
    parts.push(
      'You may hand parts of the task to subagents of your own with delegate_task. They know nothing of this ' +
        'conversation: give each a goal and all the context it needs, and put their results together yourself.' +
        levelsText(levels),
    );
  }
  parts.push(
    'Do the task with your tools. When it is done, end with a short summary, since nothing else of your work is seen:\n' +
      '- what you did\n- what you found\n- which files you created or changed\n- which problems you met',
  );
  return parts.join('\n\n');
}

/** How deep an agent is, and how deep delegation goes; undefined where only the supervisor knows. */
export type Levels = {
  readonly depth?: number | undefined;
  readonly maxSpawnDepth?: number | undefined;
};

/** An orchestrator that does not know how deep it is plans for children that cannot be what it asks for. */
function levelsText({ depth, maxSpawnDepth }: Levels): string {
  if (depth === undefined || maxSpawnDepth === undefined) return '';
  const below =
    depth + 1 < maxSpawnDepth
      ? 'those with the role orchestrator may delegate in turn'
      : 'your subagents cannot delegate in turn';
  return ` You are at depth ${depth} of ${maxSpawnDepth}: ${below}.`;
}

/** What the tool says of itself, with the limits of its options; what only the supervisor knows is not in it. */
export function describeTool(limits: {
  readonly maxConcurrentChildren?: number | undefined;
  readonly maxSpawnDepth?: number | undefined;
}): string {
  const { maxConcurrentChildren: most, maxSpawnDepth } = limits;
  const tasks = most === 1 ? 'At most 1 task' : `At most ${most} tasks`;
  const said = [
    ...(most === undefined ? [] : [`${tasks} in one call: make several calls for more.`]),
    ...(maxSpawnDepth === undefined ? [] : [`Delegation goes down to depth ${maxSpawnDepth}.`]),
  ];
  return [description, ...(said.length === 0 ? [] : [said.join(' ')])].join('\n');
}

/** When to delegate and when not to (C49). */
const description = [
  'Hand work to subagents with a fresh conversation and their own tools and shell. Only their final summaries come back.',
  'Give one task (goal, context) or several at once (tasks), which then run in parallel.',
  'Use it for work that needs reasoning of its own: research, reviewing or debugging a part, independent pieces that can ' +
    'go on at the same time, and whatever would flood this conversation with intermediate output.',
  'Do not use it for a single tool call, for mechanical steps without decisions (a script does those better), or for ' +
    'what needs this conversation or the user: a subagent knows only the goal and context you give it, and cannot ask back.',
  'The call returns when every subagent has ended; none goes on in the background.',
].join('\n');
