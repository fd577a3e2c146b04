// Compiles src/ and workers/ to dist/, and bench/ beside them, when a source is newer than the last build.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const stamp = join(dist, '.stamp');
const sources = ['src', 'workers', 'bench'];
const configs = ['tsconfig.json', 'bench/tsconfig.json', 'package.json', 'package-lock.json'];

/** The files a build depends on; a deleted file changes the list, so it is part of the stamp. */
function inputs() {
  const files = configs.map((name) => join(root, name)).filter((file) => existsSync(file));
  for (const folder of sources) {
    const base = join(root, folder);
    if (!existsSync(base)) continue;
    for (const entry of readdirSync(base, { withFileTypes: true, recursive: true })) {
      const parent = entry.parentPath ?? entry.path;
      if (entry.isFile() && entry.name.endsWith('.ts') && !parent.includes('node_modules')) {
        files.push(join(parent, entry.name));
      }
    }
  }
  return files.sort();
}

function fingerprint(files) {
  return files.map((file) => `${file} ${statSync(file).mtimeMs} ${statSync(file).size}`).join('\n');
}

function compile(config) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const result = spawnSync(process.execPath, [tsc, '-p', config], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (result.status !== 0) {
    rmSync(stamp, { force: true });
    process.exit(result.status ?? 1);
  }
}

const now = fingerprint(inputs());
const before = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
if (now !== before) {
  rmSync(dist, { recursive: true, force: true });
  compile('tsconfig.json');
  if (existsSync(join(root, 'bench', 'main.ts'))) compile('bench/tsconfig.json');
  const bin = join(dist, 'src', 'cli', 'main.js');
  if (existsSync(bin)) chmodSync(bin, 0o755);
  mkdirSync(dist, { recursive: true });
  writeFileSync(stamp, now);
}
