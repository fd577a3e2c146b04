// Owns how a task's stream is sent over HTTP: bytes that are made when they are read, plain or as server-sent events.
import { toFailure } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { StreamItem } from '../tasks/stream-items.ts';

const encoder = new TextEncoder();

/** The pieces as UTF-8; `onCancel` is called when the reader leaves before the end. */
export function byteStream(
  pieces: AsyncIterator<string>,
  onCancel: () => Promise<unknown>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await pieces.next();
        if (piece.done === true) controller.close();
        else controller.enqueue(encoder.encode(piece.value));
      },
      async cancel() {
        await pieces.return?.();
        await onCancel();
      },
    },
    { highWaterMark: 0 },
  );
}

function sseEvent(type: string, data: unknown): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Each item, then the outcome; a stream that failed ends with `error`. */
export class SsePieces implements AsyncIterator<string> {
  readonly #items: AsyncIterator<StreamItem>;
  readonly #result: () => Promise<Outcome>;
  #isEnded = false;

  constructor(items: AsyncIterator<StreamItem>, result: () => Promise<Outcome>) {
    this.#items = items;
    this.#result = result;
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.#isEnded) return { done: true, value: undefined };
    try {
      const item = await this.#items.next();
      if (item.done !== true) {
        const { type, ...data } = item.value;
        return { done: false, value: sseEvent(type, data) };
      }
      this.#isEnded = true;
      return { done: false, value: sseEvent('outcome', await this.#result()) };
    } catch (error) {
      this.#isEnded = true;
      return { done: false, value: sseEvent('error', toFailure(error)) };
    }
  }

  async return(): Promise<IteratorResult<string>> {
    this.#isEnded = true;
    await this.#items.return?.();
    return { done: true, value: undefined };
  }
}
