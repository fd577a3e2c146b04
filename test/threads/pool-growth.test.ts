// When the pool opens further threads, as a table; and how busy a loop was.
import type { EventLoopUtilityFunction } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { LoopUse } from '#src/threads/loop-use.js';
import { type PoolLook, threadsToOpen } from '#src/threads/pool-growth.js';

const busy: PoolLook = {
  waiting: 20,
  threads: 8,
  opening: 0,
  max: 64,
  sinceFreeMs: 0,
  cores: 4,
  hostUse: 0.9,
  threadUse: 0.9,
};

describe('how many threads to open for requests that busy threads could serve', () => {
  const idle = { hostUse: 0.1, threadUse: 0.1 };
  it.each<readonly [string, Partial<PoolLook>, number]>([
    ['none while threads become free and all loops work (W7)', {}, 0],
    ['one when none has become free for 50 ms (W7)', { sinceFreeMs: 50 }, 1],
    ['none a moment before', { sinceFreeMs: 49 }, 0],
    ['none when nothing waits', { ...idle, waiting: 0, sinceFreeMs: 500 }, 0],
    ['none at the limit', { ...idle, threads: 64, sinceFreeMs: 500 }, 0],
    ['none while one is on its way', { ...idle, opening: 1, sinceFreeMs: 500 }, 0],
    ['one for each core when all loops mostly wait (W7)', idle, 4],
    ['at most four', { ...idle, cores: 32 }, 4],
    ['at most as many as wait', { ...idle, waiting: 2 }, 2],
    ['at most as many as there is room for', { ...idle, max: 9 }, 1],
    ['none when the host is what holds them up', { hostUse: 0.9, threadUse: 0.1 }, 0],
    ['none when the threads compute', { hostUse: 0.1, threadUse: 0.9 }, 0],
    ['one when a core is free and much waits', { threads: 3, waiting: 13 }, 1],
    ['none when a core is free and little waits', { threads: 3, waiting: 12 }, 0],
  ])('%s', (_, look, count) => {
    expect(threadsToOpen({ ...busy, ...look })).toBe(count);
  });
});

describe('how much a loop worked since the last look', () => {
  it('is 1 at first, then what it worked of the time between two looks', () => {
    const read = (...[now, before]: Parameters<EventLoopUtilityFunction>) => {
      if (now === undefined) return at;
      const [idle, active] = [now.idle - (before?.idle ?? 0), now.active - (before?.active ?? 0)];
      return { idle, active, utilization: active / (idle + active) };
    };
    let at = { idle: 900, active: 100, utilization: 0.1 };
    const use = new LoopUse(read);
    expect(use.sinceLast()).toBe(1);
    at = { idle: 920, active: 180, utilization: 0.2 };
    expect(use.sinceLast()).toBe(0.8);
    at = { idle: 1_020, active: 180, utilization: 0.2 };
    expect(use.sinceLast()).toBe(0);
  });
});
