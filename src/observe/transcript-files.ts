// Owns live transcripts: the messages of each run, a line per message, in a file that grows with the run (C47).
// A reader of the events: it writes behind the agents and never slows one.
import type { Clock } from '../base/clock.ts';
import { failure, reasonOf } from '../base/failures.ts';
import type { EventType } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';

export type TranscriptFilesOptions = {
  readonly events: EventBus;
  readonly clock: Clock;
  /** The messages that a task's run has sent and received so far; the list only grows. */
  readonly transcript: (taskId: string) => readonly unknown[];
  /** Makes a new file and resolves with its path. */
  readonly create: (taskId: string) => Promise<string>;
  readonly append: (path: string, text: string) => Promise<void>;
};

/** After these there may be more to write. */
const growing = [
  'task_started',
  'turn_committed',
  'task_retried',
  'task_completed',
] as const satisfies readonly EventType[];

/** How long `close` waits for a disk that does not answer, in milliseconds. */
const closeMs = 5_000;

/** What is to be written of a task: the newest state of its messages replaces every earlier one. */
type Due = {
  readonly taskId: string;
  readonly messages: readonly unknown[];
  readonly isOver: boolean;
};
type File = { readonly path: string; written: number };

export class TranscriptFiles {
  readonly #options: TranscriptFilesOptions;
  /** By task and run, as are the files. */
  readonly #due = new Map<string, Due>();
  readonly #files = new Map<string, File>();
  /** How often tasks were run again. */
  readonly #retries = new Map<string, number>();
  /** Tasks whose file failed once: the failure was reported, and the file is not tried again. */
  readonly #given = new Set<string>();
  readonly #stops: readonly (() => void)[];
  #writing: Promise<void> | null = null;

  constructor(options: TranscriptFilesOptions) {
    this.#options = options;
    this.#stops = growing.map((type) =>
      options.events.on(type, ({ taskId }) => {
        if (taskId === undefined) return;
        if (type === 'task_retried') this.#endAttempt(taskId);
        else this.#markChanged(taskId, type === 'task_completed');
      }),
    );
  }

  /** Resolves when everything is written, or after five seconds. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    if (this.#writing === null) return;
    let cancel = (): void => {};
    const late = new Promise<boolean>((resolve) => {
      cancel = this.#options.clock.after(closeMs, () => resolve(true));
    });
    const isLate = await Promise.race([this.#writing.then(() => false), late]);
    cancel();
    if (isLate) this.#report('transcripts were not written', 'the disk does not answer');
  }

  #markChanged(taskId: string, isOver: boolean): void {
    if (this.#given.has(taskId)) {
      if (isOver) this.#given.delete(taskId);
      return;
    }
    const messages = this.#options.transcript(taskId);
    const key = this.#keyOf(taskId);
    if (isOver) this.#retries.delete(taskId);
    // A task that never started has no messages.
    if (messages.length > 0) this.#due.set(key, { taskId, messages, isOver });
    this.#writing ??= this.#writeAll();
  }

  /** The run is over, and all its messages are known: the next one of the task has a file of its own. */
  #endAttempt(taskId: string): void {
    const key = this.#keyOf(taskId);
    this.#retries.set(taskId, (this.#retries.get(taskId) ?? 0) + 1);
    if (this.#given.delete(taskId)) return;
    const messages = this.#due.get(key)?.messages ?? [];
    this.#due.set(key, { taskId, messages, isOver: true });
    this.#writing ??= this.#writeAll();
  }

  #keyOf(taskId: string): string {
    return `${taskId} ${this.#retries.get(taskId) ?? 0}`;
  }

  async #writeAll(): Promise<void> {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const [key, due] = next;
      const { taskId } = due;
      try {
        await this.#write(key, due);
      } catch (error) {
        const later = this.#due.get(key);
        this.#due.delete(key);
        this.#files.delete(key);
        // A task that is over emits no further events, so it needs no entry.
        if (!due.isOver && later?.isOver !== true) this.#given.add(taskId);
        const why = reasonOf(error);
        this.#report(`the transcript of ${taskId} could not be written`, why);
      }
    }
    this.#writing = null;
  }

  #next(): readonly [string, Due] | null {
    const [first] = this.#due;
    if (first === undefined) return null;
    this.#due.delete(first[0]);
    return first;
  }

  async #write(key: string, { taskId, messages, isOver }: Due): Promise<void> {
    const { create, append } = this.#options;
    const file = this.#files.get(key) ?? { path: await create(taskId), written: 0 };
    this.#files.set(key, file);
    const lines = messages.slice(file.written).map((message) => `${JSON.stringify(message)}\n`);
    if (lines.length > 0) await append(file.path, lines.join(''));
    // The list may have grown while the disk was written.
    file.written += lines.length;
    if (isOver) this.#files.delete(key);
  }

  #report(message: string, why: string): void {
    const fault = failure('log_file_failed', why);
    this.#options.events.emit('log', {}, { level: 'error', message, failure: fault });
  }
}
