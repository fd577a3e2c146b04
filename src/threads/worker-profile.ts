// Owns what threads get of their profile: heap, memory, environment, and whether Node takes their flags.
import { Worker } from 'node:worker_threads';
import { minMemoryMb, type WorkerProfile } from '../protocol/worker-profile.ts';
import { ownPaths, permissionFlags } from './permission-flags.ts';

const alwaysThere = ['PATH', 'HOME', 'LANG', 'TZ'] as const;
export const defaultHeapMb = 512;
export const defaultNiceness = 10;

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

/** Of its threads: what it says, and what holds their code to the rest of it. */
export function flagsOf(profile: WorkerProfile, workerUrl: URL | undefined): readonly string[] {
  return [...(profile.execArgv ?? []), ...permissionFlags(profile, ownPaths(workerUrl))];
}

/**
 * Rejects with Node's error for flags a thread cannot have. Tried on a thread of their own: where its worker cannot
 * be made, piscina leaves a promise behind that rejects, unhandled, when the pool closes.
 */
export async function tryFlags(execArgv: readonly string[]): Promise<void> {
  if (execArgv.length === 0) return;
  const thread = new Worker('', { eval: true, env: {}, execArgv: [...execArgv] });
  // An error that comes only once it runs fails the slot as well, and with it the slot's request.
  thread.on('error', () => {});
  await thread.terminate();
}
