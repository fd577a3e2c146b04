// Thread entry of every kind of thread, by its role: for services that are bundled, and name it themselves.
import { workerData } from 'node:worker_threads';
import { isRecord } from '../src/base/is-record.ts';
import type { WorkerJob } from '../src/protocol/worker-messages.ts';

const role = isRecord(workerData) ? workerData['role'] : undefined;
// Each loads only its own. Not awaited here, which a bundle of CommonJS cannot; what is posted meanwhile waits for its reader.
if (role === 'gateway') void import('./gateway.ts');
if (role === 'journal') void import('./journal.ts');
if (role === 'page') void import('./page.ts');

/** What the pool of agents' threads calls. */
export default async function slot(job: WorkerJob): Promise<never> {
  const { default: serve } = await import('./actor.ts');
  return serve(job);
}
