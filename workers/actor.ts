// Thread entry of an actor: what the pool calls to turn a thread into a seat.
import { getPriority, setPriority } from 'node:os';
import { threadId } from 'node:worker_threads';
import type { SeatJob } from '../src/threads/wire.ts';
import { ThreadSeat } from './thread-seat.ts';

const lowestPriority = 19;

/** Lowers this thread's own priority where the system counts threads apart, so that the host's loop stays free. */
function lowerPriority(niceness: number): void {
  if (niceness === 0 || process.platform !== 'linux') return;
  // Added, as `nice` does: what the host was given already may not be taken back by an ordinary user.
  setPriority(0, Math.min(getPriority(0) + niceness, lowestPriority));
}

/** Never resolves: a seat lasts as long as its thread. */
export default function seat({ port, words, niceness }: SeatJob): Promise<never> {
  lowerPriority(niceness);
  new ThreadSeat(port, new Int32Array(words));
  port.postMessage({ type: 'online', threadId });
  return new Promise(() => {});
}
