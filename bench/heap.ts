// Owns how much memory is held once the garbage is gone. Judges nothing.
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Bytes of this thread's heap without the garbage of what went before. */
export async function heapNow(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    collect();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}
