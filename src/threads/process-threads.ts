// Owns the processes of one profile: one for each slot, with one thread in it. Started when a slot asks, ended with it.
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TroupeError, toFailure } from '../base/failures.ts';
import { type ProcessJob, processRole } from '../protocol/process-messages.ts';
import { isRestricted } from '../protocol/profile-rights.ts';
import type { WorkerProfile } from '../protocol/worker-profile.ts';
import { folderOf } from './permission-flags.ts';
import { ProcessPort, startProcess } from './process-port.ts';
import type { ServingThread, SlotPort, SlotPortEvents, SlotThreads } from './slot-port.ts';
import {
  defaultHeapMb,
  defaultNiceness,
  flagsOf,
  memoryMbOf,
  threadEnv,
} from './worker-profile.ts';

export type ProcessThreadsOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the entry is, for those who bundle. */
  readonly workerUrl?: URL | undefined;
  /** As in `WorkerJob`. */
  readonly tsx: string | null;
  readonly needed: SharedArrayBuffer;
};

export class ProcessThreads implements SlotThreads {
  readonly heapMb: number;
  readonly #profile: WorkerProfile;
  readonly #options: ProcessThreadsOptions;
  readonly #flags: readonly string[];
  readonly #ports = new Set<ProcessPort>();

  constructor(profile: WorkerProfile, options: ProcessThreadsOptions) {
    this.heapMb = profile.maxHeapMb ?? defaultHeapMb;
    this.#profile = profile;
    this.#options = options;
    this.#flags = flagsOf(profile, options.workerUrl);
  }

  open(
    flags: Int32Array<SharedArrayBuffer>,
    events: SlotPortEvents,
    signal: AbortSignal,
  ): { readonly port: SlotPort; readonly over: Promise<unknown> } {
    const { env, needed } = this.#options;
    const shared = { flags, needed: new Int32Array(needed) };
    let child: ChildProcess;
    try {
      child = startProcess(this.#args(), {
        env: threadEnv(this.#profile, env),
        ...(this.#profile.fs === undefined ? {} : { cwd: folderOf(this.#options.workerUrl) }),
      });
    } catch (error) {
      return {
        port: noPort,
        over: Promise.reject(TroupeError.from(toFailure(error, 'spawn_failed'))),
      };
    }
    const port = new ProcessPort(child, this.#job(), shared, events, signal);
    this.#ports.add(port);
    port.over.catch(() => this.#ports.delete(port));
    return { port, over: port.over };
  }

  serve(threadId: number): ServingThread | null {
    for (const port of this.#ports) if (port.pid === threadId) return port;
    return null;
  }

  needChanged(): void {
    for (const port of this.#ports) port.needChanged();
  }

  async destroy(): Promise<void> {
    const ends = [...this.#ports].map((port) => {
      port.close();
      return port.over.catch(() => {});
    });
    await Promise.all(ends);
  }

  #args(): readonly string[] {
    const execArgv = this.#flags;
    const url = this.#options.workerUrl ?? new URL('../../workers/process.js', import.meta.url);
    // Its own thread is all that a process with few rights may start; that thread may start none.
    const own = execArgv.some((flag) => permission.test(flag)) ? ['--allow-worker'] : [];
    return [...execArgv, ...own, fileURLToPath(url), processRole];
  }

  #job(): ProcessJob {
    const { niceness = defaultNiceness, net = 'open' } = this.#profile;
    const { heapMb } = this;
    const execArgv = this.#flags;
    const memoryMb = memoryMbOf(this.#profile);
    const limits = { heapMb, memoryMb, execArgv, niceness, net };
    const { tsx } = this.#options;
    return { type: 'job', ...limits, isRestricted: isRestricted(this.#profile), tsx };
  }
}

/** Of a process that could not be started. */
const noPort: SlotPort = {
  isBehind: false,
  post: () => {},
  sendGateway: (port) => port.close(),
  readRest: () => {},
  close: () => {},
};

const permission = /^--(experimental-)?permission$/;
