// Checks the profiles that agents name: where their code runs, what they may use, what is left of it below another agent.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSupervisor, type SupervisorOptions } from '#src/index.js';
import { delegate, handsTo } from './family.ts';
import { answered, calls, rejection, supervise, toolFixture, within } from './support.ts';

const fixtures = [toolFixture('contained'), toolFixture('attacks')];
const code = new URL('..', toolFixture('contained')).pathname;
const workspace = mkdtempSync(join(tmpdir(), 'troupe-profiles-'));
const profiles = {
  apart: { isolation: 'process', maxHeapMb: 64 },
  reader: { fs: { read: [code, workspace] } },
  writer: { fs: { read: [code], write: [workspace] } },
  offline: { net: 'none' },
} as const;
const options: Partial<SupervisorOptions> = { profiles, workspace, tools: fixtures };
const pid = calls(['act', { what: 'pid' }]);

const pidOf = ({ default: steps = [] }: typeof pid) => steps;

describe('a profile by its name', () => {
  it('gives one agent a process of its own, and leaves the others in threads', async () => {
    const script = { agents: { own: pidOf(pid), other: pidOf(pid) } };
    const agents = [{ name: 'own', profile: 'apart' }, { name: 'other' }];
    const { supervisor, model } = supervise(script, { ...options, agents });
    const pids: (string | undefined)[] = [];

    for (const agent of ['own', 'other']) {
      await within(supervisor.delegate({ goal: 'g', agent }), agent);
      pids.push(answered(model)[0]?.[0]);
    }

    expect(pids[0]).toMatch(/^\d+$/);
    expect(pids[0]).not.toBe(pids[1]);
    expect(pids[1]).toBe(`${process.pid}`);
  });

  it('is that of the task, where the task names one', async () => {
    const { supervisor, model } = supervise(pid, { ...options, agents: [{ name: 'a' }] });

    await within(supervisor.delegate({ goal: 'g', agent: 'a', profile: 'apart' }), 'the end');

    expect(answered(model)[0]?.[0]).not.toBe(`${process.pid}`);
  });

  it('is over those of all threads', async () => {
    const { supervisor, model } = supervise(calls(['act', { what: 'env' }]), {
      ...options,
      threads: { profile: { env: ['TROUPE_SEEN'] } },
    });
    process.env['TROUPE_SEEN'] = 'yes';

    await within(supervisor.delegate({ goal: 'g', profile: 'apart' }), 'the end');

    delete process.env['TROUPE_SEEN'];
    expect(answered(model)[0]?.[0]).toContain('TROUPE_SEEN');
  });

  it.each([
    ['a task', { profile: 'writr' }, {}],
    ['an agent', { agent: 'a' }, { agents: [{ name: 'a', profile: 'writr' }] }],
  ])('is refused in %s when there is none', async (_, task, more) => {
    const open = () => createSupervisor({ model: 'offline', logger: false, ...options, ...more });
    const refused = async () => {
      await using supervisor = open();
      return supervisor.delegate({ goal: 'g', ...task });
    };

    expect(await rejection(refused())).toMatchObject({
      code: 'unknown_profile',
      message: expect.stringContaining('"writer"'),
    });
  });

  it.each([
    ['a relative path', { fs: { read: ['data'] } }, 'absolute path'],
    ['programs beside bound files', { fs: 'none', child: true }, 'a program that is started'],
    ['flags', { execArgv: ['--allow-fs-read=*'] }, 'execArgv'],
    ['memory of a thread', { memoryMb: 256 }, 'memory of a thread'],
  ])('is refused with %s', (_, profile, text) => {
    const made = () =>
      createSupervisor({ model: 'offline', profiles: { p: profile } } as SupervisorOptions);

    expect(made).toThrow(expect.objectContaining({ code: 'invalid_options' }));
    expect(made).toThrow(text);
  });
});

it('a process keeps the working directory, but where files are bound', async () => {
  const bounds: SupervisorOptions['profiles'] = {
    loose: { isolation: 'process', child: false },
    bound: { fs: { read: [code] } },
  };
  const folders: (string | undefined)[] = [];
  for (const profile of ['loose', 'bound']) {
    const { supervisor, model } = supervise(calls(['act', { what: 'folder' }]), {
      ...options,
      profiles: bounds,
    });
    await within(supervisor.delegate({ goal: 'g', profile }), profile);
    folders.push(answered(model)[0]?.[0]);
  }

  expect(folders[0]).toBe(process.cwd());
  expect(folders[1]).not.toBe(process.cwd());
});

describe('what a profile takes away', () => {
  it.each([
    ['a tool by its name', { toolsets: ['file'], tools: ['write'], profile: 'reader' }, 'write in'],
    [
      'a toolset of which nothing is left',
      { toolsets: ['terminal'], profile: 'reader' },
      'start programs',
    ],
    ['the network', { toolsets: ['web'], profile: 'offline' }, 'lacks the network'],
  ])('refuses a task that needs %s, before it starts', async (_, task, text) => {
    const { supervisor, watch } = supervise({ default: [] }, { ...options, tools: [] });

    const error = await rejection(supervisor.delegate({ goal: 'g', ...task }));

    expect(error).toMatchObject({ code: 'profile_denied', message: expect.stringContaining(text) });
    expect(watch.of('task_started')).toEqual([]);
  });

  it('is left out of a toolset of which something stays, and the rest works', async () => {
    const script = calls(['list', {}]);
    const { supervisor, model, watch } = supervise(script, { ...options, tools: [] });

    await within(
      supervisor.delegate({ goal: 'g', toolsets: ['file'], profile: 'reader' }),
      'the end',
    );

    const names = model.requests()[0]?.tools.map(({ name }) => name);
    expect(names).toContain('read');
    expect(names).not.toContain('write');
    expect(answered(model)[0]?.[1]).toBe(false);
    expect(watch.of('log').map(({ message }) => message)).toContainEqual(
      expect.stringContaining('"write" was left out: its profile lacks the right to write in'),
    );
  });

  it('lets tools write where it may', async () => {
    const script = calls(['write', { path: 'new.txt', content: 'new' }]);
    const { supervisor, model } = supervise(script, { ...options, tools: [] });

    await within(
      supervisor.delegate({ goal: 'g', toolsets: ['file'], profile: 'writer' }),
      'the end',
    );

    expect(answered(model)[0]?.[1]).toBe(false);
  });
});

describe('below an agent with a profile', () => {
  const attack = (what: string, about: object) =>
    calls(['attack', { what, with: about }]).default ?? [];

  it.each([
    ['names none', undefined],
    ['names a wider one', 'apart'],
  ])('no agent has more rights, one that %s', async (_, profile) => {
    const agents = [
      { name: 'above', profile: 'reader' },
      { name: 'below', ...(profile === undefined ? {} : { profile }) },
    ];
    const secret = join(workspace, '..', 'secret');
    const script = {
      agents: {
        above: [handsTo('below'), { text: 'done' }],
        below: attack('reads a file by its path', { secret }),
      },
    };
    const { supervisor, model } = supervise(script, {
      ...options,
      agents,
      tools: [delegate, ...fixtures],
    });

    await within(supervisor.delegate({ goal: 'g', agent: 'above' }), 'the end');

    const texts = model.requests().flatMap(({ messages }) => JSON.stringify(messages.at(-1)));
    expect(texts.filter((text) => text.includes('refused: ERR_ACCESS_DENIED'))).toHaveLength(1);
  });

  it('says what it left out to the one that asked', async () => {
    const agents = [
      { name: 'above', profile: 'reader' },
      { name: 'below', profile: 'apart', toolsets: ['terminal'] },
    ];
    const script = {
      agents: { above: [handsTo('below'), { text: 'done' }], below: [{ text: 'below' }] },
    };
    const { supervisor, watch } = supervise(script, { ...options, agents, tools: [delegate] });

    await within(supervisor.delegate({ goal: 'g', agent: 'above' }), 'the end');

    expect(watch.of('log').map(({ message }) => message)).toContainEqual(
      expect.stringContaining(
        '"terminal" was left out: its profile lacks the right to start programs',
      ),
    );
  });
});

it('describes a module with the rights of the agent that needs it', async () => {
  const { supervisor } = supervise(
    { default: [] },
    { ...options, profiles: { blind: { fs: 'none' } }, tools: [toolFixture('attacks')] },
  );

  expect(await rejection(supervisor.delegate({ goal: 'g', profile: 'blind' }))).toMatchObject({
    code: 'tool_module_failed',
    message: expect.stringContaining('fs.read'),
  });
});
