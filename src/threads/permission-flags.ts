// Decides the flags by which Node holds code to its profile: files, programs, addons, and from version 25 on the network.
import { existsSync } from 'node:fs';
import { dirname, sep } from 'node:path';
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

/** The code of a thread: that of this package, of all packages beside it, and of a bundle. None of it is a secret. */
export function ownPaths(workerUrl: URL | undefined): readonly string[] {
  // Where it is built: dist/.
  const here = fileURLToPath(new URL('../..', import.meta.url));
  const root = dirname(here);
  const packages = `${sep}node_modules${sep}`;
  const at = here.indexOf(packages);
  const paths = [
    here,
    `${root}${sep}package.json`,
    at < 0 ? `${root}${packages}` : here.slice(0, at + packages.length),
    ...(workerUrl === undefined ? [] : [dirname(fileURLToPath(workerUrl))]),
  ];
  return paths.filter((path) => existsSync(path));
}

/** Where a thread may always read, whatever its flags: from Node 22 on in the working directory of its process. */
export function harmlessFolder(): string {
  return fileURLToPath(new URL('../../workers', import.meta.url));
}
