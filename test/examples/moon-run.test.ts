// Checks the moon run as its reader has it: one command, offline, both when all goes well and when a page never comes.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderWith, startNode } from '../support/command.ts';

const script = fileURLToPath(new URL('../../examples/moon-run/main.js', import.meta.url));

const run = (...flags: readonly string[]) =>
  startNode([script, ...flags], { cwd: folderWith() }).ended;

test('a host without tools asks two subagents how long the way to the Moon is (D60)', async () => {
  const { code, stdout } = await run();

  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^search: .*42\.195 km in 2:01:09/),
    expect.stringMatching(/^fetch: .*363300 km/),
    expect.stringMatching(/^friday: .*17000 hours/),
    expect.stringMatching(/^checked: \d+ h, 17000 hours$/),
  ]);
  const hours = Number(/checked: (\d+) h/.exec(stdout)?.[1]);
  expect(Math.abs(hours / 17377 - 1)).toBeLessThan(0.001);
});

test('a subagent that runs out of time is a word to the host, which tries again and then explains (D54, D60)', async () => {
  const { code, stdout } = await run('--fetch-down');

  expect(code).toBe(0);
  expect(stdout.match(/^fetch: timeout$/gm)).toHaveLength(2);
  expect(stdout.match(/^warning: subagent fetch: /gm)).toHaveLength(2);
  expect(stdout).toMatch(/^friday: The page with the distance did not come/m);
  expect(stdout).not.toContain('17000');
});
