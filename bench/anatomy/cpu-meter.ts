// Counts the CPU time of the host and of the threads, in microseconds. Leaves out V8's helpers, whose time differs from run to run.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Figures } from './figures.ts';
import type { Meter } from './meter.ts';

/** Where Linux lists the threads of this process. */
const threadsOfProcess = '/proc/self/task';

/** What newer releases of Node offer, and 20 does not. */
type CpuTime = { readonly user: number; readonly system: number };
type TimedWorker = Worker & { readonly cpuUsage: () => Promise<CpuTime> };
type TimedProcess = NodeJS.Process & { readonly threadCpuUsage: () => CpuTime };

/**
 * `system`: Linux counts each thread in nanoseconds, for every release of Node. `node`: newer releases count a thread in
 * microseconds. `process`: else only the whole process is counted.
 */
type CpuSource = 'system' | 'node' | 'process';

export function cpuSource(): CpuSource {
  if (process.platform === 'linux') return 'system';
  return 'threadCpuUsage' in process && 'cpuUsage' in Worker.prototype ? 'node' : 'process';
}

export async function cpuMeter(): Promise<Meter> {
  return {
    prepare: async () => {},
    read: await readerOf(cpuSource()),
    report: (cost) => cost,
  };
}

async function readerOf(source: CpuSource): Promise<() => Promise<Figures>> {
  switch (source) {
    case 'system':
      return systemReader();
    case 'node':
      return nodeReader();
    case 'process':
      return async () => ({ 'CPU of the process': inUs(process.cpuUsage()) });
    default:
      return source satisfies never;
  }
}

/** Whatever thread begins from now on is one of the library's. A thread is counted up to its last rest. */
async function systemReader(): Promise<() => Promise<Figures>> {
  // The helpers of libuv begin when they are first needed: now.
  await promisify(randomBytes)(1);
  const helpers = new Set(readdirSync(threadsOfProcess));
  const host = String(process.pid);
  return async () => {
    const figures = { 'CPU of the host': 0, 'CPU of threads': 0 };
    for (const id of readdirSync(threadsOfProcess)) {
      const [ns] = readFileSync(`${threadsOfProcess}/${id}/schedstat`, 'utf8').split(' ');
      const us = Number(ns) / 1_000;
      if (id === host) figures['CPU of the host'] += us;
      else if (!helpers.has(id)) figures['CPU of threads'] += us;
    }
    return figures;
  };
}

function nodeReader(): () => Promise<Figures> {
  const workers = new Set<TimedWorker>();
  process.on('worker', (worker) => {
    workers.add(worker as TimedWorker);
    worker.once('exit', () => workers.delete(worker as TimedWorker));
  });
  return async () => {
    const threads = await Promise.all([...workers].map((worker) => worker.cpuUsage()));
    const host = (process as TimedProcess).threadCpuUsage();
    return {
      'CPU of the host': inUs(host),
      'CPU of threads': threads.reduce((total, each) => total + inUs(each), 0),
    };
  };
}

function inUs({ user, system }: CpuTime): number {
  return user + system;
}
