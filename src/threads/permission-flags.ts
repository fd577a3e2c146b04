// Decides the flags by which Node holds code to its profile: files, programs, addons, and from version 25 on the network.
import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOf, isRestricted, mayStartPrograms } from '../protocol/profile-rights.ts';
import type { WorkerProfile } from '../protocol/worker-profile.ts';

const known = process.allowedNodeEnvironmentFlags;
const permission = known.has('--permission') ? '--permission' : '--experimental-permission';
const everything = '*';

/** None for a profile that takes nothing away. `own` are paths that threads load their code from. */
export function permissionFlags(profile: WorkerProfile, own: readonly string[]): readonly string[] {
  if (!isRestricted(profile)) return [];
  const all = { read: [everything], write: [everything] };
  const { read, write } = filesOf(withReads(profile, own)) ?? all;
  return [
    permission,
    // Node announces on the console of the program that this is new to it.
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    // Its database opens and writes files that Node does not ask about.
    ...(known.has('--no-experimental-sqlite') ? ['--no-experimental-sqlite'] : []),
    ...read.map((path) => `--allow-fs-read=${path}`),
    ...write.map((path) => `--allow-fs-write=${path}`),
    ...(mayStartPrograms(profile) ? ['--allow-child-process'] : []),
    ...(profile.net !== 'none' && known.has('--allow-net') ? ['--allow-net'] : []),
  ];
}

function withReads({ fs }: WorkerProfile, own: readonly string[]): Pick<WorkerProfile, 'fs'> {
  if (fs === undefined) return {};
  const { read = [], write = [] } = fs === 'none' ? {} : fs;
  return { fs: { read: [...read, ...own], write } };
}

/**
 * The code of a thread: the folder of its entry, and the packages that may be loaded from there. A bundle may lie anywhere: nothing
 * above its folder is taken for code.
 */
export function ownPaths(workerUrl: URL | undefined): readonly string[] {
  const folder = folderOf(workerUrl);
  const isWhole = existsSync(join(folder, '..', 'workers', 'actor.js'));
  return [...(isWhole ? [dirname(folder), packageFile(folder)] : [folder]), ...packagesOf(folder)];
}

/** Where a thread may always read, whatever its flags: from Node 22 on in the working directory of its process. */
export function folderOf(workerUrl: URL | undefined): string {
  return dirname(fileURLToPath(workerUrl ?? new URL('../../workers/actor.js', import.meta.url)));
}

function packageFile(folder: string): string {
  return join(folder, '..', '..', 'package.json');
}

/** The folders of packages beside a folder and above it; where it is in one itself, the outermost of those. */
function packagesOf(folder: string): readonly string[] {
  const packages = `${sep}node_modules${sep}`;
  const at = `${folder}${sep}`.indexOf(packages);
  if (at >= 0) return [folder.slice(0, at + packages.length)];
  const above = folder.split(sep).map((_, count, parts) => parts.slice(0, count + 1).join(sep));
  return above.map((each) => `${each}${packages}`).filter((each) => existsSync(each));
}
