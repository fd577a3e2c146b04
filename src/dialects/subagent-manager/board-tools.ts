// Owns the tools of the board: what subagents post with, what the main agent looks and announces with. The names are those of the source.
import { z } from 'zod';
import type { AgentDefinition } from '../../agent/definition.ts';
import type { Hooks } from '../../agent/hooks.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import type { Board } from '../../sessions/board.ts';
import {
  boardEntryTypes,
  contentSchema,
  everybody,
  isReservedName,
  maxEntryChars,
  systemSender,
  targetSchema,
} from '../../sessions/board-entries.ts';
import { defineTool } from '../../tools/define-tool.ts';
import type { AnyTool } from '../../tools/tool.ts';
import { boardBlock, boardView } from './board-block.ts';

export type BoardToolOptions = {
  readonly board: Board;
  /** Names that an entry may be for, beside `all` and `System`; asked at each post. Default: any name an agent can have. */
  readonly agents?: () => Iterable<string>;
};

const content = contentSchema.describe(
  `What to post, at most ${maxEntryChars} characters. Put long content into a file and post its path.`,
);
const target = targetSchema
  .nullish()
  .describe('The name of the agent it is for, or "all". Default: all.');

const sendInput = z.object({
  context_type: z
    .enum(['status', 'message'])
    .describe('status: what you are doing or have done. message: words to another agent.'),
  content,
  sender: z.string().nullish().describe('Your own name. Default: your own name.'),
  target,
});

const broadcastInput = z.object({
  context_type: z
    .enum(boardEntryTypes)
    .describe('system: an announcement that binds every agent. message: words. status: progress.'),
  content,
  target,
});

/**
 * What a subagent has of the board, for its definition: the block ahead of each of its model calls, on the user's side and
 * remembered nowhere (A65, A38), and the tool to post with (A79). Nothing while the board is off (A13).
 */
export function childBoard(options: BoardToolOptions): Pick<AgentDefinition, 'ownTools' | 'hooks'> {
  if (!options.board.isOn) return {};
  return { ownTools: [sendTool(options)], hooks: boardHooks(options.board) };
}

/** The tools of the main agent, whose prompt has no board block (A69, A78). None while the board is off (A13). */
export function mainBoardTools(options: BoardToolOptions): readonly AnyTool[] {
  return options.board.isOn ? [viewTool(options), broadcastTool(options)] : [];
}

function boardHooks(board: Board): Hooks {
  return {
    beforeTurn(_turn, { agent }) {
      if (!board.isOn) return null;
      const append = boardBlock(board.entries(), agent.name, board.timeZone);
      return append === '' ? null : { append };
    },
  };
}

function sendTool(options: BoardToolOptions): AnyTool {
  return defineTool({
    name: 'send_shared_context',
    description:
      'Post to the shared board of this session: your status for all agents, or a message to one of them.',
    input: sendInput,
    run({ context_type: type, content, sender, target }, { agent }) {
      const { name } = agent;
      if (isReservedName(name)) {
        const why = `An agent named ${describe(name)} cannot post: the name stands for somebody else.`;
        throw new TroupeError('invalid_agent', why);
      }
      const entry = options.board.post({
        type,
        sender: name,
        target: targetOf(target, options),
        content,
      });
      const isOwn = sender === null || sender === undefined || sender === name;
      const correction = isOwn
        ? ''
        : ` You named ${describe(sender)} as its sender: an agent posts under its own name only.`;
      return `Posted to ${entry.target} as ${name}.${correction}`;
    },
  });
}

function viewTool({ board }: BoardToolOptions): AnyTool {
  return defineTool({
    name: 'view_shared_context',
    description: 'Read what the subagents of this session have posted to their shared board.',
    input: z.object({}),
    run() {
      board.mustBeOn();
      return boardView(board.entries(), board.timeZone);
    },
  });
}

function broadcastTool(options: BoardToolOptions): AnyTool {
  return defineTool({
    name: 'broadcast_shared_context',
    description:
      'Post to the shared board as System: to all subagents of this session, or to one of them.',
    input: broadcastInput,
    run({ context_type: type, content, target }) {
      const entry = options.board.post({ type, target: targetOf(target, options), content });
      return `Posted to ${entry.target} as ${entry.sender}.`;
    },
  });
}

/** Models write the two names that are no agent's in any case of letters. */
function targetOf(target: string | null | undefined, { agents }: BoardToolOptions): string {
  const wanted = target ?? everybody;
  if (isReservedName(wanted)) return wanted.toLowerCase() === everybody ? everybody : systemSender;
  const known = agents === undefined ? null : [...agents()];
  if (known === null || known.includes(wanted)) return wanted;
  const names = [everybody, ...known].join(', ');
  throw new TroupeError(
    'unknown_agent',
    `There is no agent ${describe(wanted)} in this session. The target is one of: ${names}.`,
  );
}
