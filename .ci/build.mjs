// Compiles src/ and workers/ to dist/, and bench/ beside them, when a source is newer than the last build. Each thread
// entry becomes one file, and the entry points of the package a few in dist/lib: what a program imports.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
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
      if (entry.isFile() && /\.(ts|cjs)$/.test(entry.name) && !parent.includes('node_modules')) {
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

const isPackage = (id) => !id.startsWith('.') && !isAbsolute(id);

const threadEntries = ['actor', 'gateway', 'journal', 'page', 'process', 'main'];

/**
 * Every thread loads its entry anew: as sixty modules that costs it half as much CPU again as one file, and more to tear
 * down. Packages stay packages.
 */
async function bundleThreadEntries() {
  const { rolldown } = await import('rolldown');
  const isEntry = (id) => threadEntries.some((name) => id === `./${name}.js`);
  for (const name of threadEntries) {
    const file = join(dist, 'workers', `${name}.js`);
    const bundle = await rolldown({
      input: file,
      platform: 'node',
      external: (id) => isPackage(id) || isEntry(id),
    });
    await bundle.write({ file, codeSplitting: false });
    await bundle.close();
  }
}

/** The entry points of package.json by the file of dist/lib that each becomes, with the module that it is made from. */
function entryPoints() {
  const { bin, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const library = Object.values(exports).filter((entry) =>
    entry.default?.startsWith('./dist/lib/'),
  );
  const made = library.map(({ types, default: file }) => [file, types.replace(/\.d\.ts$/, '.js')]);
  return Object.fromEntries(
    [...made, [bin.troupe, './dist/src/cli/main.js']].map(([file, source]) => [
      basename(file, '.js'),
      join(root, source),
    ]),
  );
}

/** Keeps an address relative to a module right in the folder that its code is bundled into. */
const relocate = (folder) => ({
  name: 'relocate',
  transform(code, id) {
    const addresses = /new URL\('(\.\.\/[^']+)', import\.meta\.url\)/g;
    const moved = code.replaceAll(addresses, (_all, address) => {
      const target = relative(folder, join(dirname(id), address))
        .split(sep)
        .join('/');
      return `new URL('${target}', import.meta.url)`;
    });
    return moved === code ? null : { code: moved, map: null };
  },
});

/** Four hundred modules cost a program 0.15 to 0.25 s more to import than the same code in a few files. */
async function bundleEntryPoints() {
  const { rolldown } = await import('rolldown');
  const dir = join(dist, 'lib');
  const bundle = await rolldown({
    input: entryPoints(),
    platform: 'node',
    external: isPackage,
    plugins: [relocate(dir)],
    // What a thread loads late, the host has loaded already.
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({
    dir,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name].js',
  });
  await bundle.close();
}

const now = fingerprint(inputs());
const before = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
if (now !== before) {
  rmSync(dist, { recursive: true, force: true });
  compile('tsconfig.json');
  copyFileSync(join(root, 'workers', 'entry.cjs'), join(dist, 'workers', 'entry.cjs'));
  await bundleThreadEntries();
  await bundleEntryPoints();
  if (existsSync(join(root, 'bench', 'main.ts'))) compile('bench/tsconfig.json');
  const bin = join(dist, 'lib', 'cli.js');
  if (existsSync(bin)) chmodSync(bin, 0o755);
  mkdirSync(dist, { recursive: true });
  writeFileSync(stamp, now);
}
