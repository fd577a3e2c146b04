// Shared arrangements of the tests of boards: children that are told of one, waits for posts, what requests held. Starts no test.
import { z } from 'zod';
import { childBoard } from '#src/dialects/subagent-manager/board-tools.js';
import {
  type AgentDefinition,
  type Board,
  type BoardEntry,
  defineTool,
  type Supervisor,
} from '#src/index.js';
import type { ModelRequest } from '#src/models/model.js';
import type { Script, ScriptedModel, ScriptStep } from '#src/testing.js';
import { supervise, within } from '../../supervisor/support.ts';
import { folder } from './rig.ts';

type Setting = {
  readonly tools?: readonly string[];
  readonly toolsets?: readonly string[];
};

/** A supervisor with a session whose board is on, and the tools by which the agents of a test wait for each other. */
export function withBoard(script: Script, options: Parameters<typeof supervise>[1] = {}) {
  const waits = waiting();
  const rig = supervise(script, { tools: [waits.tool], workspace: folder(), ...options });
  const session = rig.supervisor.session('s1');
  session.board.turnOn({ timeZone: 'UTC' });
  waits.over(rig.supervisor, session.board);
  const child = (name: string, setting: Setting = {}): AgentDefinition => ({
    name,
    prompt: `You are ${name}.`,
    tools: ['wait_for'],
    ...setting,
    ...childBoard({ board: session.board }),
  });
  return { ...rig, session, board: session.board, child };
}

/** A tool that ends when the board has an entry whose content holds a text, or when an agent has asked its model. */
function waiting() {
  let supervisor: Supervisor | null = null;
  let board: Board | null = null;
  const posted = async (text: string): Promise<void> => {
    const has = ({ content }: Pick<BoardEntry, 'content'>): boolean => content.includes(text);
    if (board?.entries().some(has) === true) return;
    await within(
      new Promise<void>((resolve) => {
        supervisor?.on('board_posted', ({ entry }) => has(entry) && resolve());
      }),
      `a post of ${text}`,
    );
  };
  const tool = defineTool({
    name: 'wait_for',
    description: 'Waits for a post.',
    input: z.object({ text: z.string() }),
    run: async ({ text }) => {
      await posted(text);
      return 'It is there.';
    },
  });
  return {
    tool,
    over(of: Supervisor, its: Board): void {
      supervisor = of;
      board = its;
    },
  };
}

/** A step of one call. */
export function step(name: string, input: Readonly<Record<string, unknown>> = {}): ScriptStep {
  return { toolCalls: [{ name, input }] };
}

/** A step that posts. */
export function posts(
  contextType: string,
  content: string,
  more: Readonly<Record<string, unknown>> = {},
): ScriptStep {
  return step('send_shared_context', { context_type: contextType, content, ...more });
}

export const waitsFor = (text: string): ScriptStep => step('wait_for', { text });

/** The requests of one agent, in order. */
export function requestsOf(model: ScriptedModel, name: string): readonly ModelRequest[] {
  return model.requests().filter(({ agent }) => agent.name === name);
}

/** The block of the board in each request of an agent; empty where there was none. */
export function blocksOf(model: ScriptedModel, name: string): readonly string[] {
  return requestsOf(model, name).map(({ messages }) => {
    const texts = messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
    );
    return texts.filter((text) => text.startsWith('# Shared Context')).join('\n\n');
  });
}

/** What stands in the lines of a block, without times. */
export function linesOf(block: string | undefined): readonly string[] {
  return [...(block ?? '').matchAll(/^- \[[^\]]*\] (.*)$/gm)].map(([, line]) => line ?? '');
}
