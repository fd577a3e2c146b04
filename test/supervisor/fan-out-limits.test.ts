// Checks that a fan-out against a provider that refuses one call in five loses no task and stays within every key's limit.
import { describe, expect, it } from 'vitest';
import { createSupervisor, type Task } from '#src/index.js';
import { LimitedProvider } from './limited-provider.ts';
import { watched, within } from './support.ts';

const tasks = 250;
const keys = ['sk-limited-one', 'sk-limited-two', 'sk-limited-three'];

describe('a fan-out over limited keys', () => {
  it('loses none of 250 tasks to 429s, and keeps every key within its limits (C41, F23)', async () => {
    const provider = await LimitedProvider.start({ perWindow: 12, windowMs: 400, refuseEvery: 5 });
    try {
      const { supervisor, watch } = watched(
        createSupervisor({
          model: 'anthropic:claude-sonnet-5',
          credentials: [{ provider: 'anthropic', baseUrl: provider.url, keys }],
          limits: { maxLiveAgents: 6 },
        }),
      );
      const all = Array.from({ length: tasks }, (_, at): Task => ({ goal: `Task ${at}.` }));

      const outcomes = await within(supervisor.delegate(all), 'every outcome');

      const failed = outcomes.filter(({ status }) => status !== 'completed');
      expect(failed.map(({ error }) => error)).toEqual([]);
      expect(provider.overLimit).toBe(0);
      expect(provider.fullWindows).toBeGreaterThan(0);
      expect(provider.refused).toBeGreaterThanOrEqual(tasks / 5);
      expect([...provider.counts.keys()].sort()).toEqual([...keys].sort());
      expect(watch.of('task_completed')).toHaveLength(tasks);
    } finally {
      await provider.close();
    }
  });
});
