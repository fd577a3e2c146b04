// Checks what the offline model finds in texts: paths, openings, headings, exports.
import { describe, expect, it } from 'vitest';
import { digest, findPaths } from '#src/models/offline/digest.js';

describe('findPaths', () => {
  it.each<[string, readonly string[]]>([
    ['Read src/base/clock.ts and summarise what it owns.', ['src/base/clock.ts']],
    ['Read README.md.', ['README.md']],
    ['Compare ./a/b.py, ../c.rs and /etc/hosts.conf', ['./a/b.py', '../c.rs', '/etc/hosts.conf']],
    ['Look at `docs/my notes.md` first', ['docs/my notes.md']],
    ['Twice src/a.ts and src/a.ts', ['src/a.ts']],
    ['What does the README say?', ['README']],
    ['Every file of src/**/*.ts', []],
    ['See https://example.com/index.html, e.g. with Node.js 20.19', []],
    ['Version 1.2.3 of the thing', []],
    ['', []],
  ])('%j names %j', (text, paths) => {
    expect(findPaths(text)).toEqual(paths);
  });
});

describe('digest', () => {
  it('quotes the opening comment, the exports and their promises of code', () => {
    const text = [
      '#!/usr/bin/env node',
      '// Owns time.',
      '// Leaves out dates.',
      "import { a } from './a.ts';",
      '/** Reads the clock. Costs nothing. */',
      'export function now(): number {',
      '  return `',
      'exported text`.length;',
      '}',
      'export type Clock = { now(): number };',
      'export { a, b as c };',
      'export default now;',
      '',
    ].join('\n');

    expect(digest('src/base/clock.ts', text)).toEqual({
      kind: 'code',
      lines: 12,
      opening: 'Owns time. Leaves out dates.',
      headings: [],
      exports: [
        { name: 'now', promise: 'Reads the clock.' },
        { name: 'Clock', promise: '' },
        { name: 'a', promise: '' },
        { name: 'c', promise: '' },
        { name: 'default', promise: '' },
      ],
    });
  });

  it('quotes the first paragraph and the headings of Markdown, not those in code fences', () => {
    const text = '# Title\n\nFirst line\nsecond line.\n\n```sh\n# no heading\n```\n\n## Next\n';

    expect(digest('README.md', text)).toMatchObject({
      kind: 'markdown',
      lines: 10,
      opening: 'First line second line.',
      headings: ['Title', 'Next'],
    });
  });

  it('quotes the first paragraph of anything else', () => {
    expect(digest('notes.txt', '\none\ntwo\n\nthree\n')).toMatchObject({
      kind: 'text',
      opening: 'one two',
    });
  });

  it('says nothing of an empty file', () => {
    expect(digest('a.ts', '')).toEqual({
      kind: 'code',
      lines: 0,
      opening: '',
      headings: [],
      exports: [],
    });
  });
});
