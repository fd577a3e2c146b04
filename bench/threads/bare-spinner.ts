// A bare worker that spins for ever from its first message on; lowers its priority as our threads do.
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

setPriority(0, 10);
parentPort?.on('message', () => {
  parentPort?.postMessage('spinning');
  for (;;);
});
parentPort?.postMessage('ready');
