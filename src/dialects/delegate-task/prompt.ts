// Owns the texts of `delegate_task`: the prompt of its child, and its description for the model that may call it. Pure.
import type { DelegationReach } from '../../tools/tool.ts';
import type { DelegatedTask } from './input.ts';
import type { Settings } from './options.ts';

/** Built from goal and context alone (C4); without a context, the prompt does not mention one. */
export function childPrompt({
  goal,
  context = '',
}: Pick<DelegatedTask, 'goal' | 'context'>): string {
  const parts = [
    'You are a subagent that works on one task, alone. Nobody can answer questions.',
    `# Your Task\n\n${goal.trim()}`,
  ];
  if (context.trim() !== '') parts.push(`# Context\n\n${context.trim()}`);
  parts.push(
    'Do the task with your tools. When it is done, end with a short summary, since nothing else of your work is seen:\n' +
      '- what you did\n- what you found\n- which files you created or changed\n- which problems you met',
  );
  return parts.join('\n\n');
}

/** The limits in the tool's options; undefined where the supervisor's apply. */
export type ToolLimits = Pick<
  Settings,
  'maxConcurrentChildren' | 'maxSpawnDepth' | 'orchestratorEnabled'
>;

type Place = Pick<DelegationReach, 'depth' | 'maxSpawnDepth' | 'maxConcurrentChildren'>;

/** An orchestrator's additional prompt. It states the depth, or the model requests roles its children cannot have. */
export function orchestratorPrompt(limits: ToolLimits, place: Place): string {
  return (
    'You may hand parts of the task to subagents of your own with delegate_task. They know nothing of this ' +
    'conversation: give each a goal and all the context it needs, and put their results together yourself. ' +
    levelsText(limits, place)
  );
}

/**
 * The description of the tool: the limits where it is offered, its own or the supervisor's, whichever is smaller.
 * Without a place, its own alone.
 */
export function describeTool(limits: ToolLimits, place?: Place): string {
  const { maxConcurrentChildren: width = Infinity, maxSpawnDepth: depth } = limits;
  const maxTasks = Math.min(width, place?.maxConcurrentChildren ?? Infinity);
  const tasks = maxTasks === 1 ? 'At most 1 task' : `At most ${maxTasks} tasks`;
  const sentences = maxTasks === Infinity ? [] : [`${tasks} ${inOneReply}`];
  if (place !== undefined) sentences.push(levelsText(limits, place));
  else if (depth !== undefined) sentences.push(`Delegation goes down to depth ${depth}.`);
  return [description, ...(sentences.length === 0 ? [] : [sentences.join(' ')])].join('\n');
}

const inOneReply =
  'in one call, and in all calls of one reply: hand over more when these have ended.';

/** The depth at which an agent can no longer delegate. */
export function maxOf({ maxSpawnDepth }: ToolLimits, place: Place): number {
  return Math.min(maxSpawnDepth ?? Infinity, place.maxSpawnDepth);
}

function levelsText(limits: ToolLimits, place: Place): string {
  const deepest = maxOf(limits, place);
  const { depth } = place;
  if (depth >= deepest) return `You are at depth ${depth} of ${deepest}: you cannot delegate.`;
  const below =
    limits.orchestratorEnabled && depth + 1 < deepest
      ? 'those with the role orchestrator may delegate in turn'
      : 'your subagents cannot delegate in turn';
  return `You are at depth ${depth} of ${deepest}: ${below}.`;
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
