// Checks the board among running agents: told live to children, never to the main agent, kept out of every memory.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { childBoard } from '#src/dialects/subagent-manager/board-tools.js';
import { defineTool } from '#src/index.js';
import { temporaryFolder } from '../../fixtures/tool-context.ts';
import { supervise, within } from '../../supervisor/support.ts';
import {
  blocksOf,
  linesOf,
  mainAgent,
  posts,
  requestsOf,
  step,
  waitsFor,
  withBoard,
} from './board-support.ts';

describe('a child', () => {
  it('A65 A38 sees in its next request what a sibling posts meanwhile, on the user’s side, and nothing remembers it', async () => {
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

  it('A79 posts under its own name whomever it names, and is told so', async () => {
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

  it('A13 A39 of a session without a board has neither the block nor the tool, also when it is turned off mid-run', async () => {
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

  it('A19 of another session gets no tool and no block', async () => {
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
  it('A39 A65 X7 has the board and the tool to post, which its caller lacks, and no other tool that its caller lacks', async () => {
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
    'X14 A69 are told nothing of a board that is on (%s)',
    async (dialect, tool, input) => {
      const agents = [{ name: 'worker', description: 'Works.', tools: [] }];
      const { model, session, board } = withBoard({ default: [{ text: 'done' }] }, { agents });
      board.post({ type: 'system', content: 'For subagents of the manager.' });

      const result = await within(session.tools({ dialect }).call(tool, input), 'the result');

      expect(result.isError).toBe(false);
      expect(model.requests()).toHaveLength(1);
      expect(JSON.stringify(model.requests())).not.toContain('For subagents of the manager.');
      expect(JSON.stringify(model.requests())).not.toContain('shared_context');
    },
  );
});

describe('agents of a session', () => {
  it('A84 A69 A78 work together over the board, of which the main agent sees nothing but by its view', async () => {
    const { model, session, board, child } = withBoard({
      agents: {
        ada: [
          posts('status', 'ada has drafted'),
          posts('message', 'Ben, is it fine?', { target: 'ben' }),
          waitsFor('It is fine, Ada.'),
          { text: 'ada done' },
        ],
        ben: [
          waitsFor('is it fine?'),
          posts('message', 'It is fine, Ada.', { target: 'ada' }),
          posts('status', 'ben has checked'),
          { text: 'ben done' },
        ],
        cal: [{ text: 'cal done' }],
        main: [
          step('run_children', { names: ['ada', 'ben'] }),
          step('broadcast_shared_context', { context_type: 'system', content: 'Finish now.' }),
          step('run_children', { names: ['cal'] }),
          step('view_shared_context'),
          { text: 'all done' },
        ],
      },
    });
    const main = mainAgent(session, [child('ada'), child('ben'), child('cal')]);

    const outcome = await within(session.run(main), 'the main agent');

    expect(outcome.text).toBe('all done');
    expect(linesOf(blocksOf(model, 'ben')[1])).toContain('ada -> ben: Ben, is it fine?');
    expect(linesOf(blocksOf(model, 'ada').at(-1))).toContain('ben -> ada: It is fine, Ada.');
    expect(linesOf(blocksOf(model, 'cal')[0])).toEqual([
      'System -> all: Finish now.',
      'ada -> ben: Ben, is it fine?',
      'ben -> ada: It is fine, Ada.',
      'ada -> all: ada has drafted',
      'ben -> all: ben has checked',
    ]);
    expect(board.entries()[4]).toMatchObject({ type: 'system', sender: 'System', target: 'all' });
    const mains = requestsOf(model, 'main');
    expect(mains).toHaveLength(5);
    expect(blocksOf(model, 'main')).toEqual(['', '', '', '', '']);
    expect(JSON.stringify(mains.slice(0, 4))).not.toContain('drafted');
    expect(JSON.stringify(mains[4]?.messages.at(-1))).toContain('ada has drafted');
    expect(mains[0]?.tools.map(({ name }) => name).sort()).toEqual([
      'broadcast_shared_context',
      'run_children',
      'view_shared_context',
    ]);
  });

  it('A86 X5 leave files in the background and say where, which a later one sees in its first request and reads', async () => {
    const workspace = temporaryFolder();
    const writes = (name: string) => [
      step('write', { path: `${name}.md`, content: `findings of ${name}` }),
      posts('status', `${name}'s report is in ${join(workspace, `${name}.md`)}`),
      { text: `${name} done` },
    ];
    const { model, session, child } = withBoard({
      agents: {
        ada: writes('ada'),
        ben: writes('ben'),
        sum: [
          {
            toolCalls: ['ada', 'ben'].map((name) => ({
              name: 'read',
              input: { path: join(workspace, `${name}.md`) },
            })),
          },
          { text: 'summed up' },
        ],
      },
    });
    const files = { tools: [], toolsets: ['file'] };

    const workers = ['ada', 'ben'].map((name) =>
      session.start({ goal: 'Search.', workspace, agent: child(name, files) }),
    );
    await within(Promise.all(workers.map((worker) => worker.result())), 'the workers');
    await within(
      session.run({ goal: 'Sum up.', workspace, agent: child('sum', files) }),
      'the summariser',
    );

    const [first, second] = requestsOf(model, 'sum');
    expect([...linesOf(blocksOf(model, 'sum')[0])].sort()).toEqual(
      ['ada', 'ben'].map(
        (name) => `${name} -> all: ${name}'s report is in ${join(workspace, `${name}.md`)}`,
      ),
    );
    expect(first?.messages).toHaveLength(1);
    expect(JSON.stringify(second?.messages)).toContain('findings of ada');
    expect(JSON.stringify(second?.messages)).toContain('findings of ben');
    expect(existsSync(join(workspace, 'ada.md'))).toBe(true);
  });
});
