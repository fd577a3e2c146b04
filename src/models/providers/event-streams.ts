// Owns the check that a provider's 200 answer is a stream of events. A page or an error is reported with its reason.
import type { TroupeError } from '../../base/failures.ts';
import { malformed } from './adapter-failure.ts';
import { reasonIn } from './body-reason.ts';

type Fetch = typeof globalThis.fetch;

/** What of a body is read for its reason. */
const maxChars = 65_536;
/** The longest name of a field of an event with its colon. */
const maxField = 'retry:'.length;

/**
 * `fetch` for clients that ask for streams of events, and would find no event in anything else: an answer of another kind
 * looks to them like a connection that broke off. Reading such a body fails `model_bad_response`, which is not retried.
 */
export function eventStreams(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, ok, status, statusText, headers } = response;
    if (!ok || body === null) return response;
    const checked = body.pipeThrough(new TransformStream(new StreamCheck(headers)));
    return new Response(checked, { status, statusText, headers });
  };
}

/** Passes a stream of events on from its first field; buffers anything else. */
class StreamCheck {
  readonly #type: string;
  readonly #decoder = new TextDecoder();
  #buffered: Uint8Array[] = [];
  #text = '';
  #kind: 'unknown' | 'events' | 'other' = 'unknown';

  constructor(headers: Headers) {
    this.#type = headers.get('content-type') ?? '';
  }

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#buffered.push(chunk);
    if (this.#kind !== 'events') this.#text += this.#decoder.decode(chunk, { stream: true });
    if (this.#kind === 'unknown') this.#kind = this.#judge(false);
    if (this.#kind === 'events') this.#release(controller);
    if (this.#kind === 'other' && this.#text.length > maxChars) throw this.#refusal();
  }

  flush(controller: TransformStreamDefaultController<Uint8Array>): void {
    // An empty body is that of a connection that broke off.
    if (this.#kind === 'unknown') this.#kind = this.#judge(true);
    if (this.#kind === 'other') throw this.#refusal();
    this.#release(controller);
  }

  #judge(isWhole: boolean): 'unknown' | 'events' | 'other' {
    const start = this.#text.trimStart();
    if (start === '') return 'unknown';
    if (/^[<{["]/.test(start)) return 'other';
    if (/^text\/event-stream\b/i.test(this.#type)) return 'events';
    if (/^(data|event|id|retry)?:/.test(start)) return 'events';
    return isWhole || start.length >= maxField ? 'other' : 'unknown';
  }

  #release(controller: TransformStreamDefaultController<Uint8Array>): void {
    for (const chunk of this.#buffered.splice(0)) controller.enqueue(chunk);
    this.#text = '';
  }

  #refusal(): TroupeError {
    return malformed(reasonIn(this.#text.slice(0, maxChars), this.#type));
  }
}
