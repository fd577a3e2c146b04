// A bare worker that spins for ever from its first message on; lowers its priority as our threads do.
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { spinForEver } from './spin-for-ever.ts';

setPriority(0, 10);
parentPort?.on('message', () => {
  spinForEver(() => parentPort?.postMessage('spinning'));
});
parentPort?.postMessage('ready');
