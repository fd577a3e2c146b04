// Owns a look at the machine's processes, so that tests see what a shell left behind. Linux only, like the machine of the tests.
import { readdirSync, readFileSync } from 'node:fs';
import { until } from './until.ts';

/** Numbers of the living processes of a group; those that are dead and not yet collected do not count. */
export function membersOf(group: number): readonly number[] {
  return processes()
    .filter(({ pgrp }) => pgrp === group)
    .map(({ pid }) => pid);
}

/** Resolves when a group has no living member. */
export async function groupIsGone(group: number): Promise<void> {
  let looks = 0;
  await until(() => {
    looks += 1;
    return looks % 20 === 1 && membersOf(group).length === 0 ? true : null;
  }, `the end of group ${group}`);
}

/** Resolves when one thread of a process, not its first, has worked this long since the call. */
export async function threadSpins(pid: number, workedMs = 200): Promise<void> {
  const before = workOfThreads(pid);
  await until(() => {
    for (const [thread, worked] of workOfThreads(pid)) {
      if (worked - (before.get(thread) ?? 0) >= workedMs) return true;
    }
    return null;
  }, `a thread of ${pid} that computes`);
}

/** Milliseconds of CPU by thread. */
function workOfThreads(pid: number): ReadonlyMap<string, number> {
  const work = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    if (thread === String(pid)) continue;
    const [nanoseconds] = textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ');
    work.set(thread, Number(nanoseconds) / 1e6);
  }
  return work;
}

type Process = { readonly pid: number; readonly pgrp: number };

function processes(): readonly Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = textOf(`/proc/${name}/stat`);
    // After the command in parentheses: state, parent, group.
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === undefined || state === 'Z' || state === 'X' || state === ''
      ? []
      : [{ pid: Number(name), pgrp: Number(pgrp) }];
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended between the listing and the reading, or belongs to somebody else.
    return '';
  }
}
