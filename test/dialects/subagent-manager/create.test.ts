// Checks creating agents: names, quota, what a refused creation leaves, the tool that is there at once, static agents.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { subagentTools } from '#src/dialects/subagent-manager/index.js';
import { defineTool } from '#src/index.js';
import { directed } from '../../support/directed.ts';
import { folder, on, rig, rigInManualTime } from './rig.ts';

const tools = ['search', 'astrbot_execute_shell', 'create_subagent'].map((name) =>
  defineTool({ name, description: name, input: z.object({}), run: () => name }),
);
const offeredTo = (request: { tools: readonly { name: string }[] } | undefined) =>
  request?.tools.map(({ name }) => name);

describe('create_subagent', () => {
  it('takes these parameters, of which name and system_prompt are needed (A27)', () => {
    const { tools: box } = rig();
    const schema = box.definitions.jsonSchema.find(
      ({ name }) => name === 'create_subagent',
    )?.schema;

    expect(Object.keys(schema?.['properties'] ?? {})).toEqual([
      'name',
      'system_prompt',
      'tools',
      'skills',
      'workdir',
      'provider_id',
    ]);
    expect(schema?.['required']).toEqual(['name', 'system_prompt']);
  });

  it('offers a tool that can be called at once, several made in one message too (A24, A25, A32, A36)', async () => {
    const { create, hand, offered, manager } = rig();
    const before = offered();

    const made = await Promise.all([create('ada'), create('ben')]);
    const answers = await Promise.all([hand('ada', 'a'), hand('ben', 'b')]);

    expect(made.map(([text]) => text.split('\n')[0])).toEqual([
      '__DYNAMIC_TOOL_CREATED__:transfer_to_ada:ada',
      '__DYNAMIC_TOOL_CREATED__:transfer_to_ben:ben',
    ]);
    expect(made[0]?.[0]).toMatch(/Hand it work with transfer_to_ada/);
    expect(offered().filter((name) => !before.includes(name))).toEqual([
      'transfer_to_ada',
      'transfer_to_ben',
    ]);
    expect(answers).toEqual([
      ['a done', false],
      ['b done', false],
    ]);
    const pair = await manager.create({ name: 'cleo' });
    expect(pair.toolName).toBe('transfer_to_cleo');
    expect(pair.tool.name).toBe('transfer_to_cleo');
    expect(manager.agents().map(({ name }) => name)).toEqual(['ada', 'ben', 'cleo']);
  });

  it.each(['a', 'A1_b', `x${'y'.repeat(31)}`])('takes the name %j (A28)', async (name) => {
    const { create } = rig();
    expect((await create(name))[1]).toBe(false);
  });

  it('refuses other names with a result, and nothing of them is there (A28, A29)', async () => {
    const { create, manager, offered } = rigInManualTime();
    const before = [manager.snapshot(), offered()];
    const bad = ['', '1a', 'a-b', 'a b', 'ä', `x${'y'.repeat(32)}`, '_a', '../up', 'all', 'System'];

    for (const name of [...bad, 'CON', 'nul', 'com1', 'LPT9', 'Aux']) {
      const [text, isError] = await create(name);
      expect([name, isError, text]).toEqual([
        name,
        true,
        expect.stringMatching(/^error: subagent/),
      ]);
    }

    expect([manager.snapshot(), offered()]).toEqual(before);
  });

  it('refuses a new name at the cap, static agents counted, and takes a known one (A6, A26, A30, X2)', async () => {
    const agents = [{ name: 'one' }, { name: 'two' }];
    const { create, manager, model } = rigInManualTime({}, { config: { ...on, agents } });

    const first = await create('ada');
    const before = manager.snapshot();
    const second = await create('ben');

    expect(first[1]).toBe(false);
    expect(second).toEqual([expect.stringMatching(/3 subagents, the limit is 3/), true]);
    expect(manager.snapshot()).toEqual(before);
    const again = await create('ada', { system_prompt: 'You are anew.' });
    expect(again[1]).toBe(false);
    expect(manager.find('ada')?.made.config.systemPrompt).toBe('You are anew.');
    expect(model.requests()).toEqual([]);
  });

  it('keeps the cap when several are asked for in one message (A6)', async () => {
    const { create, manager } = rig();

    const made = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => create(name)));

    expect(made.map(([, isError]) => isError)).toEqual([false, false, false, true, true]);
    expect(manager.agents()).toHaveLength(3);
  });

  it('refuses tools, skills and providers that are not there, and leaves no trace (A26)', async () => {
    const providerOf = (id: string) => (id === 'known' ? 'offline' : undefined);
    const { create, manager, offered } = rigInManualTime({}, { options: { providerOf } });
    const before = [manager.snapshot(), offered()];

    const results = [
      await create('ada', { tools: ['nowhere'] }),
      await create('ada', { skills: ['nothing'] }),
      await create('ada', { provider_id: 'nobody' }),
      await create('ada', { tools: 'search' }),
      await create('ada', { system_prompt: null }),
    ];

    expect(results.map(([, isError]) => isError)).toEqual(Array(5).fill(true));
    expect(results.map(([text]) => text).join('\n')).toMatch(/nowhere[\s\S]*nothing[\s\S]*nobody/);
    expect([manager.snapshot(), offered()]).toEqual(before);
  });

  it('refuses to define a running agent anew, and one of the operator (A30)', async () => {
    const config = { ...on, agents: [{ name: 'one' }] };
    const { create, send, session } = rig({ long: [{ hang: true }] }, { config });
    await create('ada');
    await send('ada', 'long');

    expect((await create('ada'))[0]).toMatch(/is running/);
    expect((await create('one'))[0]).toMatch(/configured by the operator/);
    await session.reset();
  });

  it('keeps an agent protected that is defined anew (A30, A73)', async () => {
    const { create, manager } = rig();
    await create('ada');
    manager.setProtected('ada', true);

    await create('ada', { system_prompt: 'You are anew.' });

    expect(manager.isProtected('ada')).toBe(true);
  });

  it('drops what is blacklisted without a word and adds what everybody has (A31, A10, A39)', async () => {
    const { create, hand, call, model } = rig({}, { supervisor: { tools } });

    const [, isError] = await create('ada', { tools: ['search', 'create_subagent'] });
    await hand('ada', 'go');

    expect(isError).toBe(false);
    expect((await call('list_subagents'))[0]).toMatch(/- ada: .*tools: search$/);
    expect(offeredTo(model.requests('go')[0])).toEqual(['search', 'astrbot_execute_shell']);
  });

  it('registered tools show in agents created afterwards only (A18)', async () => {
    const { create, hand, model, manager } = rig({}, { supervisor: { tools } });
    await create('ada', { tools: [] });
    manager.settings.registerInherentTool('search');
    manager.settings.registerBlacklistedTool('astrbot_execute_shell');
    await create('ben', { tools: [] });

    await hand('ada', 'a');
    await hand('ben', 'b');

    expect(offeredTo(model.requests('a')[0])).toEqual(['astrbot_execute_shell']);
    expect(offeredTo(model.requests('b')[0])).toEqual(['search']);
  });

  it('asks for the provider of an agent by its id, and takes the main agent’s without one (A40)', async () => {
    const asked: string[] = [];
    const other = directed({});
    const providerOf = (id: string) => {
      asked.push(id);
      return other;
    };
    const { create, hand, model } = rig({}, { options: { providerOf } });
    await create('ada', { provider_id: 'special' });
    await create('ben');

    await hand('ada', 'a');
    await hand('ben', 'b');

    expect(new Set(asked)).toEqual(new Set(['special']));
    expect(other.requests().length).toBe(1);
    expect(model.requests().length).toBe(1);
  });

  it('gives the folder that was asked for, or one of its own with a word why (A58, A62, A63)', async () => {
    const wanted = folder();
    const root = folder();
    const options = { workspacesRoot: root, workdirs: [wanted] };
    const { create, hand, model } = rig({}, { options });

    const given = await create('ada', { workdir: wanted });
    const refused = await create('ben', { workdir: '/etc' });
    await hand('ada', 'a');
    await hand('ben', 'b');

    expect(given[0]).not.toMatch(/is not used/);
    expect(refused).toEqual([expect.stringMatching(/"\/etc" is not used/), false]);
    expect(model.requests('a')[0]?.system).toContain(`# Working Directory\n\n${wanted}`);
    const own = join(root, 'chat', 'ben');
    expect(model.requests('b')[0]?.system).toContain(`# Working Directory\n\n${own}`);
  });

  it.each(['/', '/usr', tmpdir()])(
    'lets no model leave the workspace by a workdir %s (A62)',
    async (workdir) => {
      const { create, manager, workspace } = rig();

      const [answer] = await create('ada', { workdir });
      const { warning } = await manager.create({
        name: 'ben',
        systemPrompt: '',
        workdir: folder(),
      });

      expect(answer).toContain(`${JSON.stringify(workdir)} is not used`);
      expect(answer).toContain(join(workspace, 'chat', 'ada'));
      // What the program itself names is its own choice.
      expect(warning).toBeUndefined();
    },
  );
});

describe('agents of the operator', () => {
  const agents = [
    { name: 'scout', public_description: 'Looks around.', persona_id: 'p', enabled: true },
    { name: 'sleeper', public_description: 'Sleeps.', enabled: false },
  ];
  const personaOf = (id: string) =>
    id === 'p'
      ? {
          systemPrompt: 'You scout.',
          tools: ['search'],
          examples: [
            { role: 'user' as const, content: 'Where?' },
            { role: 'assistant' as const, content: 'Here.' },
          ],
        }
      : undefined;

  it('have a handoff tool of their description each, those that are enabled (A4, A33)', async () => {
    const config = { enabled: true, agents };
    const {
      tools: box,
      hand,
      model,
    } = rig({}, { config, options: { personaOf }, supervisor: { tools } });

    const handoffs = box.definitions.anthropic.filter(({ name }) => name.startsWith('transfer'));
    const answer = await hand('scout', 'go');

    expect(handoffs).toMatchObject([{ name: 'transfer_to_scout', description: 'Looks around.' }]);
    expect(answer).toEqual(['go done', false]);
    const [request] = model.requests('go');
    expect(request?.system).toMatch(/You are the agent scout[\s\S]*You scout\./);
    expect(request?.messages).toHaveLength(3);
  });

  it('survive the end of a run and registering anew, with what they remember (A33, A71, A73)', async () => {
    const config = { ...on, agents };
    const { hand, session, manager, offered } = rig(
      {},
      { config, options: { personaOf }, supervisor: { tools } },
    );
    await hand('scout', 'one');

    const end = session.endRun();
    session.tools(subagentTools(session, { config }));

    expect(end).toMatchObject({ removed: [], kept: ['scout'] });
    expect(manager.isProtected('scout')).toBe(true);
    expect(manager.history('scout')).toHaveLength(2);
    expect(manager.status('scout')).toBe('COMPLETED');
    session.tools(subagentTools(session, { config: { ...config, agents: [] } }));
    expect(offered()).not.toContain('transfer_to_scout');
  });

  it('take their tools from the main agent where that is configured, and no others (A2)', async () => {
    const mine = [{ name: 'search' }, { name: 'other' }, { name: 'transfer_to_scout' }];
    const config = { ...on, agents, removeDuplicateTools: true };
    const setup = { config, options: { personaOf }, supervisor: { tools } };
    const { manager, create } = rig({}, setup);
    await create('ada', { tools: ['astrbot_execute_shell'] });

    expect(manager.mainTools(mine)).toEqual([{ name: 'other' }, { name: 'transfer_to_scout' }]);
    expect(manager.mainTools([{ name: 'astrbot_execute_shell' }])).toHaveLength(1);
    manager.configure({ ...config, removeDuplicateTools: false });
    expect(manager.mainTools(mine)).toEqual(mine);
  });
});
