// Owns the check that a provider's 200 answer is a stream of events. A page or an error is reported with its reason.
import type { BodyCheck } from '../../base/bounded-body.ts';
import type { TroupeError } from '../../base/failures.ts';
import { malformed } from './adapter-failure.ts';
import { reasonIn } from './body-reason.ts';

/** What of a body is read for its reason. */
const maxChars = 65_536;
/** The longest name of a field of an event with its colon. */
const maxField = 'retry:'.length;

/**
 * For clients that ask for streams of events, and would find no event in anything else: an answer of another kind looks to
 * them like a connection that broke off. Such a body fails `model_bad_response`, which is not retried; a stream of events
 * passes from its first field on.
 */
export class EventStreamCheck implements BodyCheck {
  readonly #type: string;
  readonly #decoder = new TextDecoder();
  #buffered: Uint8Array[] = [];
  #text = '';
  #kind: 'unknown' | 'events' | 'other' = 'unknown';

  constructor(headers: Headers) {
    this.#type = headers.get('content-type') ?? '';
  }

  push(chunk: Uint8Array): readonly Uint8Array[] {
    if (this.#kind === 'events') return [chunk];
    this.#buffered.push(chunk);
    this.#text += this.#decoder.decode(chunk, { stream: true });
    if (this.#kind === 'unknown') this.#kind = this.#judge(false);
    if (this.#kind === 'other' && this.#text.length > maxChars) throw this.#refusal();
    return this.#passed();
  }

  end(): readonly Uint8Array[] {
    // An empty body is that of a connection that broke off.
    if (this.#kind === 'unknown') this.#kind = this.#judge(true);
    if (this.#kind === 'other') throw this.#refusal();
    this.#kind = 'events';
    return this.#passed();
  }

  #judge(isWhole: boolean): 'unknown' | 'events' | 'other' {
    const start = this.#text.trimStart();
    if (start === '') return 'unknown';
    if (/^[<{["]/.test(start)) return 'other';
    if (/^text\/event-stream\b/i.test(this.#type)) return 'events';
    if (/^(data|event|id|retry)?:/.test(start)) return 'events';
    return isWhole || start.length >= maxField ? 'other' : 'unknown';
  }

  #passed(): readonly Uint8Array[] {
    if (this.#kind !== 'events') return [];
    this.#text = '';
    return this.#buffered.splice(0);
  }

  #refusal(): TroupeError {
    return malformed(reasonIn(this.#text.slice(0, maxChars), this.#type));
  }
}
