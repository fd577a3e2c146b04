// Proves by random paths that the workspace holds whatever a model writes, through folders and symlinks of every kind.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TroupeError } from '#src/base/failures.js';
import { resolveInWorkspace } from '#src/tools/workspace.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';

const names = ['a', 'b', 'up', 'out', 'self', 'file', 'none', 'x.txt', '..', '.', '', 'proc', '~'];
const somePath = fc
  .tuple(
    fc.constantFrom('', '/', './', '../'),
    fc.array(fc.constantFrom(...names), { maxLength: 8 }),
  )
  .map(([prefix, parts]) => prefix + parts.join('/'));

test('finds every path inside the workspace or refuses it with a code', () => {
  const base = temporaryFolder();
  const workspace = join(base, 'ws');
  mkdirSync(join(workspace, 'a', 'b'), { recursive: true });
  mkdirSync(join(base, 'a'));
  writeFileSync(join(workspace, 'file'), '');
  symlinkSync('..', join(workspace, 'a', 'up'));
  symlinkSync('../..', join(workspace, 'out'));
  symlinkSync('.', join(workspace, 'self'));
  symlinkSync('/proc', join(workspace, 'a', 'proc'));

  const found = { inside: 0, refused: 0 };
  fc.assert(
    fc.property(somePath, (path) => {
      try {
        const { absolute } = resolveInWorkspace(workspace, path);
        expect(absolute === workspace || absolute.startsWith(workspace + sep)).toBe(true);
        expect(resolveInWorkspace(workspace, absolute).absolute).toBe(absolute);
        found.inside += 1;
      } catch (thrown) {
        if (!(thrown instanceof TroupeError)) throw thrown;
        expect(['outside_workspace', 'file_refused']).toContain(thrown.code);
        found.refused += 1;
      }
    }),
    { numRuns: 2_000 },
  );

  expect(Math.min(found.inside, found.refused)).toBeGreaterThan(100);
});
