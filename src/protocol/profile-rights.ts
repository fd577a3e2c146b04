// Decides what a profile leaves of another's rights, and which tools it takes away. Pure.
import { isAbsolute, relative, sep } from 'node:path';
import { omitUndefined } from '../base/omit-undefined.ts';
import {
  type FileAccess,
  isolationOf,
  networkAccess,
  type WorkerProfile,
} from './worker-profile.ts';

const farthestFirst = ['process', 'auto', 'thread'] as const;

type Files = NonNullable<WorkerProfile['fs']>;

/** What an agent below one with the profile `above` has of `asked`: no right that is not above, no more memory. */
export function clampProfile(above: WorkerProfile, asked: WorkerProfile): WorkerProfile {
  const places = [above, asked].map(isolationOf);
  const isolation = farthestFirst.find((each) => places.includes(each)) ?? 'thread';
  const env = asked.env?.filter((name) => above.env?.includes(name));
  const fs = sharedFiles(above.fs, asked.fs);
  const net = [above.net, asked.net].flatMap((each) => each ?? []);
  return omitUndefined({
    isolation,
    memoryMb: isolation === 'thread' ? undefined : smallest(above.memoryMb, asked.memoryMb),
    maxHeapMb: smallest(above.maxHeapMb, asked.maxHeapMb),
    fs,
    net: networkAccess.find((access) => net.includes(access)),
    child: mayStartPrograms(above) && mayStartPrograms(asked) ? undefined : false,
    env,
    execArgv: above.execArgv,
    niceness: greatest(above.niceness, asked.niceness),
  });
}

export function mayStartPrograms({ child, fs, net = 'open' }: WorkerProfile): boolean {
  return child !== false && fs === undefined && net === 'open';
}

/** Node's permission model is what holds it. */
export function isRestricted(profile: WorkerProfile): boolean {
  return profile.fs !== undefined || profile.net === 'none' || !mayStartPrograms(profile);
}

/** Folders and files that code may read and write; null for all. */
export function filesOf({ fs }: { readonly fs?: Files | undefined }): Required<FileAccess> | null {
  if (fs === undefined) return null;
  const { read = [], write = [] } = fs === 'none' ? {} : fs;
  return { read: outermost([...read, ...write]), write: outermost(write) };
}

/** Tools that a profile takes away, by a pattern, and what they would need. */
export type TakenTools = { readonly pattern: string; readonly lacks: string };

/** Tools are known by their tags, wherever they run: what a profile takes from a thread, no tool of the service gives back. */
export function toolsTakenBy(profile: WorkerProfile, workspace: string): readonly TakenTools[] {
  const files = filesOf(profile);
  const taken: TakenTools[] = [];
  if (files !== null && !reaches(files.read, workspace)) {
    taken.push({ pattern: 'tag:file', lacks: `the right to read ${workspace}` });
  }
  if (files !== null && !reaches(files.write, workspace)) {
    taken.push({ pattern: 'tag:write', lacks: `the right to write in ${workspace}` });
  }
  if (!mayStartPrograms(profile)) {
    taken.push({ pattern: 'tag:process', lacks: 'the right to start programs' });
  }
  if (profile.net === 'none') taken.push({ pattern: 'tag:network', lacks: 'the network' });
  return taken;
}

export function reaches(paths: readonly string[], path: string): boolean {
  return paths.some((each) => isWithin(path, each));
}

/** Each once, and none that is in another: there are versions of Node that abort over a path that is given twice. */
function outermost(paths: readonly string[]): readonly string[] {
  const all = [...new Set(paths.map(withoutEnd))];
  return all.filter((path) => !all.some((other) => other !== path && isWithin(path, other)));
}

function sharedFiles(above: Files | undefined, asked: Files | undefined): Files | undefined {
  const upper = filesOf({ fs: above });
  const lower = filesOf({ fs: asked });
  if (upper === null) return asked;
  if (lower === null) return above;
  const read = shared(upper.read, lower.read);
  const write = shared(upper.write, lower.write);
  return read.length === 0 ? 'none' : { read, write };
}

function shared(above: readonly string[], asked: readonly string[]): readonly string[] {
  const both = above.flatMap((upper) =>
    asked.flatMap((lower) =>
      isWithin(lower, upper) ? [lower] : isWithin(upper, lower) ? [upper] : [],
    ),
  );
  return outermost(both);
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function withoutEnd(path: string): string {
  return path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path;
}

function smallest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function greatest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
