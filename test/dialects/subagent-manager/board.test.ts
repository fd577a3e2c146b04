// Checks the board among running agents: told live to children, never to the main agent, kept out of every memory.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { childBoard } from '#src/dialects/subagent-manager/board-tools.js';
import { defineTool } from '#src/index.js';
import { supervise, within } from '../../supervisor/support.ts';
import { dialectTools } from '../../support/dialect-tools.ts';
import {
  blocksOf,
  linesOf,
  posts,
  requestsOf,
  step,
  waitsFor,
  withBoard,
} from './board-support.ts';

describe('a child', () => {
  it('sees in its next request what a sibling posts meanwhile, on the user’s side, and nothing remembers it (A65, A38)', async () => {
    const { supervisor, model, session, child } = withBoard({
      agents: {
        ada: [posts('status', 'ada is halfway'), { text: 'ada done' }],
        ben: [waitsFor('halfway'), { text: 'ben done' }],
      },
    });
    const ben = await within(supervisor.spawn(child('ben')), 'ben');

    const answer = ben.ask('Go.', { timeoutMs: 20_000 });
    await within(
      new Promise<void>((resolve) => {
        supervisor.on('tool_started', ({ name }) => name === 'wait_for' && resolve());
      }),
      'ben waiting',
    );
    await within(session.run({ goal: 'Work.', agent: child('ada') }), 'ada');
    await within(answer, 'ben’s answer');

    expect(blocksOf(model, 'ben').map(linesOf)).toEqual([[], ['ada -> all: ada is halfway']]);
    const [first, second] = requestsOf(model, 'ben');
    expect(second?.messages.at(-1)?.content.map(({ type }) => type)).toEqual([
      'tool_result',
      'text',
    ]);
    expect(second?.system).toBe(first?.system);
    expect(JSON.stringify(ben.history())).not.toContain('ada is halfway');
    expect(JSON.stringify(ben.history())).not.toContain('Shared Context');

    await within(ben.ask('Again.', { timeoutMs: 20_000 }), 'the second answer');
    // Each later request has the board once, as it stands then, and none an older one.
    expect(blocksOf(model, 'ben').slice(2).map(linesOf)).toEqual([
      ['ada -> all: ada is halfway'],
      ['ada -> all: ada is halfway'],
    ]);
    expect(new Set(requestsOf(model, 'ben').map(({ system }) => system)).size).toBe(1);
  });

  it('posts under its own name whomever it names, and is told so (A79)', async () => {
    const { model, session, board, child, watch } = withBoard({
      agents: {
        ada: [
          posts('message', 'I am ben', { sender: 'ben', target: 'cal' }),
          posts('status', 'busy', { sender: 'ada', target: 'ALL' }),
          { text: 'done' },
        ],
      },
    });

    await within(session.run({ goal: 'Work.', agent: child('ada') }), 'ada');

    expect(board.entries()).toMatchObject([
      { type: 'message', sender: 'ada', target: 'cal', content: 'I am ben' },
      { type: 'status', sender: 'ada', target: 'all', content: 'busy' },
    ]);
    const results = requestsOf(model, 'ada')
      .at(-1)
      ?.messages.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool_result' ? [block.content] : [])),
      );
    expect(results).toEqual([
      'Posted to cal as ada. You named "ben" as its sender: an agent posts under its own name only.',
      'Posted to all as ada.',
    ]);
    expect(watch.of('board_posted').map(({ sessionId, entry }) => [sessionId, entry])).toEqual(
      board.entries().map((entry) => ['s1', entry]),
    );
  });

  it('of a session without a board has neither the block nor the tool, also when it is turned off mid-run (A13, A39)', async () => {
    const { supervisor, model, session, board, child } = withBoard({
      agents: {
        ada: [posts('status', 'one'), posts('status', 'two'), { text: 'done' }],
        eve: [{ text: 'done' }],
      },
    });
    const ada = child('ada');
    supervisor.on('board_posted', () => board.turnOff());

    await within(session.run({ goal: 'Work.', agent: ada }), 'ada');
    await within(session.run({ goal: 'Work.', agent: child('eve') }), 'eve');

    expect(board.entries().map(({ content }) => content)).toEqual(['one']);
    expect(blocksOf(model, 'ada')).toEqual(['', '', '']);
    expect(requestsOf(model, 'ada').at(-1)?.messages.at(-1)?.content).toMatchObject([
      {
        type: 'tool_result',
        is_error: true,
        content: 'Tool "send_shared_context" failed: The board of this session is turned off.',
      },
    ]);
    expect(requestsOf(model, 'ada')[0]?.tools.map(({ name }) => name)).toContain(
      'send_shared_context',
    );
    expect(requestsOf(model, 'eve')[0]?.tools.map(({ name }) => name)).toEqual(['wait_for']);
    expect(blocksOf(model, 'eve')).toEqual(['']);
  });

  it('of another session gets no tool and no block (A19)', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'done' }] });
    const [one, two] = [supervisor.session('s1'), supervisor.session('s2')];
    one.board.turnOn();
    one.board.post({ type: 'system', content: 'For s1 only.' });

    for (const [session, name] of [[one, 'first'] as const, [two, 'second'] as const]) {
      const agent = { name, tools: [], ...childBoard({ board: session.board }) };
      await within(session.run({ goal: 'Work.', agent }), name);
    }

    expect(linesOf(blocksOf(model, 'first')[0])).toEqual(['System -> all: For s1 only.']);
    expect(blocksOf(model, 'second')).toEqual(['']);
    const tools = model.requests().map((request) => request.tools.map(({ name }) => name));
    expect(tools).toEqual([['send_shared_context'], []]);
  });
});

describe('a child below an agent of the tree', () => {
  it('has the board and the tool to post, which its caller lacks, and no other tool that its caller lacks (A39, A65, X7)', async () => {
    const { model, session, board, child } = withBoard({
      agents: {
        lead: [step('hand_over'), { text: 'led' }],
        ada: [posts('status', 'ada is at it'), { text: 'ada done' }],
      },
    });
    const handOver = defineTool({
      name: 'hand_over',
      description: 'Runs ada.',
      input: z.object({}),
      async run(_input, tool) {
        const agent = { ...child('ada'), grantedTools: ['wait_for'] };
        const [outcome] = await tool.delegate([{ goal: 'Work.', agent }]);
        return outcome?.text;
      },
    });

    const lead = { name: 'lead', tools: [], ownTools: [handOver] };
    await within(session.run({ goal: 'Lead.', agent: lead }), 'the lead');

    expect(requestsOf(model, 'ada')[0]?.tools.map(({ name }) => name)).toEqual([
      'send_shared_context',
    ]);
    expect(blocksOf(model, 'ada').map(linesOf)).toEqual([[], ['ada -> all: ada is at it']]);
    expect(blocksOf(model, 'lead')).toEqual(['', '']);
    expect(board.entries()).toMatchObject([{ sender: 'ada' }]);
  });
});

describe('children of the other dialects', () => {
  it.each([
    ['agent', 'Agent', { description: 'a task', prompt: 'Work.' }],
    ['task', 'task', { description: 'a task', prompt: 'Work.', subagent_type: 'worker' }],
    ['delegate-task', 'delegate_task', { goal: 'Work.' }],
  ] as const)(
    'are told nothing of a board that is on (%s) (X14, A69)',
    async (dialect, tool, input) => {
      const agents = [{ name: 'worker', description: 'Works.', tools: [] }];
      const { model, session, board } = withBoard({ default: [{ text: 'done' }] }, { agents });
      board.post({ type: 'system', content: 'For subagents of the manager.' });

      const result = await within(
        session.tools(dialectTools(dialect)).call(tool, input),
        'the result',
      );

      expect(result.isError).toBe(false);
      expect(model.requests()).toHaveLength(1);
      expect(JSON.stringify(model.requests())).not.toContain('For subagents of the manager.');
      expect(JSON.stringify(model.requests())).not.toContain('shared_context');
    },
  );
});
