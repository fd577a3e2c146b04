// Proves how a patch of several files is read, and that what is wrong with it names the line.
import { describe, expect, it } from 'vitest';
import { parsePatch } from '#src/tools/builtin/parse-patch.js';

const patchOf = (...lines: readonly string[]) =>
  ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

describe('parsePatch', () => {
  it('reads files to add, change, move and delete', () => {
    const patch = patchOf(
      '*** Add File: new.md',
      '+one',
      '+',
      '',
      '*** Update File: src/a.ts',
      '*** Move to: src/b.ts',
      '@@ class A {',
      '@@ f() {',
      ' context',
      '-old',
      '+new',
      '',
      '@@',
      '-last',
      '*** End of File',
      '',
      '*** Delete File: gone.md',
    );

    expect(parsePatch(`\n${patch.replaceAll('\n', '\r\n')}\n`)).toEqual({
      type: 'parsed',
      changes: [
        { type: 'add', path: 'new.md', content: 'one\n\n' },
        {
          type: 'update',
          path: 'src/a.ts',
          moveTo: 'src/b.ts',
          hunks: [
            {
              anchors: ['class A {', 'f() {'],
              before: ['context', 'old', ''],
              after: ['context', 'new', ''],
              isAtEnd: false,
            },
            { anchors: [], before: ['last'], after: [], isAtEnd: true },
          ],
        },
        { type: 'delete', path: 'gone.md' },
      ],
    });
  });

  it.each([
    ['no begin', '--- a/x\n+++ b/x', 'line 1 of the patch: expected "*** Begin Patch"'],
    [
      'no end',
      '*** Begin Patch\n*** Delete File: x',
      'line 2 of the patch: expected "*** End Patch"',
    ],
    ['no file', patchOf(), 'changes no file'],
    ['no header', patchOf('@@', '-x'), 'line 2 of the patch: expected "*** Add File: "'],
    ['no path', patchOf('*** Delete File: '), 'line 2 of the patch: the path is missing'],
    [
      'a new file without +',
      patchOf('*** Add File: x', 'text'),
      'line 3 of the patch: expected "+"',
    ],
    [
      'a deletion with lines',
      patchOf('*** Delete File: x', '-a'),
      'line 3 of the patch: expected nothing',
    ],
    ['no hunk', patchOf('*** Update File: x'), 'line 3 of the patch: expected lines to change'],
    [
      'a line of no kind',
      patchOf('*** Update File: x', '-a', 'b'),
      'line 4 of the patch: expected " ", "-"',
    ],
  ])('refuses %s, naming the line', (_what, patch, why) => {
    expect(parsePatch(patch)).toEqual({ type: 'malformed', why: expect.stringContaining(why) });
  });
});
