// Owns the system's state of one thread, of this process or one that it started: whether it runs or sleeps (V9). Only Linux reports it.
// Leaves out what follows from it.
import { readFileSync } from 'node:fs';
import { systemClock } from '../base/clock.ts';

/**
 * The state in a line of `/proc/<pid>/task/<tid>/stat`, null when it is no such line. The state follows the command
 * name, which is in parentheses and may contain spaces and parentheses of its own; only numbers follow.
 */
export function stateOf(stat: string): string | null {
  return /^\d+ \(.*\) ([A-Za-z])\s/s.exec(stat)?.[1] ?? null;
}

/** How long a thread has run on a processor by a moment, both in milliseconds. */
export type RunTime = { readonly ranMs: number; readonly atMs: number };

/** Null where the system does not count it. */
export function runTimeOf(osThreadId: number | null): RunTime | null {
  const [ran] = osThreadId === null ? [] : read(osThreadId, 'schedstat').split(' ');
  if (ran === undefined || ran === '') return null;
  return { ranMs: Number(ran) / 1_000_000, atMs: systemClock.now() };
}

/** Share of the time that a thread has to run to count as working: one that waits in a call runs for almost none. */
const workingShare = 0.1;

/** True when a thread has worked between two moments, whatever it does at either of them. */
export function hasWorked(before: RunTime | null, now: RunTime | null): boolean {
  if (before === null || now === null) return false;
  return now.ranMs - before.ranMs > (now.atMs - before.atMs) * workingShare;
}

/**
 * True when the system reports that the thread neither runs nor waits for a processor, and it has not worked since `before`: a
 * loop sleeps at moments too, as while it is compiled. False where the system reports no state. Reads files of the kernel,
 * synchronously: microseconds.
 */
export function isAsleep(osThreadId: number | null, before: RunTime | null): boolean {
  const state = osThreadId === null ? null : stateOf(read(osThreadId, 'stat'));
  return state !== null && state !== 'R' && !hasWorked(before, runTimeOf(osThreadId));
}

/** Empty when there is none: another system, a `/proc` that is closed, a thread that is gone. */
function read(osThreadId: number, file: 'stat' | 'schedstat'): string {
  try {
    return readFileSync(`/proc/${osThreadId}/task/${osThreadId}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
