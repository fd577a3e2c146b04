// Checks the three poets as their reader has them: one command, offline, side by side on real threads.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderWith, startNode } from '../support/command.ts';

const script = fileURLToPath(new URL('../../examples/three-poets/main.js', import.meta.url));

test('three poets write at once while the main agent acts; one is asked again before the others are collected (A85, A43)', async () => {
  const cwd = folderWith();

  const { code, stdout, stderr } = await startNode([script], { cwd }).ended;

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [events = '', ...poems] = stdout.trim().split('\n\n');
  const lines = events.split('\n');
  expect(lines.slice(0, 4).sort(), 'all three run at once').toEqual([
    'ada begins',
    'ben begins',
    'cleo begins',
    'main begins',
  ]);
  expect(lines[4], 'before any of them has ended').toBe('main opens the window');
  expect(lines.filter((line) => line.startsWith('ben '))).toEqual([
    'ben begins',
    'ben completed',
    'ben begins',
    'ben completed',
  ]);
  expect(lines.at(-1)).toBe('main completed');
  expect(lines).toHaveLength(11);
  // The one that was waited for, the same one again, then the other two.
  expect(poems).toEqual([
    expect.stringMatching(/^The gold lies still,\n/),
    expect.stringMatching(/^The gold is snow,\n/),
    expect.stringMatching(/^Green on the bough,\n/),
    expect.stringMatching(/^Red is the leaf,\n/),
  ]);
  expect(readdirSync(cwd), 'nothing is left behind').toEqual([]);
});
