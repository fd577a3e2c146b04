// Checks what is remembered of modules, and of how many.
import { expect, it } from 'vitest';
import { systemClock } from '#src/base/clock.js';
import { DescribedModules } from '#src/tasks/resolve/described-modules.js';

it('remembers the thousand modules that were used last (D13)', async () => {
  const described: string[] = [];
  const modules = new DescribedModules(async (url) => described.push(url), systemClock);
  const how = { timeoutMs: 60_000, profile: {} };
  const learn = async (url: string) => modules.prepare([url], how);
  for (const url of ['first', 'second']) await learn(url);

  for (let at = 0; at < 999; at += 1) {
    await learn(`${at}`);
    expect(modules.prepare(['first'], how)).toBeNull();
  }

  expect([modules.get('first'), modules.get('second'), modules.get('998')]).toEqual([
    1,
    undefined,
    1_001,
  ]);
});
