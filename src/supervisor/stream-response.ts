// Owns how a stream is sent over HTTP: bytes that are made when they are read, plain or as server-sent events.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../base/clock.ts';
import { describe, TroupeError, toFailure } from '../base/failures.ts';
import { resolvedWithin } from '../base/resolved-within.ts';
import type { NodeResponse, StreamResponse } from '../tasks/stream-items.ts';

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
): StreamResponse {
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  };
  // It was made with a body.
  return new Response(byteStream(pieces, onCancel), { headers }) as StreamResponse;
}

/** Resolves when all is sent or the reader has left. Rejects `invalid_options` for what is no response that can be begun. */
export async function pipeResponse(
  target: NodeResponse,
  open: () => StreamResponse,
): Promise<void> {
  if (typeof target?.writeHead !== 'function' || target.headersSent) {
    const why = target?.headersSent === true ? 'its head is sent already' : describe(target);
    throw new TroupeError(
      'invalid_options',
      `pipeSSE: expected a response of node:http that is not begun: ${why}`,
    );
  }
  const { status, headers, body } = open();
  target.writeHead(status, Object.fromEntries(headers));
  // The reader knows at once that it is served, however long the first event takes.
  target.flushHeaders();
  const piped = pipeline(Readable.fromWeb(body), target);
  // The events end by themselves and never throw: only the connection fails, when its reader leaves. The body is cancelled then.
  await piped.catch(() => {});
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
