// Owns the start of a journal's thread, until its first message. Waits for nothing.
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { JournalThreadData } from './journal-messages.ts';
import type { Retention } from './retention.ts';
import type { Durability } from './store.ts';

export type SqliteJournalOptions = {
  readonly path: string;
  /** Default `machine`. */
  readonly durability?: Durability | undefined;
  /** Default: all is kept for ever. */
  readonly retention?: Retention;
  /** Receives the ended tasks that are not kept any longer, as they go. */
  readonly onPruned?: ((taskIds: readonly string[]) => void) | undefined;
  /** The thread entry of a service that is bundled. */
  readonly workerUrl?: URL | undefined;
};

/** A thread that is opening a journal. */
export class JournalThread {
  readonly worker: Worker;
  readonly port: MessagePort;
  /** 1 once the thread runs, 2 once its first message is there. */
  readonly progress = new Int32Array(new SharedArrayBuffer(4));
  /** Why the thread ended before; undefined while it has not. */
  fault: string | undefined;

  constructor(
    {
      path,
      durability = 'machine',
      retention = { outcomesMs: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER },
      workerUrl,
    }: SqliteJournalOptions,
    isNewLife: boolean,
  ) {
    const url = workerUrl ?? new URL('../../workers/journal.js', import.meta.url);
    const { port1, port2 } = new MessageChannel();
    const settings = { role: 'journal', path, durability, retention, isNewLife } as const;
    const workerData: JournalThreadData = { ...settings, port: port2, progress: this.progress };
    this.port = port1;
    this.worker = new Worker(url, {
      workerData,
      transferList: [port2],
      env: {},
      name: 'troupe-journal',
      // What it reads and writes is garbage at once.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    this.worker.on('error', ({ message }) => {
      this.fault = message;
    });
  }
}
