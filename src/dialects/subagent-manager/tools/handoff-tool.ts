// Owns the tools that hand work to a subagent: one named after each, and one for all where a list of tools cannot change (A41).
import { z } from 'zod';
import { describe } from '../../../base/failures.ts';
import { defineTool } from '../../../tools/define-tool.ts';
import { capabilityTags } from '../../../tools/tags.ts';
import type { AnyTool, ToolContext } from '../../../tools/tool.ts';
import { anyHandoff, handoffName } from '../names.ts';
import type { Subagents } from '../subagents.ts';
import { unknownSubagent } from './unknown-subagent.ts';

const handoffInput = z.object({
  input: z
    .string()
    .min(1)
    .describe('The whole task; the subagent sees nothing of this conversation.'),
  background_task: z
    .boolean()
    .nullish()
    .describe('True returns at once with a task id, for wait_for_subagent. Default: false.'),
});
const named = { name: z.string().describe('The name of the subagent.') };
const withImages = {
  image_urls: z
    .array(z.string().min(1))
    .nullish()
    .describe('Images that the subagent is to see with the task.'),
};

type Handoff = z.output<typeof handoffInput> & {
  readonly name: string;
  readonly image_urls?: readonly string[] | null | undefined;
};

const tags = [capabilityTags.delegation];

/** The tool of one agent (A25). */
export function handoffTool(
  manager: Subagents,
  { name, description }: { readonly name: string; readonly description: string },
): AnyTool {
  return defineTool({
    name: handoffName(name),
    description: description || `Hand a task to the subagent ${name}.`,
    input: hasImages(manager) ? handoffInput.extend(withImages) : handoffInput,
    tags,
    timeoutMs: manager.settings.options.timeoutMs,
    run: (input, tool) => handOver(manager, { name, ...input }, tool),
  });
}

/** One tool for all subagents, later ones included: for an agent whose list of tools is fixed when its run begins. */
export function anyHandoffTool(manager: Subagents): AnyTool {
  return defineTool({
    name: anyHandoff,
    description: 'Hand a task to a subagent by its name, such as one that you have just created.',
    input: hasImages(manager)
      ? handoffInput.extend({ ...named, ...withImages })
      : handoffInput.extend(named),
    tags,
    timeoutMs: manager.settings.options.timeoutMs,
    run: (input, tool) => handOver(manager, input, tool),
  });
}

function hasImages({ settings }: Subagents): boolean {
  return settings.options.imageOf !== undefined;
}

/** The agent is looked for when the call comes (A36). */
async function handOver(
  manager: Subagents,
  { name, input, background_task: isBackground, image_urls: urls }: Handoff,
  tool: ToolContext,
) {
  const agent = manager.find(name);
  if (agent === null) return unknownSubagent(manager, name);
  const { imageOf } = manager.settings.options;
  const images = await Promise.all((urls ?? []).map((url) => imageOf?.(url)));
  const definition = await manager.definitionOf(agent);
  // It may have been removed, or handed another task, meanwhile.
  if (manager.find(name) !== agent) return unknownSubagent(manager, name);
  const busy = manager.runs.refuseBusy(agent);
  if (busy !== null) return busy;
  const asked = { input, images: images.filter((image) => image !== undefined), caller: tool };
  if (isBackground !== true) return manager.runs.foreground(agent, definition, asked);
  const begun = await manager.runs.background(agent, definition, asked);
  if (!('taskId' in begun)) return begun;
  const { taskId } = begun;
  return (
    `Subagent "${name}" works on it in the background. subagent_task_id: ${taskId}\n` +
    `Its result: wait_for_subagent with subagent_name ${describe(name)} and task_id "${taskId}".`
  );
}
