// Writes the tests of each requirement and each rule into docs/requirements.md: node .ci/requirements-page.mjs
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs', 'requirements.md');
const shownFiles = 3;

/** A call with its title, skipped tests aside; one with a table has the title after the table. */
const call =
  /\b(?:it|test|describe)(?:\.(?!skip|todo)\w+)*\s*(?:\((?:[^()'"`]|\([^()]*\))*\)\s*)?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;
const table =
  /\b(?:it|test|describe)\.(?:each|for|prop)\b[\s\S]{0,1500}?[)`]\s*\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

function titlesIn(source) {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const titles = [call, table].flatMap((pattern) =>
    [...code.matchAll(pattern)].map(({ 0: whole, 2: title, index }) => [
      index + whole.lastIndexOf(title),
      title,
    ]),
  );
  return [...new Map(titles).values()];
}

/** For each id the test files that name it, those that name it most often first. */
function filesById() {
  const counts = new Map();
  for (const entry of readdirSync(join(root, 'test'), { withFileTypes: true, recursive: true })) {
    if (!entry.name.endsWith('.test.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(join(root, 'test/').length);
    for (const title of titlesIn(readFileSync(path, 'utf8'))) {
      for (const id of title.match(/\b[A-FXMSVPLOWJ]\d+\b/g) ?? []) {
        const files = counts.get(id) ?? new Map();
        counts.set(id, files.set(name, (files.get(name) ?? 0) + 1));
      }
    }
  }
  return new Map(
    [...counts].map(([id, files]) => [
      id,
      [...files].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name),
    ]),
  );
}

function linksTo(files) {
  const links = files
    .slice(0, shownFiles)
    .map((name) => `[${basename(name, '.test.ts')}](../test/${name})`);
  return files.length > shownFiles ? `${links.join(', ')}, …` : links.join(', ');
}

/** The page with the tests of each row renewed; a row that no test names keeps the words it has there. */
export function requirementsPage(text) {
  const files = filesById();
  return text.replace(
    /^(- \*\*([A-FXMSVPLOWJ]\d+)\*\*[\s\S]*?\bTests: )(.*)$/gm,
    (row, start, id) => (files.has(id) ? `${start}${linksTo(files.get(id))}` : row),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(page, requirementsPage(readFileSync(page, 'utf8')));
}
