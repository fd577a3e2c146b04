// Checks tool and hook modules that never load: who waits how long, what it is told, and who is not refused for it.
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineTool } from '#src/index.js';
import { scripted } from '#src/testing.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { delegate, handsTo } from './family.ts';
import {
  answered,
  rejection,
  supervise,
  superviseInManualTime,
  toolFixture,
  within,
} from './support.ts';

const never = (way: string): URL => new URL(`?way=${way}`, toolFixture('never-loads'));
const quick = { timeouts: { loadTimeoutMs: 400 } };
const small = { threads: { profile: { maxHeapMb: 16 } } };
const says = { default: [{ text: 'done' }] };
const refused = (way: string, why: string) => ({
  code: 'tool_module_failed',
  message: expect.stringMatching(`never-loads\\.js\\?way=${way}.*${why}`),
});

describe('a tool module', () => {
  it.each([
    ['host', delegate, handsTo('child'), 'child done'],
    [
      'thread',
      toolFixture('family'),
      { toolCalls: [{ name: 'hand_over', input: { agent: 'child' } }] },
      'child done',
    ],
  ])(
    'loads while a parent whose %s tool waits for it holds the only thread (V1, V7)',
    async (_, tool, calls, result) => {
      const { supervisor, model } = supervise(
        {
          agents: { parent: [calls, { text: 'parent done' }], child: [{ text: 'child done' }] },
        },
        {
          agents: [
            { name: 'parent', tools: [tool] },
            { name: 'child', tools: [toolFixture('plain')] },
          ],
          limits: { maxLiveAgents: 1 },
          threads: { max: 1 },
        },
      );
      const { result: outcome } = supervisor.start({ goal: 'a', agent: 'parent' });

      expect((await within(outcome(), 'the outcome')).text).toBe('parent done');
      expect(JSON.stringify(model.requests().at(-1)?.messages)).toContain(result);
    },
  );
});

describe('a tool module that never loads', () => {
  it.each([
    ['awaits', 'did not load within 400 ms', quick],
    ['spins', 'did not load within 400 ms', quick],
    ['exits', 'exited with code 3', small],
    ['grows', 'out of memory', small],
  ])(
    'fails whoever needs it, under its name, in its own time (%s) (V1)',
    async (way, why, options) => {
      const { supervisor, model } = supervise(says, options);
      const tools = [never(way)];

      const delegated = rejection(within(supervisor.delegate({ goal: 'a', tools }), 'the refusal'));
      const spawned = rejection(
        within(supervisor.spawn(defineAgent({ name: 'b', tools })), 'the refusal'),
      );
      const { result } = supervisor.start({ goal: 'c', tools });
      const outcome = await within(result(), 'the outcome');

      expect(await delegated).toMatchObject(refused(way, why));
      expect(await spawned).toMatchObject(refused(way, why));
      expect(outcome).toMatchObject({ status: 'failed', error: refused(way, why) });
      expect(model.requests()).toEqual([]);
    },
  );

  it('fails a hook module in the same way (V1)', async () => {
    const { supervisor } = supervise(says, quick);

    const task = { goal: 'a', hooks: [never('awaits')] };
    const error = await rejection(within(supervisor.delegate(task), 'the refusal'));

    expect(error).toMatchObject(refused('awaits', 'did not load within 400 ms'));
  });

  it.each([{ totalTimeoutMs: 300 }, { idleTimeoutMs: 300 }])(
    'fails a task that has less time than it when that is over (%j) (V8)',
    async (limits) => {
      const { supervisor } = supervise(says);
      const task = { goal: 'a', tools: [never('awaits')], ...limits };

      const error = await rejection(within(supervisor.delegate(task), 'the refusal'));
      const outcome = await within(supervisor.start(task).result(), 'the outcome');

      expect(error).toMatchObject(refused('awaits', 'within 300 ms'));
      expect(outcome).toMatchObject({ error: refused('awaits', 'within 300 ms') });
    },
  );

  it('is not waited for again at once (V1)', async () => {
    const { supervisor, watch } = supervise(says, quick);
    const once = async () => {
      const tools = [never('spins')];
      const delegated = supervisor.delegate({ goal: 'a', tools });
      return rejection(within(delegated, 'the refusal'));
    };

    const errors = [await once(), await once(), await once()];

    for (const error of errors) expect(error).toMatchObject(refused('spins', 'did not load'));
    expect(watch.of('thread_spawned').length).toBeLessThan(2);
  });

  it('refuses no child of an agent that asks for none of its tools (X7)', async () => {
    const { supervisor, model } = supervise(
      {
        default: [],
        agents: { parent: [handsTo('bare'), { text: 'done' }], bare: [{ text: 'fine' }] },
      },
      {
        tools: [delegate, never('awaits')],
        agents: [
          { name: 'parent', tools: ['delegate'] },
          { name: 'bare', tools: [] },
        ],
      },
    );

    const task = { goal: 'a', agent: 'parent' };
    const outcome = await within(supervisor.start(task).result(), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(answered(model)).toEqual([['fine', false]]);
  });

  it('refuses no task that asks for none of its tools (X7)', async () => {
    const own = defineTool({
      name: 'own',
      description: 'One of the service.',
      input: z.object({}),
      run: () => 'own',
    });
    const model = scripted(says);
    const { supervisor } = supervise(says, {
      model,
      tools: [own, never('awaits'), toolFixture('plain')],
      agents: [
        { name: 'bare', tools: [] },
        { name: 'armed', tools: ['own'] },
      ],
    });

    const outcomes = await within(
      supervisor.delegate([
        { goal: 'a', tools: [] },
        { goal: 'b', agent: 'bare' },
        { goal: 'c', agent: 'armed' },
        { goal: 'd', tools: ['own', toolFixture('reads')] },
        { goal: 'e', tools: ['read'], toolsets: ['file'] },
      ]),
      'the outcomes',
    );
    const agent = await within(supervisor.spawn('bare'), 'an agent');

    expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('completed'));
    expect((await agent.ask('f', { timeoutMs: 10_000 })).status).toBe('completed');
    expect(model.requests().map(({ tools }) => tools.map(({ name }) => name).join())).toContain(
      'own',
    );
  });
});

/** Resolves when a file is there, whose folder is. */
async function exists(file: string): Promise<void> {
  const folder = watch(dirname(file));
  while (!existsSync(file)) await once(folder, 'change');
  folder.close();
}

describe('a tool module that loads no second time', () => {
  const loadsOnce = (then: string): URL => {
    const url = toolFixture('loads-once');
    url.searchParams.set('file', join(temporaryFolder(), 'loaded'));
    url.searchParams.set('then', then);
    return url;
  };
  const singly = {
    ...quick,
    timeouts: { loadTimeoutMs: 1_000 },
    threads: { reuse: 'single-use' },
  } as const;

  it('ends its agent under its own name when its thread exits (V1)', async () => {
    const { supervisor } = supervise(says, singly);
    const tools = [loadsOnce('exits')];

    const outcome = await within(supervisor.start({ goal: 'a', tools }).result(), 'the outcome');

    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'tool_module_failed', message: expect.stringContaining('loads-once.js') },
    });
  });

  it('fails the spawn that waits for it (V1)', async () => {
    const { supervisor, clock } = superviseInManualTime(says, singly);
    const module = loadsOnce('hangs');
    const agent = defineAgent({ name: 'a', tools: [module] });

    const refusal = rejection(within(supervisor.spawn(agent), 'the refusal'));
    await within(exists(`${module.searchParams.get('file')}-again`), 'the second load');
    await clock.advance(6_000);
    const error = await refusal;

    expect(error).toMatchObject({
      code: 'tool_module_failed',
      message: expect.stringMatching(/loads-once\.js.*did not load within 6000 ms/),
    });
  });
});
