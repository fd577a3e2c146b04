// Owns the bare worker threads that baselines are made of: starting them, talking to them, ending them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type MessagePort, Worker } from 'node:worker_threads';

/** The entries under `bench/threads/` that a bare worker can run. */
export type BareEntry = 'bare-echo' | 'bare-counter' | 'bare-spinner' | 'bare-savina';

/** Bare workers that end with their scope. */
export type BareThreads = AsyncDisposable & {
  readonly workers: readonly Worker[];
  readonly first: Worker;
};

/** Starts a worker and resolves with it at its first message. */
export async function startBareThread(entry: BareEntry): Promise<Worker> {
  const worker = new Worker(new URL(`../threads/${entry}.js`, import.meta.url));
  await once(worker, 'message');
  return worker;
}

/** Starts several, four at a time, so that the machine is not measured starting threads. */
export async function startBareThreads(entry: BareEntry, count: number): Promise<BareThreads> {
  const workers: Worker[] = [];
  while (workers.length < count) {
    const batch = Array.from({ length: Math.min(4, count - workers.length) }, () =>
      startBareThread(entry),
    );
    workers.push(...(await Promise.all(batch)));
  }
  const [first] = workers;
  if (first === undefined) throw new Error('at least one thread is started');
  return {
    workers,
    first,
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** Starts spinners and resolves when every one of them spins. */
export async function startBareSpinners(count: number): Promise<BareThreads> {
  const threads = await startBareThreads('bare-spinner', count);
  await Promise.all(threads.workers.map((worker) => askBareThread(worker, 'spin')));
  return threads;
}

/** Posts one message, with what it transfers, and resolves with the next that comes back. */
export async function askBareThread(
  worker: Worker,
  message: unknown,
  transferred: readonly MessagePort[] = [],
): Promise<unknown> {
  const answered = once(worker, 'message');
  worker.postMessage(message, transferred);
  const [answer] = await answered;
  return answer;
}

/** Round trips in us to a `bare-echo`, each sent from the handler of the last: nothing of JavaScript is left to save. */
export function bareRoundTrips(worker: Worker, count: number): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const samples: number[] = [];
    let sentAt = performance.now();
    const send = () => {
      sentAt = performance.now();
      worker.postMessage({ type: 'ping', round: samples.length });
    };
    const receive = (message: { readonly round: number }) => {
      const receivedAt = performance.now();
      try {
        assert.equal(message.round, samples.length, 'the echo of another round came back');
      } catch (failure) {
        reject(failure);
        return;
      }
      samples.push((receivedAt - sentAt) * 1_000);
      if (samples.length < count) {
        send();
      } else {
        worker.off('message', receive);
        resolve(samples);
      }
    };
    worker.on('message', receive);
    send();
  });
}
