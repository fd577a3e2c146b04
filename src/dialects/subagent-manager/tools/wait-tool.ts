// Owns `wait_for_subagent` as a model sees it (A48).
import { z } from 'zod';
import { defineTool } from '../../../tools/define-tool.ts';
import { capabilityTags } from '../../../tools/tags.ts';
import type { AnyTool } from '../../../tools/tool.ts';
import type { Subagents } from '../subagents.ts';
import { waitForSubagent } from '../wait.ts';

const input = z.object({
  subagent_name: z.string().describe('The name of the subagent.'),
  task_id: z
    .string()
    .nullish()
    .describe('The task to wait for. Default: the newest that is pending, else the latest result.'),
  timeout: z.number().min(0).nullable().default(60).describe('Seconds to wait.'),
  poll_interval: z
    .number()
    .positive()
    .nullable()
    .default(5)
    .describe('Seconds between two looks. The end of a task is told at once, whatever this is.'),
});

export function waitTool(manager: Subagents): AnyTool {
  return defineTool({
    name: 'wait_for_subagent',
    description:
      'Wait for a background task of a subagent and read its result. Waiting changes no task.',
    input,
    tags: [capabilityTags.delegation],
    run: ({ subagent_name: agent, task_id: taskId, timeout }, { signal, suspendWhile }) =>
      // An agent of the tree may have to give its thread up to the very task that it waits for (V7).
      suspendWhile(
        waitForSubagent(
          { agent, taskId: taskId ?? undefined, timeoutMs: (timeout ?? 60) * 1_000, signal },
          manager,
        ),
      ),
  });
}
