// Owns the system's state of one thread of this process: whether it runs or sleeps (V9). Only Linux reports it.
// Leaves out what follows from it.
import { readFileSync } from 'node:fs';

/**
 * The state in a line of `/proc/<pid>/task/<tid>/stat`, null when it is no such line. The state follows the command
 * name, which is in parentheses and may contain spaces and parentheses of its own; only numbers follow.
 */
export function stateOf(stat: string): string | null {
  return /^\d+ \(.*\) ([A-Za-z])\s/s.exec(stat)?.[1] ?? null;
}

/**
 * True when the system reports that the thread neither runs nor waits for a processor. It is the state of this moment:
 * a loop of short synchronous calls is now one, now the other. False where the system reports none. Reads a file of
 * the kernel, synchronously: microseconds.
 */
export function isAsleep(osThreadId: number | null): boolean {
  const state = osThreadId === null ? null : stateOf(readStat(osThreadId));
  return state !== null && state !== 'R';
}

/** Empty when there is none: another system, a `/proc` that is closed, a thread that is gone. */
function readStat(osThreadId: number): string {
  try {
    return readFileSync(`/proc/self/task/${osThreadId}/stat`, 'utf8');
  } catch {
    return '';
  }
}
