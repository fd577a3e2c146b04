// Owns the one task of a job with roles: the orchestrator, its prompt, and the tool that it delegates with.
import { delegateTaskTool } from '../dialects/delegate-task/index.ts';
import { defineAgent, type Task } from '../index.ts';
import type { RunOptions } from './run-options.ts';

/** Makes the task of a goal over files; without files it looks around by itself. */
export function orchestratorOf({
  roles,
  toolsets,
  maxTurns,
}: Pick<RunOptions, 'roles' | 'toolsets' | 'maxTurns'>):
  | ((goal: string, files: readonly string[]) => Task)
  | null {
  if (roles === null) return null;
  const { maxDepth, children } = roles;
  const agent = defineAgent({
    name: 'orchestrator',
    role: 'orchestrator',
    prompt: promptOf(maxDepth),
    toolsets,
    tools: [
      delegateTaskTool({
        maxSpawnDepth: maxDepth,
        maxConcurrentChildren: children,
        maxIterations: maxTurns,
        toolsets,
      }),
    ],
  });
  return (goal, files) => (files.length === 0 ? { goal, agent } : { goal, agent, ...about(files) });
}

function about(files: readonly string[]): Pick<Task, 'context'> {
  return { context: `Files:\n${files.map((file) => `- ${file}`).join('\n')}` };
}

function promptOf(maxDepth: number): string {
  const below =
    maxDepth > 1
      ? 'those with the role orchestrator may delegate in turn'
      : 'your subagents cannot delegate in turn';
  return [
    'You are an orchestrator. You plan the work on your goal, share it out with delegate_task and put the results together.',
    '- Find out what there is before you plan: the files you were given, or what your tools list.',
    '- Give each subagent a part that it can do alone: files of one folder or one topic, few enough to be read in one go. ' +
      'Name its files in the goal, and say in the context all it has to know: it sees nothing else.',
    ...(maxDepth > 1
      ? ['- Make a part that is too large for one subagent the task of an orchestrator.']
      : []),
    `- You are at depth 0 of ${maxDepth}: ${below}.`,
    '- When a part failed, say so, and do it yourself or hand it out once more if that can help.',
    'End with one answer for the whole goal. Base it on what your subagents reported, and name the part that each statement is from.',
  ].join('\n');
}
