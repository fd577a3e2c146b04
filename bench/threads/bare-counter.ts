// A bare worker that adds up the amounts it is sent and answers `total`; lowers its priority as our threads do.
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

export type CounterMessage =
  | { readonly type: 'add'; readonly amount: number; readonly note: string }
  | { readonly type: 'total' };

setPriority(0, 10);
let total = 0;
parentPort?.on('message', (message: CounterMessage) => {
  if (message.type === 'add') {
    total += message.amount;
  } else {
    parentPort?.postMessage(total);
    total = 0;
  }
});
parentPort?.postMessage('ready');
