// Checks calls of `delegate_task`: what a child sees, what comes back, in which order, and what of siblings that fail.
import { describe, expect, it } from 'vitest';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { temporaryFolder } from '../../fixtures/tool-context.ts';
import { gate, within } from '../../supervisor/support.ts';
import { directing, envelopeIn, resultsIn, toolsOf } from '../../support/directed.ts';

const batch = (...goals: readonly string[]) => ({ tasks: goals.map((goal) => ({ goal })) });

/** A parent of the tree that makes one call and then sums up. */
const parentCalls = (input: unknown) => ({
  plan: [
    { text: 'handing over', calls: [['delegate_task', input] as const] },
    { text: 'summed up' },
  ],
});

describe('delegate_task', () => {
  it('starts a child from nothing but its built prompt and its goal (C3, C4)', async () => {
    const { supervisor, model } = directing(
      parentCalls({ goal: 'part', context: 'The file is a.txt.' }),
      { tools: [delegateTaskTool()] },
    );

    await within(supervisor.delegate({ goal: 'plan', context: 'a secret plan' }), 'the outcome');

    const [request] = model.requests('part');
    expect(request?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'part' }] },
    ]);
    expect(request?.system).toContain('# Your Task\n\npart');
    expect(request?.system).toContain('# Context\n\nThe file is a.txt.');
    for (const asked of [/what you did/, /what you found/, /files you created/, /problems/]) {
      expect(request?.system).toMatch(asked);
    }
    expect(JSON.stringify(request)).not.toMatch(/secret plan|handing over/);
  });

  it.each([undefined, '', '   '])(
    'has no word of a context when it is %j (C4)',
    async (context) => {
      const { supervisor, model } = directing({});
      const tools = supervisor.session('chat').tools(delegateTaskTool());

      await within(tools.call('delegate_task', { goal: 'part', context }), 'the result');

      expect(model.requests('part')[0]?.system).not.toContain('# Context');
    },
  );

  it('answers its parent with the summaries alone, once every child has ended (C5, C9)', async () => {
    const { supervisor, model, watch } = directing(parentCalls(batch('one', 'two')), {
      tools: [delegateTaskTool()],
    });

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    const after = model.requests('plan')[1];
    expect(after?.messages).toHaveLength(3);
    const [[text, isError] = ['', true]] = resultsIn(after);
    expect(isError).toBe(false);
    expect(envelopeIn({ content: text, isError }).results.map(({ summary }) => summary)).toEqual([
      'one done',
      'two done',
    ]);
    const second = watch.of('turn_started').find(({ turn, depth }) => turn === 2 && depth === 0);
    const ends = watch.of('task_completed').filter(({ depth }) => depth === 1);
    expect(ends).toHaveLength(2);
    for (const end of ends) expect(end.seq).toBeLessThan(second?.seq ?? 0);
  });

  it('answers a single task with the envelope of a batch of one (C7)', async () => {
    const { supervisor } = directing({});
    const tools = supervisor.session('chat').tools(delegateTaskTool());

    const single = envelopeIn(await within(tools.call('delegate_task', { goal: 'a' }), 'one'));
    const many = envelopeIn(await within(tools.call('delegate_task', batch('a')), 'batch'));

    expect(Object.keys(single)).toEqual(Object.keys(many));
    expect(Object.keys(single.results[0] ?? {})).toEqual(Object.keys(many.results[0] ?? {}));
    expect(single.results).toMatchObject([{ task_index: 0, summary: 'a done' }]);
  });

  it('keeps the order of the input, whichever child ends first (C8)', async () => {
    const { opened, open } = gate();
    const { supervisor, watch } = directing({ slow: [{ after: opened, text: 'slow done' }] });
    supervisor.on('task_completed', () => open());
    const tools = supervisor.session('chat').tools(delegateTaskTool());

    const result = await within(tools.call('delegate_task', batch('slow', 'fast')), 'the result');

    expect(envelopeIn(result).results).toMatchObject([
      { task_index: 0, summary: 'slow done' },
      { task_index: 1, summary: 'fast done' },
    ]);
    expect(watch.of('task_completed').map(({ outcome }) => outcome.text)).toEqual([
      'fast done',
      'slow done',
    ]);
  });

  it('refuses a batch beyond the limit whole, naming both numbers (C11)', async () => {
    const wide = directing({});
    const own = directing({}, { limits: { maxConcurrentChildren: 10 } });
    const goals = batch('a', 'b', 'c', 'd');

    const bySupervisor = await within(
      wide.supervisor.session('chat').tools(delegateTaskTool()).call('delegate_task', goals),
      'the result',
    );
    const byOptions = await within(
      own.supervisor
        .session('chat')
        .tools(delegateTaskTool({ maxConcurrentChildren: 2 }))
        .call('delegate_task', goals),
      'the result',
    );

    expect(bySupervisor).toMatchObject({
      isError: true,
      failure: { code: 'max_concurrent_children' },
    });
    expect(bySupervisor.content).toMatch(/4 tasks in one call, the limit is 3/);
    expect(byOptions.content).toMatch(/4 tasks in one call, the limit is 2/);
    expect([...wide.model.requests(), ...own.model.requests()]).toEqual([]);
  });

  it('lets a child fail beside its siblings, never more at once than the limit (C12, C13)', async () => {
    const { opened: after, open } = gate();
    const { supervisor, watch } = directing({
      a: [{ after, text: 'a done' }],
      bad: [{ after, fail: 'the provider is down' }],
      c: [{ after, text: 'c done' }],
    });
    supervisor.on('turn_started', () => {
      if (watch.of('turn_started').length === 3) open();
    });
    const tools = supervisor.session('chat').tools(delegateTaskTool());

    const { results } = envelopeIn(
      await within(tools.call('delegate_task', batch('a', 'bad', 'c')), 'the result'),
    );

    expect(results.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);
    expect(results[1]?.error).toMatchObject({ code: 'model_failed' });
    let live = 0;
    let max = 0;
    for (const { type } of watch.events) {
      if (type === 'agent_started') live += 1;
      if (type === 'agent_stopped') live -= 1;
      max = Math.max(max, live);
    }
    expect(max).toBe(3);
  });

  it('gives each child a shell of its own (C6)', async () => {
    const terminal = (command: string) => [['terminal', { command }]] as const;
    const { supervisor, model } = directing(
      {
        one: [
          { calls: terminal('mkdir -p x; cd x; A=1; pwd') },
          { calls: terminal('pwd') },
          { text: 'ok' },
        ],
        two: [{ calls: terminal('pwd; echo "A=$A"') }, { text: 'ok' }],
      },
      { workspace: temporaryFolder() },
    );
    const dialect = delegateTaskTool({ toolsets: ['terminal'] });
    const tools = supervisor.session('chat').tools(dialect);

    await within(tools.call('delegate_task', { goal: 'one', toolsets: ['terminal'] }), 'one');
    await within(tools.call('delegate_task', { goal: 'two', toolsets: ['terminal'] }), 'two');

    const [kept] = resultsIn(model.requests('one')[2]) ?? [];
    const [fresh] = resultsIn(model.requests('two')[1]) ?? [];
    expect(kept?.[0]).toMatch(/\/x\b/);
    expect(fresh?.[0]).not.toMatch(/\/x\b/);
    expect(fresh?.[0]).toMatch(/A=\s*$/m);
  });

  it('counts a child’s turns for itself (C20)', async () => {
    const { supervisor } = directing(
      {
        ...parentCalls({ goal: 'long' }),
        long: [{ calls: [['nope', {}]] }, { calls: [['nope', {}]] }, { text: 'long done' }],
      },
      { tools: [delegateTaskTool()] },
    );

    const outcome = await within(supervisor.delegate({ goal: 'plan', maxTurns: 2 }), 'it');

    expect([outcome.exitReason, outcome.text, outcome.turns]).toEqual(['goal', 'summed up', 2]);
    expect(outcome.usage.own.modelCalls).toBe(2);
    expect(outcome.usage.subtree.modelCalls).toBe(5);
  });

  it('tells the model when to delegate, when not, and what a script does better (C49)', async () => {
    const { supervisor } = directing({});
    const { anthropic } = supervisor.session('chat').tools(delegateTaskTool()).definitions;

    const [tool] = anthropic;

    expect(tool?.name).toBe('delegate_task');
    for (const expected of [/reasoning/, /Do not use it/, /script/, /at the same time/]) {
      expect(tool?.description).toMatch(expected);
    }
  });

  it('says the limits that its options set in its own words, and none that only the supervisor knows (C49)', () => {
    const limited = delegateTaskTool({ maxConcurrentChildren: 4, maxSpawnDepth: 2 });

    expect(limited.description).toMatch(/At most 4 tasks in one call, .*down to depth 2\.$/);
    expect(delegateTaskTool().description).not.toMatch(/At most|depth/);
  });

  it('answers wrong arguments by an error that names them, and starts nothing', async () => {
    const { supervisor, model } = directing({});
    const tools = supervisor.session('chat').tools(delegateTaskTool());

    const results = [
      await within(tools.call('delegate_task', { tasks: 'everything' }), 'a text'),
      await within(tools.call('delegate_task', { tasks: [null] }), 'a null'),
      await within(tools.call('delegate_task', { goal: 'a', toolsets: ['filez'] }), 'a toolset'),
    ];

    expect(results.map(({ isError }) => isError)).toEqual([true, true, true]);
    expect(results.map(({ content }) => content).join('\n')).toMatch(
      /tasks: expected a list[\s\S]*tasks\[0\]: expected an object[\s\S]*no toolset "filez".* file, todo, terminal, web/,
    );
    expect(model.requests()).toEqual([]);
  });

  it('gives the toolsets that were asked for, those of its options without a word, none for an empty list (C14)', async () => {
    const { supervisor, model } = directing({});
    const toolsets = ['terminal', 'file', 'web'];
    const tools = supervisor.session('chat').tools(delegateTaskTool({ toolsets }));

    for (const [goal, asked] of Object.entries({
      all: undefined,
      none: [],
      file: ['file'],
      terminal: ['terminal'],
      both: ['terminal', 'file'],
      web: ['web'],
    })) {
      await within(tools.call('delegate_task', { goal, toolsets: asked }), goal);
    }

    const file = ['list', 'glob', 'read', 'grep', 'edit', 'apply_patch', 'write'];
    expect(toolsOf(model, 'file')).toEqual(expect.arrayContaining(file));
    expect(toolsOf(model, 'terminal')).toEqual(['terminal']);
    expect(toolsOf(model, 'both')).toHaveLength((toolsOf(model, 'file')?.length ?? 0) + 1);
    expect(toolsOf(model, 'web')).toContain('web_fetch');
    expect(toolsOf(model, 'none')).toEqual([]);
    expect(toolsOf(model, 'all')?.length).toBe(
      (toolsOf(model, 'both')?.length ?? 0) + (toolsOf(model, 'web')?.length ?? 0),
    );
  });
});
