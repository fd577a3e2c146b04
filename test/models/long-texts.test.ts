// Checks that texts of others are read in a time that grows with their length, not with its square.
import { expect, test } from 'vitest';
import { digest, findPaths } from '#src/models/offline/digest.js';
import { withoutSecrets } from '#src/models/secrets.js';

/** Seconds of CPU: what takes time with the square of such a length takes ten and more, the other hundredths. */
const maxSeconds = 2;
const length = 60_000;

const works: readonly (readonly [string, (text: string) => unknown])[] = [
  ['a text without its secrets', (text) => withoutSecrets(text, [])],
  ['what a document says of itself', (text) => digest('a.md', text)],
  ['what a module says of itself', (text) => digest('a.ts', text)],
  ['the paths in a text', findPaths],
];

const texts: readonly (readonly [string, string])[] = [
  ['one word', 'x'.repeat(length)],
  ['a word with stars', '**x'.repeat(length / 3)],
  ['a heading with a gap', `# x${' '.repeat(length)}y`],
  ['a heading of marks', `# x${' #'.repeat(length / 2)}y`],
  ['folders', 'a/'.repeat(length / 2)],
  ['points', 'a.'.repeat(length / 2)],
  ['exports', 'export \n'.repeat(length / 8)],
  ['quotes', '"a.'.repeat(length / 3)],
  ['an open comment', `/**${' *'.repeat(length / 2)}`],
];

test.each(
  works.flatMap(([what, work]) => texts.map(([kind, text]) => ({ what, kind, work, text }))),
)('$what takes time with its length: $kind', ({ work, text }) => {
  const before = process.cpuUsage();

  work(text);

  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000_000).toBeLessThan(maxSeconds);
});

test('a word is taken out whole where a part of a key is shown in it', () => {
  const text = withoutSecrets('one abc***def, "***" two\nthree ** four', []);

  expect(text).toBe('one [key] [key] two\nthree ** four');
});
