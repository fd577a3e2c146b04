// Owns what a slot needs of the pool of threads: a job that lasts as long as its thread. Types only.
import type { MessagePort, Worker } from 'node:worker_threads';
import type { WorkerJob } from '../protocol/worker-messages.ts';

/** What a slot needs of the pool of threads. */
export type WorkerRunner = {
  /** Runs the slot's job, which lasts as long as its thread. */
  run(job: WorkerJob, options: { transfer: MessagePort[]; signal: AbortSignal }): Promise<unknown>;
  /** The thread that reported `threadId`, so that the slot can listen for its exit. */
  threadOf(threadId: number): Worker | null;
  /** Called when the thread has begun to serve: it no longer keeps the process alive on its own. */
  serves(threadId: number): void;
};
