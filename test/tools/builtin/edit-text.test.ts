// Proves exact replacement: which edits apply, what they make of a text, and why one does not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editText } from '#src/tools/builtin/edit-text.js';

const text = 'one\n  two\nthree\ntwo\n';

describe('editText', () => {
  it.each([
    [
      'replaces what is there once',
      [{ oldText: 'three', newText: '3' }],
      'one\n  two\n3\ntwo\n',
      [3],
    ],
    ['removes', [{ oldText: '  two\n', newText: '' }], 'one\nthree\ntwo\n', [2]],
    [
      'replaces all when asked',
      [{ oldText: 'two', newText: '2', replaceAll: true }],
      'one\n  2\nthree\n2\n',
      [2, 4],
    ],
    [
      'applies each edit to what those before it made',
      [
        { oldText: 'one', newText: 'zero\none' },
        { oldText: 'zero\none\n  two', newText: 'both' },
      ],
      'both\nthree\ntwo\n',
      [1, 1],
    ],
    [
      'takes patterns of replacement as text',
      [{ oldText: 'one', newText: '$&$1' }],
      '$&$1\n  two\nthree\ntwo\n',
      [1],
    ],
  ])('%s', (_what, edits, expected, lines) => {
    expect(editText(text, edits)).toEqual({ type: 'edited', text: expected, lines });
  });

  it.each([
    ['is not there', [{ oldText: 'four', newText: '4' }], 0, /not in the file: read the file/],
    [
      'is there twice',
      [{ oldText: 'two', newText: '2' }],
      0,
      /2 times, at lines 2, 4: make it longer/,
    ],
    [
      'differs in white space',
      [{ oldText: 'one\n    two', newText: '' }],
      0,
      /line 1 begins text that differs from it in white space alone/,
    ],
    ['is empty', [{ oldText: '', newText: 'x' }], 0, /oldText is empty/],
    ['is the new text', [{ oldText: 'one', newText: 'one' }], 0, /the same/],
    [
      'was replaced by an edit before',
      [
        { oldText: 'one', newText: '1' },
        { oldText: 'one', newText: '2' },
      ],
      1,
      /not in the file/,
    ],
  ])('refuses all edits when a text %s', (_what, edits, index, why) => {
    expect(editText(text, edits)).toEqual({
      type: 'refused',
      index,
      why: expect.stringMatching(why),
    });
  });

  it('makes no text that is too long, and many replacements of a long one', () => {
    const text = 'a '.repeat(500_000);
    const edit = (newText: string) => [{ oldText: 'a', newText, replaceAll: true }];

    expect(editText(text, edit('b'), 1_000_000)).toMatchObject({ text: 'b '.repeat(500_000) });
    expect(editText(text, edit('b'.repeat(1_000_000)), 1_000_000)).toMatchObject({
      type: 'refused',
      why: 'the file would have 500000500000 characters, more than 1000000',
    });
  });

  it('names ten lines at most', () => {
    const edited = editText('a\n'.repeat(12), [{ oldText: 'a', newText: 'b' }]);

    expect(edited).toMatchObject({ why: expect.stringMatching(/12 times, .* 9, 10, …: make/) });
  });

  it('keeps the line ends of a text with CRLF alone, and takes any other text as it is', () => {
    const edit = { oldText: 'a\nb', newText: 'c\nd' };

    expect(editText('a\r\nb\r\n', [edit])).toMatchObject({ text: 'c\r\nd\r\n' });
    expect(editText('a\nb\r\n', [edit])).toMatchObject({ text: 'c\nd\r\n' });
  });

  it('changes nothing but the place it names', () => {
    const part = fc.string({ unit: fc.constantFrom('a', '\n', ' ') });
    fc.assert(
      fc.property(part, part, part, (before, after, newText) => {
        expect(editText(`${before}X${after}`, [{ oldText: 'X', newText }])).toEqual({
          type: 'edited',
          text: `${before}${newText}${after}`,
          lines: [before.split('\n').length],
        });
      }),
    );
  });
});
