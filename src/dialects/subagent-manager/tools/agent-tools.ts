// Owns the tools by which the main agent looks after its subagents: list, remove, protect, reset (A57, A72, A73, A76, A80).
import { z } from 'zod';
import { defineTool } from '../../../tools/define-tool.ts';
import type { AnyTool } from '../../../tools/tool.ts';
import type { Removal, Subagent } from '../subagent.ts';
import type { Subagents } from '../subagents.ts';
import { unknownSubagent } from './unknown-subagent.ts';

/** By this a loop sees that its list of tools has changed. */
const removedMarker = '__SUBAGENT_REMOVED__';

const name = z.string().describe('The name of the subagent.');

export function removeTool(manager: Subagents): AnyTool {
  return defineTool({
    name: 'remove_subagent',
    description:
      'Remove a subagent and what it remembers, or all of them. One that runs is stopped.',
    input: z.object({ name: z.string().describe('The name of the subagent, or "all".') }),
    run({ name: wanted }) {
      const all = wanted.toLowerCase() === 'all';
      const names = all ? manager.agents().map((agent) => agent.name) : [wanted];
      const removed = names.flatMap((each) => manager.remove(each) ?? []);
      if (removed.length === 0 && !all) return unknownSubagent(manager, wanted);
      return `${removedMarker}\n${removed.map(describeState).join('\n') || 'There was no subagent.'}`;
    },
  });
}

export function listTool(manager: Subagents): AnyTool {
  return defineTool({
    name: 'list_subagents',
    description: 'List the subagents of this session with their tools.',
    input: z.object({
      include_status: z.boolean().nullish().describe('Tell how each stands. Default: true.'),
    }),
    run({ include_status: hasStatus }) {
      const agents = manager.agents();
      const { maxAgents } = manager.settings.config;
      const head = `${agents.length} of at most ${maxAgents} subagents`;
      const lines = agents.map((agent) => lineOf(agent, hasStatus !== false));
      return [lines.length === 0 ? `${head}.` : `${head}:`, ...lines].join('\n');
    },
  });
}

export function protectionTool(manager: Subagents): AnyTool {
  return defineTool({
    name: 'manage_subagent_protection',
    description:
      'Protect a subagent, so that it and its memory are kept when your answer is given, or unprotect it.',
    input: z.object({ name, protected: z.boolean().describe('True to protect it.') }),
    run({ name: wanted, protected: isProtected }) {
      if (!manager.setProtected(wanted, isProtected)) return unknownSubagent(manager, wanted);
      return isProtected
        ? `Subagent "${wanted}" is protected: it is kept when your run ends.`
        : `Subagent "${wanted}" is not protected: it is removed when your run ends.`;
    },
  });
}

export function resetTool(manager: Subagents): AnyTool {
  return defineTool({
    name: 'reset_subagent',
    description: 'Clear what a subagent remembers. It stays, and begins its next task anew.',
    input: z.object({ name }),
    run({ name: wanted }) {
      if (!manager.reset(wanted)) return unknownSubagent(manager, wanted);
      return `Subagent "${wanted}" remembers nothing any more.`;
    },
  });
}

function describeState({ name: removed, interrupted }: Removal): string {
  if (interrupted === undefined) return `Subagent "${removed}" was removed.`;
  const { taskId } = interrupted;
  const what = taskId === null ? 'Its run' : `Its task ${taskId}`;
  return `Subagent "${removed}" was removed. ${what} was not finished and was interrupted.`;
}

function lineOf(
  { name: each, kind, made, isProtected, status }: Subagent,
  hasStatus: boolean,
): string {
  const tools = made.config.tools === null ? 'all' : made.config.tools.join(', ') || 'none';
  const traits = [
    ...(hasStatus ? [status] : []),
    ...(kind === 'static' ? ['configured'] : []),
    ...(isProtected ? ['protected'] : []),
    `tools: ${tools}`,
  ];
  const purpose = made.config.description.trim().replace(/\s+/g, ' ');
  return `- ${each}: ${traits.join(', ')}${purpose === '' ? '' : `; ${purpose}`}`;
}
