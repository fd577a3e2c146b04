// Owns how the offline model splits work over files: a task per folder, small enough for its reader. Pure.
import { findPaths } from './digest.ts';

/** A part of the work, as it is handed to a subagent. */
export type PlannedTask = {
  /** What the part is called: `src/actor/ (5 files)`. */
  readonly title: string;
  readonly goal: string;
  readonly role: 'leaf' | 'orchestrator';
};

export type PlanPlace = {
  /** Tasks of one call. */
  readonly limit: number;
  /** Whether a subagent may delegate in turn. */
  readonly mayNest: boolean;
};

/** Files one reader gets, and how many at most where there would be too many readers. */
const usualFiles = 4;
const maxFiles = 12;
/** Calls that a plan should do with. */
const fewCalls = 20;

/** The files a goal is about: those of its list `Files:`, verbatim, else every path it names. */
export function filesIn(goal: string): readonly string[] {
  const listed = /^Files:\n((?:- .+(?:\n|$))+)/m.exec(goal)?.[1];
  if (listed === undefined) return findPaths(goal);
  return [
    ...new Set(
      listed
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(2)),
    ),
  ];
}

/** What is asked for, without the files, the context and the name of a part. */
export function requestOf(goal: string): string {
  const [words = ''] = goal.split(/\n\n(?:# Context\n|Files:\n)/);
  return words.replace(/^[^\n]*? \(\d+ files?\):\n/, '').trim();
}

/** The parts, in the order of their paths; every file is in exactly one. */
export function planTasks(
  request: string,
  files: readonly string[],
  place: PlanPlace,
): readonly PlannedTask[] {
  const sorted = [...files].sort();
  const shared = sharedFolder(sorted);
  return foldersBelow(shared, sorted).flatMap(([folder, within]): readonly PlannedTask[] => {
    if (within.length > usualFiles && folder !== shared && place.mayNest) {
      return [taskOf(request, folder, within, 'orchestrator')];
    }
    const size = readersShare(within.length, place);
    const chunks = Math.ceil(within.length / size);
    return Array.from({ length: chunks }, (_, at) => {
      const name = chunks === 1 ? folder : `${folder} ${at + 1} of ${chunks}`;
      return taskOf(request, name, within.slice(at * size, (at + 1) * size), 'leaf');
    });
  });
}

function readersShare(files: number, { limit }: PlanPlace): number {
  return Math.min(maxFiles, Math.max(usualFiles, Math.ceil(files / (limit * fewCalls))));
}

function taskOf(
  request: string,
  name: string,
  files: readonly string[],
  role: PlannedTask['role'],
): PlannedTask {
  const [only = ''] = files;
  const count = files.length === 1 ? '1 file' : `${files.length} files`;
  const title = `${files.length === 1 ? only : name || '../'} (${count})`;
  const list = files.map((file) => `- ${file}`).join('\n');
  return { title, goal: `${title}:\n${request}\n\nFiles:\n${list}`, role };
}

/** The deepest folder that all are in, with a slash at its end; empty at the top. */
function sharedFolder([first = '', ...others]: readonly string[]): string {
  let shared = first.slice(0, first.lastIndexOf('/') + 1);
  for (const file of others) {
    while (!file.startsWith(shared)) {
      shared = shared.slice(0, shared.lastIndexOf('/', shared.length - 2) + 1);
    }
  }
  return shared;
}

/** The files by the folder directly below `shared` that they are in. */
function foldersBelow(
  shared: string,
  files: readonly string[],
): readonly (readonly [string, readonly string[]])[] {
  const folders = new Map<string, string[]>();
  for (const file of files) {
    const end = file.indexOf('/', shared.length);
    const folder = end === -1 ? shared : file.slice(0, end + 1);
    const within = folders.get(folder);
    if (within === undefined) folders.set(folder, [file]);
    else within.push(file);
  }
  return [...folders];
}
