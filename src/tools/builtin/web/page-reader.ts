// Owns the threads that read pages: one per page, two at a time, each with an end. Fetches nothing.
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../base/clock.ts';
import { TroupeError, toFailure } from '../../../base/failures.ts';
import { abortablePromise } from '../../../base/with-abort.ts';
import type { HtmlPage } from './page-text.ts';

/** Milliseconds a page may take to be read; the largest of them take a second of a busy machine. */
const readTimeoutMs = 10_000;
const maxThreads = 2;
const heapMb = 256;

/** Reads pages beside the service's loop: a page is text of strangers, and megabytes of tags take their time. */
export class PageReader {
  readonly #clock: Clock;
  readonly #workerUrl: URL | undefined;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  /** `workerUrl` is the thread entry of a service that is bundled. */
  constructor(clock: Clock, workerUrl?: URL) {
    this.#clock = clock;
    this.#workerUrl = workerUrl;
  }

  /** The text of a page. Throws `web_failed` when it takes longer than 10 s, the signal's reason when that aborts. */
  async read(page: HtmlPage, signal: AbortSignal): Promise<string> {
    await this.#turn();
    try {
      signal.throwIfAborted();
      return await this.#readInThread(page, signal);
    } finally {
      this.#busy -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    while (this.#busy >= maxThreads) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#busy += 1;
  }

  async #readInThread(page: HtmlPage, signal: AbortSignal): Promise<string> {
    const entry = this.#workerUrl ?? new URL('../../../../workers/page.js', import.meta.url);
    const worker = new Worker(entry, {
      name: 'troupe-page',
      workerData: { ...page, role: 'page' },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    const late = `it took longer than ${readTimeoutMs} ms`;
    try {
      return await abortablePromise<string>(signal, (resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', (error) => reject(failed(page, toFailure(error).message)));
        worker.once('exit', () => reject(failed(page, 'its thread ended')));
        return this.#clock.after(readTimeoutMs, () => reject(failed(page, late)));
      });
    } finally {
      await worker.terminate();
    }
  }
}

function failed({ url }: HtmlPage, why: string): TroupeError {
  return new TroupeError('web_failed', `${url} could not be read as a page: ${why}`);
}
