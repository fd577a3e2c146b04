// Owns where the two ends of a round trip run, so that it costs the same each time. Linux only; elsewhere it does nothing.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/** `together`: every thread of this process on one core. `apart`: this thread on one, the others on another. */
export type Placement = 'together' | 'apart';

/** A placement that ends with its scope. */
export type Placed = Disposable & {
  /** False where the system offers no `taskset`, or too few cores: then nothing was changed. */
  readonly isPlaced: boolean;
};

const left: Placed = { isPlaced: false, [Symbol.dispose]() {} };

/**
 * Pins the threads that this process has by now. Left alone, the kernel puts the two ends of a round trip on one core or
 * on two, for seconds at a time; on a virtual machine waking the other core costs three times the round trip itself, and
 * a ratio may then compare two placements.
 */
export function place(placement: Placement): Placed {
  const before = affinity();
  const [first, second] = before === null ? [] : coresOf(before);
  const other = placement === 'together' ? first : second;
  if (before === null || first === undefined || other === undefined) return left;
  const main = String(process.pid);
  const isPlaced = pinAll(main, other) && pin(main, first);
  return {
    isPlaced,
    [Symbol.dispose]() {
      pinAll(main, before);
    },
  };
}

/** The cores this process may use, such as `0,1` or `0-3`; null where that cannot be asked. */
function affinity(): string | null {
  const { status, stdout } = spawnSync('taskset', ['-c', '-p', String(process.pid)], {
    encoding: 'utf8',
  });
  return status === 0 ? (stdout.split(': ').at(-1)?.trim() ?? null) : null;
}

/** The first and the last core of a list. */
function coresOf(list: string): readonly string[] {
  const numbers = list.match(/\d+/g) ?? [];
  const [first] = numbers;
  const last = numbers.at(-1);
  return first === undefined || last === undefined || first === last ? numbers : [first, last];
}

function pinAll(process: string, cores: string): boolean {
  return readdirSync(`/proc/${process}/task`).every((thread) => pin(thread, cores));
}

/** A thread that has ended meanwhile needs no place. */
function pin(thread: string, cores: string): boolean {
  const { status, stderr } = spawnSync('taskset', ['-c', '-p', cores, thread], {
    encoding: 'utf8',
  });
  return status === 0 || stderr.includes('No such process');
}
