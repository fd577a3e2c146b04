// Checks the tools of the board: what they take, what they refuse and in which words, when they are offered.

import { describe, expect, it } from 'vitest';
import {
  type BoardToolOptions,
  childBoard,
  mainBoardTools,
} from '#src/dialects/subagent-manager/board-tools.js';
import { Toolbox, type ToolCaller } from '#src/sessions/toolbox.js';
import type { AnyTool } from '#src/tools/tool.js';
import { toolContext } from '../../fixtures/tool-context.ts';
import { answered, supervise, within } from '../../supervisor/support.ts';

const names = ['ada', 'ben'];

/** A session whose board is on, with the tools of its main agent as a loop of the program calls them. */
function scheduler(options: Partial<BoardToolOptions> = {}) {
  const { supervisor, model } = supervise({ default: [] });
  const { board } = supervisor.session('s1');
  board.turnOn();
  const tools = mainBoardTools({ board, ...options });
  return { board, model, toolbox: new Toolbox({ now: () => tools }, caller) };
}

const refuse = (): Promise<never> => Promise.reject(new Error('no tool of the board delegates'));
const caller: ToolCaller = {
  name: 's1',
  workspace: '/',
  reach: {
    depth: 0,
    maxSpawnDepth: 1,
    maxConcurrentChildren: 3,
    mayDelegate: true,
    agents: [],
    delegates: undefined,
  },
  nextCallId: () => 'call_1',
  delegate: refuse,
  background: () => toolContext().background,
  after: () => () => {},
  now: () => 0,
  graceMs: 0,
  approvals: { isRequired: () => false, ask: refuse },
};

/** What a child's model is told of these calls to its tool, all made in one turn. */
async function sent(agent: string, ...inputs: readonly unknown[]) {
  const calls = inputs.map((input) => ({ name: 'send_shared_context', input }));
  const { supervisor, model } = supervise({
    default: [{ toolCalls: calls }, { text: 'done' }],
  });
  const session = supervisor.session('s1');
  session.board.turnOn();
  const definition = {
    name: agent,
    tools: [],
    ...childBoard({ board: session.board, agents: () => names }),
  };
  await within(session.run({ goal: 'Post.', agent: definition }), 'the outcome');
  return { results: answered(model), board: session.board };
}

const status = { context_type: 'status', content: 'busy' };

describe('send_shared_context', () => {
  it('refuses what is no post, names whom there is, and posts nothing then (A79)', async () => {
    const { results, board } = await sent(
      'ada',
      { ...status, context_type: 'system' },
      { ...status, content: ' ' },
      { ...status, content: 'x'.repeat(2_001) },
      { ...status, target: 'cal' },
      { ...status, target: 'a b' },
      { content: 'busy' },
      'busy',
      null,
    );

    const invalid = (why: string) => [expect.stringContaining(why), true];
    expect(results).toEqual([
      invalid('context_type'),
      invalid('expected a text that is not empty'),
      invalid('expected at most 2000 characters; put more into a file'),
      [
        'Tool "send_shared_context" failed: There is no agent "cal" in this session. The target is one of: all, ada, ben.',
        true,
      ],
      invalid('target'),
      invalid('context_type'),
      invalid('one JSON object'),
      invalid('one JSON object'),
    ]);
    expect(board.entries()).toEqual([]);
  });

  it('is for all where no target is named, and may be for the system (A79)', async () => {
    const { results, board } = await sent(
      'ada',
      status,
      { ...status, target: null, sender: null },
      { ...status, target: 'system' },
      { context_type: 'message', content: 'hi', target: 'ben' },
    );

    expect(results.map(([, isError]) => isError)).toEqual([false, false, false, false]);
    expect(board.entries().map(({ sender, target }) => [sender, target])).toEqual([
      ['ada', 'all'],
      ['ada', 'all'],
      ['ada', 'System'],
      ['ada', 'ben'],
    ]);
  });

  it.each(['System', 'ALL'])('refuses a post of an agent named %s (A79)', async (name) => {
    const { results, board } = await sent(name, status);

    expect(results).toEqual([
      [
        `Tool "send_shared_context" failed: An agent named "${name}" cannot post: the name stands for somebody else.`,
        true,
      ],
    ]);
    expect(board.entries()).toEqual([]);
  });
});

describe('the tools of the main agent', () => {
  it('are two where the board is on, and none where it is off (A78, A13)', () => {
    const { board, toolbox } = scheduler();
    const offered = (tools: readonly AnyTool[]) => tools.map(({ name }) => name);

    expect(toolbox.definitions.jsonSchema.map(({ name }) => name)).toEqual([
      'view_shared_context',
      'broadcast_shared_context',
    ]);
    expect(offered(childBoard({ board }).ownTools ?? [])).toEqual(['send_shared_context']);
    board.turnOff();
    expect([offered(mainBoardTools({ board })), childBoard({ board })]).toEqual([[], {}]);
  });

  it('take the arguments of the source, of which only two are required (A78)', () => {
    const [view, broadcast] = scheduler().toolbox.definitions.jsonSchema;

    expect(view?.schema['required'] ?? []).toEqual([]);
    expect(broadcast?.schema).toMatchObject({
      properties: { context_type: { enum: ['status', 'message', 'system'] }, target: {} },
      required: ['context_type', 'content'],
    });
  });

  it('post as System to all or to one agent, and show what there is (A78)', async () => {
    const { board, toolbox } = scheduler({ agents: () => names });
    const broadcast = (input: object) => toolbox.call('broadcast_shared_context', input);

    expect(await toolbox.call('view_shared_context', {})).toMatchObject({
      content: 'The board is empty.',
      isError: false,
    });
    expect(await broadcast({ context_type: 'system', content: 'Stop.' })).toMatchObject({
      content: 'Posted to all as System.',
    });
    expect(
      await broadcast({ context_type: 'message', content: 'Go on.', target: 'ben' }),
    ).toMatchObject({ content: 'Posted to ben as System.' });

    expect(board.entries()).toMatchObject([
      { type: 'system', sender: 'System', target: 'all', content: 'Stop.' },
      { type: 'message', sender: 'System', target: 'ben', content: 'Go on.' },
    ]);
    const { content } = await toolbox.call('view_shared_context', {});
    expect(content).toMatch(/^Entries on the board: 2, newest first\.\n.*Go on\.\n.*Stop\.$/);
  });

  it('answer what they cannot do with an error (A78)', async () => {
    const { board, toolbox } = scheduler({ agents: () => names });
    const codeOf = async (name: string, input: unknown) =>
      (await toolbox.call(name, input)).failure?.code;
    const post = { context_type: 'status', content: 'x' };

    expect([
      await codeOf('broadcast_shared_context', { ...post, context_type: 'order' }),
      await codeOf('broadcast_shared_context', { ...post, target: 'cal' }),
      await codeOf('view_shared_context', 'all'),
    ]).toEqual(['tool_arguments_invalid', 'unknown_agent', 'tool_arguments_invalid']);
    board.turnOff();
    expect([
      await codeOf('broadcast_shared_context', post),
      await codeOf('view_shared_context', {}),
    ]).toEqual(['board_disabled', 'board_disabled']);
    expect(board.entries()).toEqual([]);
  });
});
