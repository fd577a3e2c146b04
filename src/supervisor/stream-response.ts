// Owns how a stream is sent over HTTP: bytes that are made when they are read, plain or as server-sent events.
import type { Clock } from '../base/clock.ts';
import { toFailure } from '../base/failures.ts';
import { resolvedWithin } from '../base/resolved-within.ts';

const encoder = new TextEncoder();

/** The pieces as UTF-8; `onCancel` is called when the reader leaves before the end. */
export function byteStream(
  pieces: AsyncIterator<string>,
  onCancel: () => Promise<unknown> = async () => {},
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

/** A response of server-sent events, which no proxy may hold back. */
export function sseResponse(
  pieces: AsyncIterator<string>,
  onCancel?: () => Promise<unknown>,
): Response {
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  };
  return new Response(byteStream(pieces, onCancel), { headers });
}

export type SseEvent = { readonly type: string; readonly data: unknown };

export type SseRequest<Item> = {
  readonly items: AsyncIterator<Item>;
  readonly eventOf: (item: Item) => SseEvent;
  /** The event after the last item. */
  readonly last: () => Promise<SseEvent>;
  readonly clock: Clock;
  /** Milliseconds of silence after which a comment is sent. 0: never. */
  readonly heartbeatMs: number;
};

const defaultHeartbeatMs = 15_000;
const heartbeat = ': ping\n\n';

/** Each item, then the last event; a stream that failed ends with `error`. */
export class SsePieces<Item> implements AsyncIterator<string> {
  readonly #request: SseRequest<Item>;
  /** What is awaited, through any number of heartbeats. */
  #next: Promise<IteratorResult<Item>> | null = null;
  #isEnded = false;

  constructor(
    request: Omit<SseRequest<Item>, 'heartbeatMs'> & { readonly heartbeatMs: number | undefined },
  ) {
    this.#request = { ...request, heartbeatMs: request.heartbeatMs ?? defaultHeartbeatMs };
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.#isEnded) return { done: true, value: undefined };
    try {
      return { done: false, value: await this.#piece() };
    } catch (error) {
      this.#isEnded = true;
      return { done: false, value: textOf({ type: 'error', data: toFailure(error) }) };
    }
  }

  async return(): Promise<IteratorResult<string>> {
    this.#isEnded = true;
    await this.#request.items.return?.();
    return { done: true, value: undefined };
  }

  async #piece(): Promise<string> {
    const { items, eventOf, last, clock, heartbeatMs } = this.#request;
    this.#next ??= items.next();
    const timeoutMs = heartbeatMs === 0 ? undefined : heartbeatMs;
    if (!(await resolvedWithin(this.#next, { clock, timeoutMs }))) return heartbeat;
    const item = await this.#next;
    this.#next = null;
    if (item.done !== true) return textOf(eventOf(item.value));
    this.#isEnded = true;
    return textOf(await last());
  }
}

function textOf({ type, data }: SseEvent): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
