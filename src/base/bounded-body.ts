// Owns the bounds of what an HTTP server answers: bytes of a body, unpacked, and of one event of a stream. Parses no event.
import { ByteBuffer } from './byte-buffer.ts';
import { EventFramer } from './event-framer.ts';
import { TroupeError } from './failures.ts';

export type BodyBounds = {
  /** Whose body it is, for errors. */
  readonly whose: string;
  /** Bytes of a stream of events. */
  readonly maxStreamBytes: number;
  /** Bytes of one event of it, and of a body that is no stream. */
  readonly maxBytes: number;
  /** What a body beyond its bounds is; `detail` has what is bounded, the limit, and what was seen. */
  readonly code: 'model_bad_response' | 'mcp_failed';
  /** Called with the error of a body beyond its bounds: not every client passes that error on to its own caller. */
  readonly onTooLong?: (error: TroupeError) => void;
  /** Looks through the body of each successful response, in the pieces that it arrives in. */
  readonly check?: (headers: Headers) => BodyCheck;
};

/** Throws what the reader of the body fails with. */
export type BodyCheck = {
  /** Returns what of the body may be read now. */
  push(piece: Uint8Array): readonly Uint8Array[];
  end(): readonly Uint8Array[];
};

type Fetch = typeof globalThis.fetch;

/**
 * `fetch` for clients that read whatever comes: a body beyond its bounds fails as it is read, and its connection ends.
 * A stream of events arrives one whole event at a time, its lines ended by `\n` and without comments; any other body in one
 * piece. So what a client does with each piece takes time with the length of the body, whatever pieces the server makes.
 */
export function boundedFetch(bounds: BodyBounds): Fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, init);
    const { body, ok, status, statusText, headers } = response;
    // What is no answer with a body is no answer with a long one.
    if (body === null || status < 200) return response;
    const check = ok ? bounds.check?.(headers) : undefined;
    const bounded = new Response(boundedBody(body, isStream(response), { ...bounds, check }), {
      status,
      statusText,
      headers,
    });
    const { url, redirected } = response;
    return Object.defineProperties(bounded, {
      url: { value: url },
      redirected: { value: redirected },
    });
  };
}

/** A successful response is read as a stream of events unless its content type names something else. */
function isStream({ ok, headers }: Response): boolean {
  return (
    ok &&
    !/^(application\/([\w.+-]+\+)?(json|xml)|text\/(html|plain))\b/i.test(
      headers.get('content-type') ?? '',
    )
  );
}

function boundedBody(
  body: ReadableStream<Uint8Array>,
  isOfEvents: boolean,
  { check, ...bounds }: Omit<BodyBounds, 'check'> & { readonly check: BodyCheck | undefined },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const pieces = isOfEvents ? new EventFramer() : new WholeBody();
  const max = isOfEvents ? bounds.maxStreamBytes : bounds.maxBytes;
  let seen = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        for (let isEmpty = true; isEmpty; ) {
          const { done, value } = await reader.read();
          seen += value?.length ?? 0;
          if (seen > max) throw tooLong('the body', max, seen, bounds);
          const whole = done ? pieces.end() : pieces.push(value);
          const passed = check === undefined ? whole : whole.flatMap((piece) => check.push(piece));
          for (const piece of done && check !== undefined ? [...passed, ...check.end()] : passed) {
            controller.enqueue(piece);
            isEmpty = false;
          }
          if (pieces.bufferedBytes > bounds.maxBytes) {
            throw tooLong('one event', bounds.maxBytes, pieces.bufferedBytes, bounds);
          }
          if (!done) continue;
          controller.close();
          return;
        }
      } catch (error) {
        // The rest of the body is not read, so the connection cannot be used again. The error is thrown already.
        reader.cancel(error).catch(() => {});
        throw error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** A body that is handed on in one piece. */
class WholeBody {
  readonly #bytes = new ByteBuffer();

  get bufferedBytes(): number {
    return this.#bytes.length;
  }

  push(chunk: Uint8Array): readonly Uint8Array[] {
    this.#bytes.append(chunk);
    return [];
  }

  end(): readonly Uint8Array[] {
    return this.bufferedBytes === 0 ? [] : [this.#bytes.take()];
  }
}

function tooLong(what: string, limit: number, seen: number, bounds: BodyBounds): TroupeError {
  const { whose, code, onTooLong } = bounds;
  const message = `${whose} is too long: ${what} has more than ${limit} bytes, ${seen} came so far`;
  const error = new TroupeError(code, message, { detail: { what, limit, seen } });
  onTooLong?.(error);
  return error;
}

/** An error of ours, however deep a client wrapped it; null when there is none. */
export function troupeErrorIn(thrown: unknown): TroupeError | null {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if (at instanceof TroupeError) return at;
  }
  return null;
}
