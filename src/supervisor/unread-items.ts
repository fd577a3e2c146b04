// Owns what a reader of a stream has not read yet: text of one task is joined, and a reader that is too far behind fails.
import { TroupeError } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { StreamItem } from '../tasks/stream-items.ts';

/** Characters that a reader may be behind; more fails its stream. */
const maxUnread = 4 * 1024 * 1024;
/** What an item counts beside its text. */
const itemSize = 256;

/** An item, or an outcome, of the task at a place of a source. */
export type Unread = {
  readonly index: number;
  readonly item: StreamItem | { readonly type: 'outcome'; readonly outcome: Outcome };
};

export class UnreadItems {
  #unread: Unread[] = [];
  /** The text of each task that more of it is joined to: nothing else of that task came after it. */
  readonly #texts = new Map<string, Unread>();
  #size = 0;
  #isEnded = false;
  #failure: { readonly error: unknown } | null = null;
  #waiting: (() => void)[] = [];
  readonly #onFail: () => void;

  /** `onFail` is called when the reader is too far behind. */
  constructor(onFail: () => void) {
    this.#onFail = onFail;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  push(unread: Unread): void {
    if (this.#isEnded) return;
    const { item } = unread;
    const taskId = item.type === 'outcome' ? item.outcome.taskId : item.taskId;
    const last = this.#texts.get(taskId);
    if (item.type === 'text' && last?.item.type === 'text') {
      const joined = { ...last, item: { ...last.item, text: last.item.text + item.text } };
      this.#unread[this.#unread.lastIndexOf(last)] = joined;
      this.#texts.set(taskId, joined);
      this.#size += item.text.length;
    } else {
      this.#unread.push(unread);
      this.#size += sizeOf(unread);
      if (item.type === 'text') this.#texts.set(taskId, unread);
      else this.#texts.delete(taskId);
    }
    if (this.#size > maxUnread) this.#fallBehind();
    this.#wake();
  }

  /** The reader gets what is left, and then the end, or this error. */
  end(failure: { readonly error: unknown } | null = null): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure = failure;
    this.#wake();
  }

  /** The reader has left: there is nothing more for it. */
  leave(): void {
    this.#clear();
    this.end();
  }

  async next(): Promise<IteratorResult<Unread, undefined>> {
    for (;;) {
      const unread = this.#unread.shift();
      if (unread !== undefined) {
        this.#size -= sizeOf(unread);
        const { item } = unread;
        if (item.type === 'text') this.#texts.delete(item.taskId);
        this.#wake();
        return { done: false, value: unread };
      }
      if (this.#failure !== null) throw this.#failure.error;
      if (this.#isEnded) return { done: true, value: undefined };
      await this.#changed();
    }
  }

  /** Resolves when nothing is left to read. */
  async whenRead(): Promise<void> {
    while (this.#unread.length > 0) await this.#changed();
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #fallBehind(): void {
    const message = `the reader of a stream is more than ${maxUnread} characters behind`;
    this.#clear();
    this.end({ error: new TroupeError('mailbox_full', message) });
    this.#onFail();
  }

  #clear(): void {
    this.#unread = [];
    this.#texts.clear();
    this.#size = 0;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function sizeOf({ item }: Unread): number {
  return item.type === 'text' ? itemSize + item.text.length : itemSize;
}
