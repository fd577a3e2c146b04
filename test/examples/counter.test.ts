// Checks the counters as their reader has them: one command, no model, the same lines every time.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderWith, startNode } from '../support/command.ts';

const script = fileURLToPath(new URL('../../examples/counter/main.js', import.meta.url));

test('counts on one thread, over a crash and over its own passivation (V2, V3, V5, P1, P2, L1)', async () => {
  const cwd = folderWith();

  const { code, stdout, stderr } = await startNode([script], { cwd }).ended;

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toEqual([
    'a message to /apples was lost: in_doubt',
    '/apples: 5, in life 2',
    'refused: a counter knows nothing of "peel"',
    '/pears started, on 1 thread',
    '/pears: 1, in life 1',
    '/apples: 5, in life 2',
    '/apples ended: normal',
    'every message is accounted for',
  ]);
  expect(readdirSync(cwd), 'nothing is left behind').toEqual([]);
});
