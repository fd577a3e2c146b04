// Checks which tools a child gets: toolsets of every kind, grants beside them, groups that are denied (C14, X7, X19).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  capabilityTags,
  defineTool,
  type SupervisorOptions,
  subagentDenyList,
} from '#src/index.js';
import { closeDeadlineMs } from '#src/tasks/open-toolsets.js';
import { answered, calls, gate, supervise, superviseInManualTime, within } from './support.ts';

const search = async (query: string) => [
  { title: `about ${query}`, url: 'https://example.com/', snippet: 'words' },
];

const named = (name: string, tags: readonly string[] = []) =>
  defineTool({ name, description: name, input: z.object({}), tags, run: () => name });

async function toolsOf(task: object, options: Partial<SupervisorOptions> = {}) {
  const { supervisor, model } = supervise({ default: [{ text: 'done' }] }, options);
  await within(supervisor.delegate({ goal: 'a', ...task }), 'the outcome');
  return model.requests()[0]?.tools.map(({ name }) => name);
}

const file = ['list', 'glob', 'read', 'grep', 'edit', 'apply_patch', 'write'];

type How = { readonly force: boolean };

/** A toolset that hears that it is to close, and never does. */
function stuck(onClose: (how: How) => void) {
  const add = named('add');
  const close = (how: How): Promise<void> => {
    onClose(how);
    return new Promise<void>(() => {});
  };
  return {
    name: 'maths',
    description: 'Sums.',
    tools: [add],
    open: () => ({ tools: [add], close }),
  };
}

describe('the toolsets of a child', () => {
  it.each([
    [
      ['terminal', 'file'],
      [...file, 'terminal'],
    ],
    [['web'], ['web_fetch', 'web_search']],
    [
      ['terminal', 'file', 'web'],
      [...file, 'terminal', 'web_fetch', 'web_search'],
    ],
    [['file'], file],
    [['terminal'], ['terminal']],
    [[], []],
  ])('%j is the union of its groups, in a stable order (C14)', async (toolsets, expected) => {
    expect(await toolsOf({ toolsets }, { web: { search } })).toEqual(expected);
  });

  it('offers no search without a provider', async () => {
    expect(await toolsOf({ toolsets: ['web'] })).toEqual(['web_fetch']);
  });

  it('searches by the provider of the program', async () => {
    const { supervisor, model } = supervise(calls(['web_search', { query: 'actors' }]), {
      web: { search },
    });

    await within(supervisor.delegate({ goal: 'a', toolsets: ['web'] }), 'the outcome');

    expect(answered(model)).toEqual([
      ['1. about actors\n   https://example.com/\n   words', false],
    ]);
  });

  it('says that a provider answered nonsense', async () => {
    const { supervisor, model } = supervise(calls(['web_search', { query: 'a' }]), {
      web: { search: async () => 'nothing like hits' as never },
    });

    await within(supervisor.delegate({ goal: 'a', toolsets: ['web'] }), 'the outcome');

    expect(answered(model)).toEqual([[expect.stringContaining('the search answered'), true]]);
  });

  it('that cannot close is reported, and delays no agent', async () => {
    const close = (): Promise<never> => Promise.reject(new Error('the disk is gone'));
    const tools = [named('add')];
    const toolset = { name: 'notes', description: 'Notes.', tools, open: () => ({ tools, close }) };
    const { supervisor, watch } = supervise(calls('add'), { toolsets: [toolset] });

    const outcome = await within(supervisor.delegate({ goal: 'a', toolsets: ['notes'] }), 'it');
    await within(supervisor.close(), 'close');

    expect(outcome.status).toBe('completed');
    expect(watch.of('log')).toMatchObject([
      { level: 'error', failure: { code: 'tool_failed', message: 'the disk is gone' } },
    ]);
  });

  it('that never closes after its agent is hurried at the deadline, told at the next, and let go', async () => {
    const asked: boolean[] = [];
    const [gently, hurried] = [gate(), gate()];
    const toolset = stuck((how) => {
      asked.push(how.force);
      (how.force ? hurried : gently).open();
    });
    const { supervisor, watch, clock } = superviseInManualTime(calls('add'), {
      toolsets: [toolset],
    });
    await within(supervisor.delegate({ goal: 'a', toolsets: ['maths'] }), 'the outcome');
    await within(gently.opened, 'the word to close');

    await clock.advance(closeDeadlineMs);
    await within(hurried.opened, 'the word to hurry');
    await clock.advance(closeDeadlineMs);
    await within(supervisor.close(), 'close');

    expect(asked).toEqual([false, true]);
    expect(watch.of('log')).toMatchObject([{ failure: { code: 'shutdown_timeout' } }]);
  });

  it('that never closes is told and left after its deadline, and nothing else waits', async () => {
    const hurried = gate();
    const toolset = stuck((how) => {
      if (how.force) hurried.open();
    });
    const { supervisor, watch, clock } = superviseInManualTime(calls('add'), {
      toolsets: [toolset],
    });

    const outcome = await within(
      supervisor.delegate({ goal: 'a', toolsets: ['maths'] }),
      'the outcome',
    );
    const closed = supervisor.close();
    await within(hurried.opened, 'the word to hurry');
    await clock.advance(closeDeadlineMs);
    await within(closed, 'close');

    expect(outcome.text).toBe('done');
    expect(watch.of('log')).toMatchObject([
      {
        level: 'error',
        message: 'toolset maths could not close',
        failure: { code: 'shutdown_timeout', message: expect.stringContaining('10000 ms') },
      },
    ]);
  });

  it('may be of the program, with something kept per agent and closed with it', async () => {
    const log: string[] = [];
    const add = (say: (text: string) => string) =>
      defineTool({
        name: 'add',
        description: 'Adds.',
        input: z.object({ text: z.string() }),
        run: ({ text }) => say(text),
      });
    const toolset = {
      name: 'notes',
      description: 'Notes of one agent.',
      tools: [add(() => '')],
      open: ({ agent }: { agent: { path: string } }) => {
        const closed: string[] = [];
        log.push(`open ${agent.path}`);
        const tools = [add((text) => [closed.push(text) && closed].join(','))];
        return { tools, close: async () => void log.push(`close ${closed.join(',')}`) };
      },
    };
    const script = calls(['add', { text: 'a' }], ['add', { text: 'b' }]);
    const { supervisor, model } = supervise(script, { toolsets: [toolset] });

    await within(supervisor.delegate({ goal: 'a', toolsets: ['notes'], name: 'n' }), 'it');

    expect(answered(model)).toEqual([
      ['a', false],
      ['a,b', false],
    ]);
    expect(log).toEqual(['open /n', 'close a,b']);
  });

  it.each([
    ['file', named('x')],
    ['web', named('x')],
  ])('may not be called %s by the program', (name, tool) => {
    const toolset = { name, description: '', tools: [tool] };

    expect(() => supervise({ default: [] }, { toolsets: [toolset] })).toThrow(
      expect.objectContaining({ code: 'invalid_options' }),
    );
  });
});

describe('grants and denials', () => {
  const shell = named('shell', ['terminal']);
  const python = named('python', ['code_execution']);
  const clarify = named('clarify', ['clarify']);
  const remember = named('remember', ['memory', 'write']);
  const post = named('post', ['messaging']);
  const plain = named('plain');
  const tools = [shell, python, clarify, remember, post, plain];

  it('gives granted tools to an agent whose task asked for others, unless they are denied (A10)', async () => {
    const agents = [{ name: 'hand', grantedTools: ['shell', 'python'] }];

    expect(await toolsOf({ agent: 'hand', tools: ['plain'] }, { tools, agents })).toEqual([
      'shell',
      'python',
      'plain',
    ]);
    expect(
      await toolsOf(
        { agent: 'hand', tools: ['plain'], disallowedTools: ['python'] },
        { tools, agents },
      ),
    ).toEqual(['shell', 'plain']);
  });

  it('refuses a grant of what there is not, at once (A10)', () => {
    const agents = [{ name: 'hand', grantedTools: ['sheel'] }];

    expect(() => supervise({ default: [{ text: 'done' }] }, { tools, agents })).toThrowError(
      expect.objectContaining({
        code: 'unknown_tool',
        message: expect.stringContaining('agent "hand": grantedTools names "sheel"'),
      }),
    );
  });

  it('keep a child from people, shared memory, other platforms and code by capability (C17, C18, X19)', async () => {
    expect(await toolsOf({ disallowedTools: subagentDenyList }, { tools })).toEqual([
      'shell',
      'plain',
    ]);
  });

  it('answer a call of what was denied, and leave the stores untouched (C17, C18)', async () => {
    let writes = 0;
    const store = defineTool({
      name: 'remember',
      description: 'Writes memory.',
      input: z.object({}),
      tags: [capabilityTags.memory],
      run: () => {
        writes += 1;
      },
    });
    const { supervisor, model } = supervise(calls('remember', 'clarify'), {
      tools: [store, clarify],
      agents: [{ name: 'child', disallowedTools: subagentDenyList }],
    });

    await within(supervisor.delegate({ goal: 'a', agent: 'child' }), 'the outcome');

    expect(writes).toBe(0);
    expect(answered(model).map(([, isError]) => isError)).toEqual([true, true]);
  });

  it('a definition that comes from below grants itself nothing (X7)', async () => {
    const agent = { name: 'thief', grantedTools: ['shell'], tools: ['shell'] };
    const delegate = defineTool({
      name: 'delegate',
      description: 'Delegates.',
      input: z.object({}),
      run: async (_input, tool) => {
        // What a thread could send as well, whatever the type says.
        const [outcome] = await tool.delegate([{ goal: 'b', agent: agent as never }]);
        return outcome?.status;
      },
    });
    const { supervisor, model } = supervise(
      {
        agents: {
          thief: [{ text: 'done' }],
          boss: [{ toolCalls: [{ name: 'delegate', input: {} }] }, { text: 'done' }],
        },
      },
      {
        tools: [shell, delegate],
        agents: [{ name: 'boss', tools: ['delegate'] }],
        limits: { maxSpawnDepth: 1 },
      },
    );

    await within(supervisor.delegate({ goal: 'a', agent: 'boss' }), 'the outcome');

    expect(model.requests().map(({ tools: offered }) => offered.map(({ name }) => name))).toEqual([
      ['delegate'],
      [],
      ['delegate'],
    ]);
  });
});
