// A bare worker that says hello and answers every message with itself; lowers its priority as our threads do.
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

setPriority(0, 10);
parentPort?.on('message', (message: unknown) => parentPort?.postMessage(message));
parentPort?.postMessage('ready');
