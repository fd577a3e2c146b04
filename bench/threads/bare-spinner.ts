// A bare worker that spins for ever from its first message on; lowers its priority as threads of ours that run tools do.
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { spinForEver } from './spin-for-ever.ts';

setPriority(0, 15);
parentPort?.on('message', () => {
  spinForEver(() => parentPort?.postMessage('spinning'));
});
parentPort?.postMessage('ready');
