// Owns `create_subagent` (A27, A32).
import { z } from 'zod';
import { toFailure } from '../../../base/failures.ts';
import { defineTool } from '../../../tools/define-tool.ts';
import { refusal } from '../../../tools/refusal.ts';
import type { AnyTool } from '../../../tools/tool.ts';
import { anyHandoff, nameRule } from '../names.ts';
import type { Subagents } from '../subagents.ts';

/** By this a loop sees that its list of tools has changed. */
const createdMarker = '__DYNAMIC_TOOL_CREATED__';

const list = z.array(z.string().min(1)).nullish();

const input = z.object({
  name: z.string().describe(`What it is called: ${nameRule}.`),
  system_prompt: z
    .string()
    .describe('Its role, what it has to know, what it is to do and to answer with.'),
  tools: list.describe(
    'The tools it may use, the fewest it can do with. Default: none but those every subagent has.',
  ),
  skills: list.describe('The skills it is told of. Default: none.'),
  workdir: z
    .string()
    .nullish()
    .describe('The absolute path of the folder it works in. Default: one of its own.'),
  provider_id: z.string().nullish().describe('The model provider it thinks with. Default: yours.'),
});

const descriptions = {
  loop: 'Create a subagent. It gets a tool of its own, which you can call in your next message.',
  tree: `Create a subagent. Hand it work with ${anyHandoff} and its name, in your next message.`,
} as const;

/** For a loop of the program, or for an agent of the tree: its list of tools is fixed, so what it creates has no tool of its own. */
export function createTool(manager: Subagents, form: 'loop' | 'tree'): AnyTool {
  return defineTool({
    name: 'create_subagent',
    description: descriptions[form],
    input,
    async run(request, { agent }) {
      const { name } = request;
      try {
        const asked = {
          name,
          systemPrompt: request.system_prompt,
          tools: request.tools ?? [],
          skills: request.skills ?? null,
          workdir: request.workdir || null,
          providerId: request.provider_id || null,
        };
        const by = { askedBy: 'model', agentId: agent.id } as const;
        const { toolName, warning } = await manager.create(asked, false, by);
        const handoff = form === 'loop' ? toolName : anyHandoff;
        const how = form === 'loop' ? handoff : `${handoff} and the name "${name}"`;
        const remark = warning === undefined ? '' : `\n${warning}`;
        return (
          `${createdMarker}:${handoff}:${name}\n` +
          `Subagent "${name}" is there. Hand it work with ${how}.${remark}`
        );
      } catch (thrown) {
        const { code, message } = toFailure(thrown, 'invalid_agent');
        return refusal(code, `error: subagent "${name}" was not created: ${message}`);
      }
    },
  });
}
