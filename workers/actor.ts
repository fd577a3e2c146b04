// Thread entry of an actor: what the pool calls to turn a thread into a slot.
import { readlinkSync } from 'node:fs';
import { parentPort, threadId } from 'node:worker_threads';
import type { FromThread, WorkerJob } from '../src/protocol/worker-messages.ts';
import { ThreadPriority } from './thread-priority.ts';
import { TypeScript } from './typescript.ts';
import { reportUsedMemory } from './used-memory.ts';
import { WorkerMain } from './worker-main.ts';

/** The system's id of this thread, so that the host can look it up when it is silent (V9). */
function findOsThreadId(): number | null {
  if (process.platform !== 'linux') return null;
  try {
    const id = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1];
    return id === undefined ? null : Number(id);
  } catch {
    // A system without `/proc` reports none.
    return null;
  }
}

/** Never resolves: a slot lasts as long as its thread. */
export default async function slot({
  port,
  niceness,
  tsx,
  net,
  isRestricted,
  ...shared
}: WorkerJob): Promise<never> {
  // The pool no longer needs it: what is posted there would cost the host time and have no reader.
  parentPort?.close();
  if (net !== 'open') (await import('./network-guard.ts')).guardNetwork(net);
  if (isRestricted) (await import('./process-guard.ts')).guardProcess();
  const sharedFlags = new Int32Array(shared.sharedFlags);
  reportUsedMemory(sharedFlags);
  new WorkerMain(
    port,
    { sharedFlags, needed: new Int32Array(shared.needed) },
    new ThreadPriority(niceness),
    new TypeScript(tsx),
  );
  const online: FromThread = { type: 'online', threadId, osThreadId: findOsThreadId() };
  port.postMessage(online);
  return new Promise(() => {});
}
