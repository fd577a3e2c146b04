// Thread entry of an actor: what the pool calls to turn a thread into a seat.
import { readlinkSync } from 'node:fs';
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

/** What the system calls this thread, so that the host can look it up when it is silent (V9). */
function findOsThreadId(): number | null {
  if (process.platform !== 'linux') return null;
  try {
    const id = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1];
    return id === undefined ? null : Number(id);
  } catch {
    // A system without `/proc` does not say.
    return null;
  }
}

/** Never resolves: a seat lasts as long as its thread. */
export default function seat({ port, words, niceness }: SeatJob): Promise<never> {
  lowerPriority(niceness);
  new ThreadSeat(port, new Int32Array(words));
  port.postMessage({ type: 'online', threadId, osThreadId: findOsThreadId() });
  return new Promise(() => {});
}
