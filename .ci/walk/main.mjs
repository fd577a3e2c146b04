// Makes docs/walk.svg: the commands of the README in a terminal, as they ran. node .ci/walk/main.mjs, after a build, on Linux.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { svgOf } from './svg.mjs';
import { Terminal } from './terminal.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const size = { columns: 100, rows: 28 };
const read = { commandMs: 900, outputMs: 2_500 };

/** The commands of the README that its reader is told to run, without their comments. */
export function walkOf(readme) {
  return [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block]) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter((line) => line !== '');
}

/** Runs them in a folder that has the programs of the README, and documents; resolves with what was on the terminal. */
export async function recordWalk() {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const folder = mkdtempSync(join(root, 'dist', 'walk-'));
  try {
    for (const [name, text] of Object.entries({ ...programsOf(readme), ...documents() })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
    symlinkSync(root, join(folder, 'node_modules', 'troupe'), 'dir');
    symlinkSync(
      join(root, 'dist', 'lib', 'cli.js'),
      join(folder, 'node_modules', '.bin', 'troupe'),
    );
    // `npx` and its network are not part of the picture, and no key of this machine is.
    const functions =
      'npx() { shift; "$NODE" node_modules/.bin/troupe "$@"; }; node() { "$NODE" "$@"; }; ';
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      TERM: 'xterm-256color',
      NODE: process.execPath,
    };

    const terminal = new Terminal(size);
    for (const line of walkOf(readme)) {
      await terminal.write(`\u001b[1m$ ${line}\u001b[0m\r\n`);
      terminal.pause(read.commandMs);
      await terminal.run(functions + line, { cwd: folder, env });
      terminal.pause(read.outputMs);
    }
    return terminal;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Blocks of one name are parts of one file. */
function programsOf(readme) {
  const files = { 'package.json': '{ "type": "commonjs" }\n' };
  for (const [, name, text] of readme.matchAll(/^```js (\S+)\n([\s\S]*?)^```$/gm)) {
    files[name] = (files[name] ?? '') + text;
  }
  return files;
}

function documents() {
  // Pages that do not change: what agents say of them is in the picture.
  const folder = join(root, 'docs', 'decisions');
  const names = readdirSync(folder).sort().slice(0, 8);
  return Object.fromEntries(
    names.map((name) => [`docs/${shortened(name)}`, readFileSync(join(folder, name), 'utf8')]),
  );
}

/** A long name would be cut where the times beside it are long. */
function shortened(name) {
  return `${name.split(/[-.]/).slice(1, 3).join('-')}.md`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const terminal = await recordWalk();
  const title = 'The commands of the README in a terminal';
  writeFileSync(
    join(root, 'docs', 'walk.svg'),
    svgOf(terminal.frames, { ...size, title, text: terminal.text(), restMs: 4_000 }),
  );
}
