// T8: how late the host's event loop is while agents use up every core.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSupervisor } from '#src/index.js';
import { scripted } from '#src/testing.js';
import { agentsSpinning } from '../agent-tree.ts';
import { startBareSpinners } from '../baselines/bare-threads.ts';
import { compare } from '../harness.ts';
import { hostLagP99 } from '../lag.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

type Parameters = {
  readonly spinners: number;
  readonly windowMs: number;
  readonly rounds: number;
};

const sizes: Sizes<Parameters> = {
  smoke: { spinners: 2, windowMs: 50, rounds: 1 },
  normal: { spinners: 8, windowMs: 1_500, rounds: 7 },
  full: { spinners: 8, windowMs: 5_000, rounds: 11 },
};

const tools = new URL('../threads/spin-tool.js', import.meta.url);

/**
 * p99 delay of the host's event loop over a window in which 8 agents spin in a thread tool, beyond the timer's own
 * 1 ms. Beside it 8 bare workers that spin at the same priority, the same amount of work in the host's own loop, and
 * the host with nothing to do: the floor of the timer itself, which a small figure is mostly made of.
 */
export const hostLag: Scenario = {
  name: 'host-lag',
  targets: ['T8'],
  description: 'p99 event-loop delay of the host with 8 CPU-bound agents',
  variants: ['troupe', 'bare spinners', 'in-process', 'idle host'],
  async run(size: Size) {
    const { spinners, windowMs, rounds } = sizes[size];
    return [
      await compare({
        what: `host lag p99, ${spinners} spinning`,
        unit: 'ms',
        figure: 'median',
        rounds,
        warmups: size === 'smoke' ? 0 : 1,
        ours: { name: 'troupe', measure: () => besideAgents(spinners, windowMs) },
        baselines: [
          { name: 'bare spinners', measure: () => besideBareSpinners(spinners, windowMs) },
          {
            name: 'in-process',
            measure: async () => [await hostLagP99(() => spinHere(spinners, windowMs))],
          },
          { name: 'idle host', measure: async () => [await hostLagP99(() => sleep(windowMs))] },
        ],
        targets: [{ id: 'T8', against: ['bare spinners'], max: 1.5 }],
      }),
    ];
  },
};

async function besideAgents(count: number, windowMs: number): Promise<readonly number[]> {
  await using supervisor = createSupervisor({
    model: scripted({ default: [{ toolCalls: [{ name: 'spin', input: {} }] }] }),
    tools: [tools],
    limits: { maxLiveAgents: count },
    timeouts: { interruptGraceMs: 10, stopGraceMs: 10 },
    threads: { prewarm: count },
  });
  const spinning = agentsSpinning(supervisor, count);
  const handles = Array.from({ length: count }, () => supervisor.start({ goal: 'spin' }));
  await spinning;
  const lag = await hostLagP99(() => sleep(windowMs));
  for (const handle of handles) assert.equal(handle.status(), 'running');
  return [lag];
}

async function besideBareSpinners(count: number, windowMs: number): Promise<readonly number[]> {
  await using _spinning = await startBareSpinners(count);
  return [await hostLagP99(() => sleep(windowMs))];
}

/** The CPU time that the threads have in one window, in the host's loop: tasks that await, and never for anything slow. */
async function spinHere(tasks: number, windowMs: number): Promise<void> {
  const msPerTask = (windowMs * availableParallelism()) / tasks;
  await Promise.all(
    Array.from({ length: tasks }, async () => {
      await null;
      const end = performance.now() + msPerTask;
      while (performance.now() < end);
    }),
  );
}
