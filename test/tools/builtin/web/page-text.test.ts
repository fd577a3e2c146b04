// Proves how a page becomes text: what is dropped, what is kept, and that no page takes long.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageText } from '#src/tools/builtin/web/page-text.js';

const base = 'https://example.com/a/';

test.each([
  ['keeps text', 'just text', 'just text'],
  ['drops scripts and styles', 'a<script>if (1 < 2) "</p>"</script><style>p{}</style>b', 'ab'],
  ['drops comments', 'a<!-- <p>x</p> -->b', 'ab'],
  ['breaks at blocks, not within lines', '<p>a <b>b</b>c</p><p>d</p>', 'a bc\n\nd'],
  ['makes lists', '<ul><li>a</li><li>b</li></ul>', '- a\n\n- b'],
  ['reads entities', '&lt;b&gt; &amp;amp; &#65;&#x42; &nope;', '<b> &amp; AB &nope;'],
  ['resolves links', '<a class=x href="../b?c&amp;d">t</a>', 't <https://example.com/b?c&d>'],
  ['names no link that is none', '<a href="javascript:x()">a</a><a href="#h">b</a>', 'ab'],
  ['leaves a lone bracket', '1 < 2 and <', '1 < 2 and <'],
  ['ends with an open tag', 'a<script>never closed', 'a'],
])('%s', (_case, html, expected) => {
  expect(pageText(html, base)).toBe(expected);
});

test('never throws and leaves no tag, whatever the page', () => {
  const piece = fc.constantFrom('<', '>', '</', '<p>', '<script>', '</script>', '<!--', '-->', 'a');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      expect(pageText(pieces.join(''), base)).not.toContain('<p>');
    }),
  );
});
