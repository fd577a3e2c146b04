// Owns what a kind of thread may use: heap limits, environment, permission flags. One pool per profile.
import { Worker } from 'node:worker_threads';
import { z } from 'zod';

/** Limits and rights of the threads that serve a set of actors. */
export type WorkerProfile = {
  /**
   * Where code runs: on threads of this process, or each slot in a process of its own, which ends alone whatever becomes of its
   * memory, and of the machine code that it loads. A process takes 60 MB more than a thread, and 100 ms more to start. Default
   * `thread`.
   */
  readonly isolation?: 'thread' | 'process';
  /**
   * Resident memory in MB that a process may take, Buffers and all; looked at ten times a second. Above it the process ends,
   * `out_of_memory`. For `isolation: 'process'` alone. Default twice `maxHeapMb`.
   */
  readonly memoryMb?: number;
  /**
   * Heap of the thread in MB. A thread that fills it with many objects ends `out_of_memory`, and nothing else does. One
   * array, Map, Set, object or string that outgrows it in a single step makes Node abort the process, which is this one unless
   * `isolation` is `process`; Buffers are not counted. Default 512.
   */
  readonly maxHeapMb?: number;
  /** Names of further environment variables that its code may read. PATH, HOME, LANG and TZ are always there. */
  readonly env?: readonly string[];
  /** Further Node flags, such as those of the permission model. Default none. */
  readonly execArgv?: readonly string[];
  /**
   * Added to the niceness of the thread, 0 to 19, where the system allows; half as much again from the first tool or
   * hook that runs in it, so that agents that wait come before those that compute. Default 10.
   */
  readonly niceness?: number;
};

/** What a process takes before it has done anything, and some room. */
const minMemoryMb = 128;

export const workerProfileSchema = z
  .strictObject({
    isolation: z.enum(['thread', 'process']).optional(),
    memoryMb: z.number().min(minMemoryMb).optional(),
    maxHeapMb: z.number().min(8).optional(),
    env: z.array(z.string()).optional(),
    execArgv: z.array(z.string()).optional(),
    niceness: z.number().int().min(0).max(19).optional(),
  })
  .refine(({ isolation, memoryMb }) => memoryMb === undefined || isolation === 'process', {
    path: ['memoryMb'],
    message: "needs isolation: 'process': the memory of a thread is that of its process",
  });

const alwaysThere = ['PATH', 'HOME', 'LANG', 'TZ'] as const;
export const defaultHeapMb = 512;
export const defaultNiceness = 10;

/** Two profiles with the same key can share threads. */
export function profileKey(profile: WorkerProfile): string {
  const { isolation, memoryMb, maxHeapMb, env = [], execArgv = [], niceness } = profile;
  return JSON.stringify([isolation, memoryMb, maxHeapMb, [...env].sort(), execArgv, niceness]);
}

export function memoryMbOf({ memoryMb, maxHeapMb = defaultHeapMb }: WorkerProfile): number {
  return memoryMb ?? Math.max(minMemoryMb, 2 * maxHeapMb);
}

/** The environment of a thread: no secret unless its name was asked for (decision 12). */
export function threadEnv(
  profile: WorkerProfile,
  from: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of [...alwaysThere, ...(profile.env ?? [])]) {
    const value = from[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/**
 * Rejects with Node's error for flags a thread cannot have. Tried on a thread of their own: where its worker cannot
 * be made, piscina leaves a promise behind that rejects, unhandled, when the pool closes.
 */
export async function tryFlags({ execArgv = [] }: WorkerProfile): Promise<void> {
  if (execArgv.length === 0) return;
  const thread = new Worker('', { eval: true, env: {}, execArgv: [...execArgv] });
  // An error that comes only once it runs fails the slot as well, and with it the slot's request.
  thread.on('error', () => {});
  await thread.terminate();
}
