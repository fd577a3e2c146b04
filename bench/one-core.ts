// Owns the pinning of this process to one core, so that a round trip costs the same each time. Linux only; elsewhere it does nothing.
import { spawnSync } from 'node:child_process';

/** All threads of this process on one core until its scope ends. */
export type OneCore = Disposable & {
  /** False where the system offers no `taskset`: then nothing was changed. */
  readonly isPinned: boolean;
};

/**
 * Pins this process, with the threads it has and will have. Left alone, the kernel puts the two ends of a round
 * trip on one core or on two, for seconds at a time; on a virtual machine waking the other core can cost four
 * times the round trip itself, and a ratio may then compare two placements.
 */
export function pinToOneCore(): OneCore {
  const before = affinity();
  const [core] = before?.match(/\d+/) ?? [];
  if (before === null || core === undefined || !setAffinity(core)) {
    return { isPinned: false, [Symbol.dispose]() {} };
  }
  return {
    isPinned: true,
    [Symbol.dispose]() {
      setAffinity(before);
    },
  };
}

/** The cores this process may use, such as `0,1`; null where that cannot be asked. */
function affinity(): string | null {
  const { status, stdout } = spawnSync('taskset', ['-c', '-p', String(process.pid)], {
    encoding: 'utf8',
  });
  return status === 0 ? (stdout.split(': ').at(-1)?.trim() ?? null) : null;
}

function setAffinity(cores: string): boolean {
  return spawnSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)]).status === 0;
}
