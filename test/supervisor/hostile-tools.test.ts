// Checks code that sets out to get what its agent has no right to: what gets through is what docs/security.md says, and nothing else.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { folderWith, startNode } from '../support/command.ts';

const program = fileURLToPath(new URL('../fixtures/programs/attacked.js', import.meta.url));
const isOld = Number(process.versions.node.split('.')[0]) < 22;

/** Before Node 22 a path at which two that may be read part can be read itself: here it may be the root, which has nothing but names. */
const root = isOld ? ['lists the root'] : [];
/** From Node 22 on a thread reads in the working directory of its process. */
const workingDirectory = isOld
  ? []
  : [
      ...['reads a file by its path', 'reads it by ..', 'reads it by a URL'],
      ...['reads it by a Buffer', 'reads it by a promise', 'reads it by a stream'],
      ...['opens it', 'requires it', 'watches it', 'switches the checks off', 'takes a blob of it'],
    ];

it.each([
  ['in a process, without a network', 'process', 'none', []],
  ['in a process, with public addresses', 'process', 'guarded', ['looks a name up']],
  ['in a thread, without a network', 'thread', 'none', workingDirectory],
])('hostile code %s gets what the page says', async (_, isolation, net, expected) => {
  const started = startNode([program, isolation, net], { cwd: folderWith() });
  const { stdout, stderr } = await started.ended;

  // Node warns of what one of them calls: it is deprecated.
  expect(stderr.replace(/^\((node:\d+|Use `node).*\n/gm, '')).toBe('');
  const { through, ...others } = JSON.parse(stdout) as { readonly through: readonly string[] };
  const seen = through.filter((name) => !root.includes(name));
  expect(seen.toSorted()).toEqual(expected.toSorted());
  expect(others).toEqual({
    status: 'completed',
    tried: 74,
    isStolen: isolation === 'thread' && !isOld,
    isWhole: true,
  });
});
