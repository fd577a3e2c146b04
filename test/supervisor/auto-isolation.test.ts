// Checks agents whose profile leaves it open where they run: on threads, until their modules turn out to be heavy.
import { describe, expect, it } from 'vitest';
import type { SupervisorOptions } from '#src/index.js';
import { isolationOf } from '#src/protocol/worker-profile.js';
import { HeavyModules } from '#src/threads/heavy-modules.js';
import { answered, calls, supervise, toolFixture, within } from './support.ts';

const logged: string[] = [];
const profile = { isolation: 'auto', maxHeapMb: 64, memoryMb: 256 } as const;
const options: Partial<SupervisorOptions> = {
  tools: [toolFixture('contained')],
  threads: { profile },
  logger: {
    warn: (_fields, text) => logged.push(text),
    error: (_fields, text) => logged.push(text),
  },
};

const act = (what: string) => calls(['act', { what }]).default ?? [];

describe("isolation: 'auto'", () => {
  it('runs an agent on a thread, and in a process once its module ran out of memory (V1)', async () => {
    const script = {
      agents: { first: act('pid'), grows: act('a cache with awaits'), last: act('pid') },
    };
    const tools = ['act'];
    const { supervisor, model } = supervise(script, {
      ...options,
      agents: Object.keys(script.agents).map((name) => ({ name, tools })),
    });
    const run = (agent: string) =>
      within(supervisor.delegate({ goal: 'g', agent }), `the end of ${agent}`);

    expect(await run('first')).toMatchObject({ status: 'completed' });
    expect(answered(model)[0]?.[0]).toBe(String(process.pid));
    const grown = await run('grows');
    expect(grown).toMatchObject({ status: 'failed', error: { code: 'out_of_memory' } });
    expect(await run('last')).toMatchObject({ status: 'completed' });

    const pid = answered(model)[0]?.[0];
    expect(pid).toMatch(/^\d+$/);
    expect(pid).not.toBe(String(process.pid));
    const ours = logged.filter((text) => text.includes('processes run its modules from now on'));
    expect(ours).toHaveLength(1);
    expect(ours[0]).toContain('contained.js');
  });

  it('runs an agent with a tool that is tagged heavy in a process', async () => {
    const { supervisor, model } = supervise(
      { agents: { heavy: calls('heavy').default ?? [], light: act('pid') } },
      {
        ...options,
        agents: [
          { name: 'heavy', tools: ['heavy'] },
          { name: 'light', tools: ['act'] },
        ],
      },
    );

    const pidOf = async (agent: string) => {
      const outcome = await within(supervisor.delegate({ goal: 'g', agent }), 'the outcome');
      expect(outcome).toMatchObject({ status: 'completed' });
      return answered(model)[0]?.[0];
    };

    const heavy = await pidOf('heavy');
    expect(heavy).toMatch(/^\d+$/);
    expect(heavy).not.toBe(String(process.pid));
    expect(await pidOf('light')).toBe(String(process.pid));
  });

  it('is a process with fs, which a thread does not hold', () => {
    expect(isolationOf({ isolation: 'auto', fs: 'none' })).toBe('process');
    expect(isolationOf({ isolation: 'thread', fs: 'none' })).toBe('thread');
    expect(isolationOf({ isolation: 'auto' })).toBe('auto');
    expect(isolationOf({})).toBe('thread');
  });
});

describe('modules that are known to be heavy', () => {
  it('are each of a set, told apart by their addresses', () => {
    const heavy = new HeavyModules();

    expect(heavy.hasAnyOf('a')).toBe(false);
    expect(heavy.add('a b')).toEqual(['a', 'b']);
    expect(heavy.add('b c')).toEqual(['c']);
    expect(heavy.add('')).toEqual([]);

    expect(['a', 'c d', 'd', ''].map((set) => heavy.hasAnyOf(set))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('are no more than a thousand', () => {
    const heavy = new HeavyModules();
    for (let at = 0; at < 1_001; at += 1) heavy.add(`m${at}`);

    expect(['m0', 'm1', 'm1000'].map((set) => heavy.hasAnyOf(set))).toEqual([false, true, true]);
  });
});
