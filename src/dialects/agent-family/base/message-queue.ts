// Owns the queue of printed messages: filled by agents, read by one reader, ended once (D9). Never makes a printer wait.
import { TroupeError } from '../../../base/failures.ts';
import type { Msg } from './msg.ts';

/** A message as it was printed. */
export type Printed = {
  /** All of the message so far. */
  readonly message: Msg;
  /** False for a message that still grows: the next of the same id has all of it, and more. */
  readonly isLast: boolean;
};

const defaultCapacity = 100;

/**
 * Printed messages in the order they were printed. Beyond `capacity` unread entries, a message that still
 * grows takes the place of its own earlier state, so that a slow reader costs no more than the messages themselves.
 */
export class MessageQueue implements AsyncIterable<Printed> {
  readonly #capacity: number;
  #entries: Printed[] = [];
  #wake: (() => void) | null = null;
  #isEnded = false;
  #isRead = false;

  constructor(capacity: number = defaultCapacity) {
    if (!Number.isInteger(capacity) || capacity < 1) {
      throw new TroupeError('invalid_options', `MessageQueue: capacity is ${capacity}`);
    }
    this.#capacity = capacity;
  }

  /** Number of unread entries. */
  get size(): number {
    return this.#entries.length;
  }

  /** False once it has ended: what is printed then goes nowhere. */
  push(printed: Printed): boolean {
    if (this.#isEnded) return false;
    if (this.#entries.length >= this.#capacity) {
      const { id } = printed.message;
      const at = this.#entries.findLastIndex((each) => !each.isLast && each.message.id === id);
      if (at >= 0) this.#entries.splice(at, 1);
    }
    this.#entries.push(printed);
    this.#wake?.();
    return true;
  }

  /** The end signal: a reader gets what is there, then its end. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** What is there now, taken out. */
  take(): readonly Printed[] {
    const taken = this.#entries;
    this.#entries = [];
    return taken;
  }

  /** Until the end signal. Throws `invalid_options` for a second reader at a time. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Printed, void, undefined> {
    if (this.#isRead) throw new TroupeError('invalid_options', 'this queue has a reader');
    this.#isRead = true;
    try {
      for (;;) {
        const entry = this.#entries.shift();
        if (entry !== undefined) yield entry;
        else if (this.#isEnded) return;
        else await this.#more();
      }
    } finally {
      this.#isRead = false;
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null;
        resolve();
      };
    });
  }
}
