// Proves where the hunks of a patch apply, what they make of a text, and why one does not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyHunks } from '#src/tools/builtin/apply-hunks.js';

describe('applyHunks', () => {
  const text = 'f() {\n  a\n}\ng() {\n  a\n}\n';
  const hunk = (before: readonly string[], after: readonly string[], more = {}) => ({
    anchors: [],
    before,
    after,
    isAtEnd: false,
    ...more,
  });

  it.each([
    ['by its lines', [hunk(['g() {', '  a'], ['g() {', '  b'])], 'f() {\n  a\n}\ng() {\n  b\n}\n'],
    [
      'behind an anchor',
      [hunk(['  a'], ['  b'], { anchors: ['g() {'] })],
      'f() {\n  a\n}\ng() {\n  b\n}\n',
    ],
    [
      'behind a part of a line',
      [hunk(['  a'], ['  b'], { anchors: ['g()'] })],
      'f() {\n  a\n}\ng() {\n  b\n}\n',
    ],
    [
      'behind the hunk before',
      [hunk(['f() {'], ['F() {']), hunk(['}', 'g() {'], ['}', 'G() {'])],
      'F() {\n  a\n}\nG() {\n  a\n}\n',
    ],
    ['at the end', [hunk(['}'], ['};'], { isAtEnd: true })], 'f() {\n  a\n}\ng() {\n  a\n};\n'],
    ['without lines at the end', [hunk([], ['// end'])], `${text}// end\n`],
    [
      'without lines behind an anchor',
      [hunk([], ['  // first'], { anchors: ['g() {'] })],
      'f() {\n  a\n}\ng() {\n  // first\n  a\n}\n',
    ],
  ])('finds a hunk %s', (_how, hunks, expected) => {
    expect(applyHunks(text, hunks)).toEqual({ type: 'patched', text: expected });
  });

  it.each([
    [
      'that is not there',
      [hunk(['  c'], [])],
      0,
      /not in the file: read the file.*the first is " {2}c"/,
    ],
    ['with an empty line behind the last', [hunk(['}', ''], [])], 0, /not in the file|white space/],
    ['that is there twice', [hunk(['  a'], [])], 0, /2 times, at lines 2, 5: give more lines/],
    [
      'with other white space',
      [hunk(['f() {', '    a'], [])],
      0,
      /line 1 begins lines that differ/,
    ],
    [
      'before the one above it',
      [hunk(['g() {'], []), hunk(['f() {'], [])],
      1,
      /at line 1, before the hunk above/,
    ],
    ['not at the end', [hunk(['f() {'], [], { isAtEnd: true })], 0, /at line 1, not at the end/],
    [
      'behind no such line',
      [hunk(['  a'], [], { anchors: ['h()'] })],
      0,
      /no line "h\(\)" behind line 0/,
    ],
  ])('refuses a hunk %s', (_what, hunks, index, why) => {
    expect(applyHunks(text, hunks)).toEqual({
      type: 'refused',
      index,
      why: expect.stringMatching(why),
    });
  });

  it('keeps the line ends of a text with CRLF alone', () => {
    expect(applyHunks('a\r\nb\r\n', [hunk(['a'], ['c', 'd'])])).toEqual({
      type: 'patched',
      text: 'c\r\nd\r\nb\r\n',
    });
  });

  it('makes the change it was made of, wherever that is', () => {
    const lines = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,4}$/), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        lines,
        fc.array(fc.stringMatching(/^[A-Z]{1,4}$/)),
        fc.nat(),
        fc.nat(),
        (old, added, at, count) => {
          const from = at % old.length;
          const to = from + 1 + (count % (old.length - from));
          const context = old.slice(Math.max(0, from - 1), from);
          const changed = hunk([...context, ...old.slice(from, to)], [...context, ...added]);
          expect(applyHunks(old.join('\n'), [changed])).toEqual({
            type: 'patched',
            text: [...old.slice(0, from), ...added, ...old.slice(to)].join('\n'),
          });
        },
      ),
    );
  });
});
