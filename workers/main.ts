// Entry of every kind of thread, by its role, and of a process with one: for services that are bundled, and name it themselves.
import { isMainThread, workerData } from 'node:worker_threads';
import { isRecord } from '../src/base/is-record.ts';
import { processRole } from '../src/protocol/process-messages.ts';
import type { WorkerJob } from '../src/protocol/worker-messages.ts';

const ofThread = isRecord(workerData) ? workerData['role'] : undefined;
const role = isMainThread ? process.argv[2] : ofThread;
// Each loads only its own. Not awaited here, which a bundle of CommonJS cannot; what is posted meanwhile waits for its reader.
if (role === 'gateway') void import('./gateway.ts');
if (role === 'journal') void import('./journal.ts');
if (role === 'page') void import('./page.ts');
if (role === processRole) void import('./process.ts');

/** What the pool of agents' threads calls. */
export default async function slot(job: WorkerJob): Promise<never> {
  const { default: serve } = await import('./actor.ts');
  return serve(job);
}
