// Owns what a kind of thread may use: heap limits, files, network, programs, environment. One pool per profile.
import { isAbsolute } from 'node:path';
import { z } from 'zod';

/** Absolute paths of folders, with all that is below them, and of files. */
export type FileAccess = {
  /** What may be read, beside what may be written. Default: nothing. */
  readonly read?: readonly string[];
  /** What may be written, made and removed. Default: nothing. */
  readonly write?: readonly string[];
};

/** What code may reach of other machines: none, public addresses alone (`guarded`), or all. */
export type NetworkAccess = (typeof networkAccess)[number];
/** The least first. */
export const networkAccess = ['none', 'guarded', 'open'] as const;

/** Limits and rights of the threads that serve a set of actors. */
export type WorkerProfile = {
  /**
   * Where code runs: on threads of this process, or each slot in a process of its own, which ends alone whatever becomes of its
   * memory, and of the machine code that it loads. A process takes 60 MB more than a thread, and 100 ms more to start. With `auto`
   * agents run on threads, and in processes those that need a tool with the tag `heavy`, or a module of a thread that
   * ran out of memory. Default `thread`, and `process` with `fs`: from Node 22 on a thread can read the working directory of its
   * process, whatever `fs` says.
   */
  readonly isolation?: 'thread' | 'process' | 'auto';
  /**
   * Resident memory in MB that a process may take, Buffers and all; looked at ten times a second. Above it the process ends,
   * `out_of_memory`. For `isolation: 'process'` and `auto`. Default twice `maxHeapMb`.
   */
  readonly memoryMb?: number;
  /**
   * MB that a thread may use for objects and Buffers; looked at ten times a second. One that uses 32 MB more than that
   * ends `out_of_memory`, and nothing else does. Garbage that was not collected yet counts. In a single step that is too large, and before
   * Node 22.16 in a loop that never waits, one array, Map, Set, object or string makes Node abort the process, which is this one
   * unless `isolation` is `process`. There it is the heap alone. Default 512.
   */
  readonly maxHeapMb?: number;
  /**
   * Files that its code may reach: `none`, or folders and files by absolute paths; what may be written may be read as well. Node
   * refuses the rest, with the loading of native addons. Default: all that the user of the process may reach.
   */
  readonly fs?: 'none' | FileAccess;
  /**
   * Whether its code may reach other machines: `none`, or `guarded` for public addresses alone, as the toolset `web`. Node
   * enforces `none` from version 25 on; before, and for `guarded`, it holds code that does not set out to get around it.
   * Default `open`.
   */
  readonly net?: NetworkAccess;
  /**
   * Whether its code may start programs, which are not bound by `fs` and `net`, and load native addons. Default: only where neither
   * is given.
   */
  readonly child?: boolean;
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
export const minMemoryMb = 128;

const paths = z.array(z.string().refine(isAbsolute, 'expected an absolute path')).optional();

const fields = {
  isolation: z.enum(['thread', 'process', 'auto']).optional(),
  memoryMb: z.number().min(minMemoryMb).optional(),
  maxHeapMb: z.number().min(8).optional(),
  fs: z.union([z.literal('none'), z.strictObject({ read: paths, write: paths })]).optional(),
  net: z.enum(networkAccess).optional(),
  child: z.boolean().optional(),
  env: z.array(z.string()).optional(),
  niceness: z.number().int().min(0).max(19).optional(),
};

export const workerProfileSchema = checked(
  z.strictObject({ ...fields, execArgv: z.array(z.string()).optional() }),
);

/** What agents name: flags could widen what a profile says, and are those of all threads. */
export const agentProfileSchema = checked(z.strictObject(fields));

type Checked = {
  readonly isolation?: 'thread' | 'process' | 'auto' | undefined;
  readonly memoryMb?: number | undefined;
  readonly fs?: unknown;
  readonly net?: NetworkAccess | undefined;
  readonly child?: boolean | undefined;
};

function checked<Profile extends Checked>(schema: z.ZodType<Profile>): z.ZodType<Profile> {
  return schema
    .refine((profile) => profile.memoryMb === undefined || isolationOf(profile) !== 'thread', {
      path: ['memoryMb'],
      message:
        "needs isolation: 'process' or 'auto': the memory of a thread is that of its process",
    })
    .refine(
      ({ child, fs, net = 'open' }) => child !== true || (fs === undefined && net === 'open'),
      {
        path: ['child'],
        message: 'a program that is started is bound by neither fs nor net',
      },
    );
}

/** Limits and rights of the agents that name it: those of `WorkerProfile`, without flags of Node. */
export type AgentProfile = Omit<WorkerProfile, 'execArgv'>;

/** With `fs` a process, unless a thread is asked for. */
export function isolationOf({ isolation, fs }: Checked): 'thread' | 'process' | 'auto' {
  if (fs === undefined) return isolation ?? 'thread';
  return isolation === 'thread' ? 'thread' : 'process';
}

/** Two profiles with the same key can share threads. */
export function profileKey(profile: WorkerProfile): string {
  const {
    isolation,
    memoryMb,
    maxHeapMb,
    fs,
    net,
    child,
    env = [],
    execArgv = [],
    niceness,
  } = profile;
  const limits = [isolation, memoryMb, maxHeapMb, niceness];
  return JSON.stringify([limits, fs, net, child, [...env].sort(), execArgv]);
}
