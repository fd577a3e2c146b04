// Owns the threads of one profile: piscina, started at first need, and a report for each that fails to start. The only
// file that knows piscina.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MessagePort, Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { systemClock } from '../base/clock.ts';
import { TroupeError } from '../base/failures.ts';
import { resolvedWithin } from '../base/resolved-within.ts';
import { isRestricted } from '../protocol/profile-rights.ts';
import type { WorkerJob } from '../protocol/worker-messages.ts';
import type { WorkerProfile } from '../protocol/worker-profile.ts';
import { ceilingMb, HeapWatch } from './heap-watch.ts';
import type { SlotPort, SlotPortEvents, SlotThreads } from './slot-port.ts';
import { ThreadPort } from './thread-port.ts';
import { defaultHeapMb, defaultNiceness, flagsOf, threadEnv, tryFlags } from './worker-profile.ts';

export type PiscinaThreadsOptions = {
  /** Maximum number of threads at a time. */
  readonly max: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the thread entry is, for those who bundle. */
  readonly workerUrl?: URL | undefined;
  /** The address of the loader for TypeScript that this process runs under; null: none. */
  readonly tsx: string | null;
  /** What all threads of the pool share: how many runs wait for one. */
  readonly needed: SharedArrayBuffer;
  /** A thread died before it could take a job; piscina keeps the job that it was started for, and starts no other. */
  readonly onFailedToStart: (error: unknown) => void;
};

/** Not for bundlers to see: piscina finds its own thread entry beside its files, which a bundle would lose. */
const poolPackage: string = 'piscina';
/** What `workers/entry.cjs` exports. */
const importing = 'slot';
const comingUpMs = 2_000;

export class PiscinaThreads implements SlotThreads {
  /** The heap that each of them may have, in MB. */
  readonly heapMb: number;
  readonly #profile: WorkerProfile;
  readonly #options: PiscinaThreadsOptions;
  readonly #heaps: HeapWatch;
  readonly #started: Promise<Piscina>;
  /** Piscina's records of the threads that came up and did not exit. */
  readonly #serving = new Set<PoolRecord>();
  #pool: Piscina | null = null;
  #isEnding = false;
  /** What the last thread failed of that had no job. */
  #fault: { readonly error: unknown } | null = null;

  constructor(profile: WorkerProfile, options: PiscinaThreadsOptions) {
    this.heapMb = profile.maxHeapMb ?? defaultHeapMb;
    this.#heaps = new HeapWatch(this.heapMb);
    this.#profile = profile;
    this.#options = options;
    this.#started = this.#start();
    // Each `run` rejects with the error, so the slot that waits receives it.
    this.#started.catch(() => {});
  }

  open(
    { buffer: sharedFlags }: Int32Array<SharedArrayBuffer>,
    events: SlotPortEvents,
    signal: AbortSignal,
  ): { readonly port: SlotPort; readonly over: Promise<unknown> } {
    const port = new ThreadPort(events);
    return { port, over: this.#run({ port: port.other, sharedFlags }, signal) };
  }

  /** Runs a slot's job, which lasts as long as its thread. */
  async #run(job: Pick<WorkerJob, 'port' | 'sharedFlags'>, signal: AbortSignal): Promise<unknown> {
    const pool = await this.#started;
    signal.throwIfAborted();
    const { niceness = defaultNiceness, net = 'open' } = this.#profile;
    const { tsx, needed } = this.#options;
    const whole: WorkerJob = {
      ...{ ...job, niceness, tsx, needed, net },
      isRestricted: isRestricted(this.#profile),
    };
    return pool.run(whole, { transferList: [job.port], signal });
  }

  /**
   * The thread that reported `threadId` has begun to serve: it no longer keeps the process alive on its own, and no more
   * messages are expected on the port of its job, which has no end. Returns it, so that its exit can be observed.
   */
  serve(threadId: number, sharedFlags: Int32Array): Worker | null {
    const worker = this.#pool?.threads.find((thread) => thread.threadId === threadId) ?? null;
    for (const record of this.#serving) {
      if (record.worker !== worker) continue;
      record.unref();
      record.onMessage = () => {
        record.onMessage = () => {};
        // What else lies there is not even taken out.
        record.port.close();
        record.worker.emit('error', noAnswer());
      };
    }
    if (worker !== null) this.#heaps.add(worker, sharedFlags);
    return worker;
  }

  /** Its threads share the number. */
  needChanged(): void {}

  /** Ends what is left. One that could not be started has nothing to destroy. */
  async destroy(): Promise<void> {
    this.#isEnding = true;
    await this.#started.then(
      async (pool) => {
        if (pool.options.name !== importing) await this.#comeUp(pool);
        await pool.destroy();
      },
      () => {},
    );
  }

  /** Resolves once no thread is on its way, 2 s later when one does not come up. */
  async #comeUp(pool: Piscina): Promise<void> {
    const limits = { clock: systemClock, timeoutMs: comingUpMs };
    const areUp = new Promise<void>((resolve) => {
      const look = (): void => {
        if (pool.threads.length <= this.#serving.size) resolve();
      };
      pool.on('workerCreate', look);
      pool.on('workerDestroy', look);
      look();
    });
    await resolvedWithin(areUp, limits);
  }

  /** Loaded at first need: a program that never delegates pays nothing for the pool. */
  async #start(): Promise<Piscina> {
    const profile = this.#profile;
    const { Piscina: Pool }: typeof import('piscina') = await import(poolPackage);
    const { max, env } = this.#options;
    const workerUrl = this.#options.workerUrl ?? new URL('../../workers/actor.js', import.meta.url);
    const flags = flagsOf(profile, this.#options.workerUrl);
    await tryFlags(flags);
    startHelpers();
    const pool = new Pool({
      ...entryOf(workerUrl),
      workerData: { entry: workerUrl.href },
      minThreads: 0,
      maxThreads: max,
      concurrentTasksPerWorker: 1,
      atomics: 'disabled',
      recordTiming: false,
      env: threadEnv(profile, env),
      resourceLimits: { maxOldGenerationSizeMb: ceilingMb(this.heapMb) },
      execArgv: [...flags],
    });
    pool.on('workerCreate', (thread: PoolThread) => {
      const record = recordOf(thread);
      if (record !== null) this.#serving.add(record);
    });
    pool.on('workerDestroy', (thread: PoolThread) => {
      const record = recordOf(thread);
      const wasServing = record === null || this.#serving.delete(record);
      // Ended on purpose while it was starting, it has not failed.
      if (!wasServing && !this.#isEnding) this.#reportFailedToStart();
    });
    // Without a listener it would throw in the host. A thread that serves has a job, which fails with what it threw; one that
    // was ended before, and threw on its way out, concerns no agent.
    pool.on('error', (error: unknown) => {
      this.#fault = { error };
      queueMicrotask(() => {
        this.#fault = null;
      });
    });
    this.#pool = pool;
    return pool;
  }

  /** Piscina reports the end of the thread first, and its error in the same turn. */
  #reportFailedToStart(): void {
    queueMicrotask(() => {
      const error = this.#fault?.error ?? new Error('the thread exited before it was ready');
      this.#fault = null;
      this.#options.onFailedToStart(error);
    });
  }
}

/**
 * The file that the pool loads, and what of it. It is not there beside a bundle: the pool requires the entry of that, and no thread
 * may be ended meanwhile, since that aborts the process (workers/entry.cjs).
 */
function entryOf(workerUrl: URL): { readonly filename: string; readonly name: string } {
  const direct = { filename: fileURLToPath(workerUrl), name: 'default' };
  // A bundle of CommonJS has no address of its own.
  if (import.meta.url === undefined) return direct;
  const filename = fileURLToPath(new URL('../../workers/entry.cjs', import.meta.url));
  return existsSync(filename) ? { filename, name: importing } : direct;
}

/**
 * The process has one pool of helper threads for files, names and ciphers, made at first need, with the priority of the
 * thread that needs it: it is made here, before a thread of ours steps back, or the host's own reads would step back too.
 */
function startHelpers(): void {
  // They are there once they have been handed work, whenever they come to it: a process may keep them all busy.
  randomBytes(1, () => {});
}

/** What piscina's events hand out, anew each time: under a symbol, the thread's record. */
type PoolThread = object;

/**
 * Piscina's own record of a thread. Without `unref` the thread's job port keeps the process alive while it serves.
 * `onMessage` reads that port: piscina's own trusts each message; a forged one makes it throw or use a thread twice.
 */
type PoolRecord = {
  unref(): void;
  onMessage: (message: unknown) => void;
  readonly port: MessagePort;
  readonly worker: Worker;
};

function noAnswer(): TroupeError {
  return new TroupeError('protocol_violation', 'a thread answered for a job that has no end');
}

/**
 * A slot is a job that never ends, and piscina keeps the process alive while a job runs. Whether the process may exit
 * is the supervisor's decision, so the job's port is unreferenced. A release of piscina that hides the record costs that,
 * and the report of a thread that failed to start.
 */
function recordOf(thread: PoolThread): PoolRecord | null {
  for (const symbol of Object.getOwnPropertySymbols(thread)) {
    const record: unknown = Reflect.get(thread, symbol);
    if (typeof record !== 'object' || record === null || !('unref' in record)) continue;
    if (typeof record.unref === 'function') return record as PoolRecord;
  }
  return null;
}
