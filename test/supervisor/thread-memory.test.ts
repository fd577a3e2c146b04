// Checks that a thread keeps nothing of the runs that are over, however they called the service.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Model, type SupervisorOptions, type Task } from '#src/index.js';
import { delegate, named } from './family.ts';
import { hookFixture } from './hook-support.ts';
import { supervise, toolFixture, within } from './support.ts';

const heapTeller = new URL('../fixtures/preloads/heap.js', import.meta.url);
/** Of each goal: what a run that is kept keeps at the least. */
const goalBytes = 500_000;
const runs = 16;

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: z.object({}),
  run: () => 'hello',
});

/** Calls `name` once in each task of a parent, and keeps nothing that it was asked. */
function forgetful(call: readonly [name: string, input: unknown] | null): Model {
  const about = {
    usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    isEstimated: true,
    model: 'forgetful',
  } as const;
  return {
    id: 'forgetful',
    async respond({ turn, agent }) {
      if (call === null || turn > 1 || agent.name !== 'parent') {
        return { ...about, content: [{ type: 'text', text: 'done' }], stopReason: 'end_turn' };
      }
      const [name, input] = call;
      const content = [{ type: 'tool_use' as const, id: `call-${turn}`, name, input }];
      return { ...about, content, stopReason: 'tool_use' };
    },
  };
}

type HeapReport = { readonly threadId: number; readonly bytes: number };

/** What each thread that answers holds, the largest first; as many as are asked for. */
async function heapsOf(threads: number): Promise<readonly number[]> {
  const channel = new BroadcastChannel('troupe-test-heap');
  const heaps = new Map<number, number>();
  const reported = new Promise<void>((resolve) => {
    channel.onmessage = (event) => {
      // The fixture's only message.
      const { threadId, bytes } = (event as { readonly data: HeapReport }).data;
      heaps.set(threadId, bytes);
      if (heaps.size === threads) resolve();
    };
  });
  channel.postMessage('how much?');
  await within(reported, `the heaps of ${threads} threads`);
  channel.close();
  return [...heaps.values()].sort((a, b) => b - a);
}

type Form = {
  readonly call: readonly [name: string, input: unknown] | null;
  readonly options?: Partial<SupervisorOptions>;
  readonly task?: Partial<Task>;
};

const forms: Readonly<Record<string, Form>> = {
  'no tools': { call: null },
  'a host tool': { call: ['greet', {}], options: { tools: [greet] } },
  'a thread tool': { call: ['echo', { text: 'a' }], options: { tools: [toolFixture('plain')] } },
  'hooks of the host': { call: null, task: { hooks: { beforeTurn: () => null } } },
  'hooks of the thread': { call: null, task: { hooks: hookFixture('marking') } },
  'an approval': {
    call: ['always', {}],
    options: { tools: [toolFixture('careful')], approve: () => 'approve' },
  },
  'a delegation of a thread tool': {
    call: ['hand_over', { agent: 'leaf' }],
    options: { tools: [toolFixture('family')], limits: { maxLiveAgents: 2 } },
  },
  'a delegation that parks its caller': {
    call: ['delegate', { agents: ['leaf'] }],
    options: { tools: [delegate] },
  },
};

describe('a thread keeps nothing of the runs that are over (W5)', () => {
  it.each(Object.entries(forms))('with %s', async (_name, { call, options, task }) => {
    const { supervisor, watch } = supervise(
      { default: [] },
      {
        model: forgetful(call),
        agents: named('parent', 'leaf'),
        limits: { maxLiveAgents: 1 },
        threads: { profile: { execArgv: ['--import', String(heapTeller)] } },
        ...options,
      },
    );
    const run = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) {
        const goal = `${at} `.padEnd(goalBytes, 'x');
        const started = supervisor.delegate({ goal, agent: 'parent', ...task });
        expect(await within(started, 'a run')).toMatchObject({ status: 'completed', text: 'done' });
      }
    };
    await run(2);
    const threads = watch.of('thread_spawned').length;
    const before = await heapsOf(threads);

    await run(runs);

    expect(watch.of('thread_lost')).toEqual([]);
    expect(watch.of('thread_spawned')).toHaveLength(threads);
    const growth = (await heapsOf(threads)).map((bytes, at) => bytes - (before[at] ?? 0));
    expect(Math.max(...growth)).toBeLessThan((runs * goalBytes) / 4);
  });
});
