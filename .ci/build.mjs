// Compiles src/ and workers/ to dist/, and bench/ beside them, when a source is newer than the last build; the thread entry
// becomes one file.
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
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const stamp = join(dist, '.stamp');
const sources = ['src', 'workers', 'bench'];
const configs = [
  '.ci/build.mjs',
  'tsconfig.json',
  'bench/tsconfig.json',
  'package.json',
  'package-lock.json',
];

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

/**
 * Every thread loads its entry anew: as sixty modules that costs it half as much CPU again as one file, and more to tear
 * down. Packages stay packages.
 */
async function bundleThreadEntry() {
  const { rolldown } = await import('rolldown');
  const entry = join(dist, 'workers', 'actor.js');
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
  });
  await bundle.write({ file: entry, codeSplitting: false, sourcemap: true });
  await bundle.close();
}

const now = fingerprint(inputs());
const before = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
if (now !== before) {
  rmSync(dist, { recursive: true, force: true });
  compile('tsconfig.json');
  await bundleThreadEntry();
  if (existsSync(join(root, 'bench', 'main.ts'))) compile('bench/tsconfig.json');
  const bin = join(dist, 'src', 'cli', 'main.js');
  if (existsSync(bin)) chmodSync(bin, 0o755);
  mkdirSync(dist, { recursive: true });
  writeFileSync(stamp, now);
}
