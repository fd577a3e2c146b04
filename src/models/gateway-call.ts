// Owns one call in flight: coalesced deltas, its abort, and that it is answered exactly once. Knows no life and no ledger.
import type { CancelTimer, Clock } from '../clock.ts';
import { type Failure, TroupeError, toFailure } from '../errors.ts';
import type { FromGateway, ModelCall, ModelDelta, ModelResponse } from './model.ts';

/** How an answer goes back to who asked. */
export type Reply = (message: FromGateway) => void;

const longestDelayMs = 50;
const mostChars = 4_096;

/** One call: deltas go out as one message per 50 ms or 4 KB, all of them before the answer, none after. */
export class GatewayCall implements ModelCall {
  readonly callId: number;
  readonly #reply: Reply;
  readonly #clock: Clock;
  #controller: AbortController | null = null;
  #reason: Failure | null = null;
  #onAbort: (() => void) | null = null;
  #pending: ModelDelta | null = null;
  #cancelTimer: CancelTimer | null = null;
  #streamedChars = 0;
  #status: 'open' | 'answered' | 'aborted' = 'open';

  constructor(callId: number, reply: Reply, clock: Clock) {
    this.callId = callId;
    this.#reply = reply;
    this.#clock = clock;
  }

  /** Made when first asked for: a model that answers at once never looks. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#status === 'aborted') this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get isOpen(): boolean {
    return this.#status === 'open';
  }

  /** Characters the model has streamed so far. */
  get streamedChars(): number {
    return this.#streamedChars;
  }

  onDelta(delta: ModelDelta): void {
    if (!this.isOpen || delta.text === '') return;
    this.#streamedChars += delta.text.length;
    if (this.#pending !== null && this.#pending.type !== delta.type) this.#flush();
    const text = (this.#pending?.text ?? '') + delta.text;
    this.#pending = { type: delta.type, text };
    if (text.length >= mostChars) this.#flush();
    else this.#cancelTimer ??= this.#clock.after(longestDelayMs, () => this.#flush());
  }

  /** Answers with a response; false when the call was answered before. */
  succeed(response: ModelResponse, costUsd: number | null): boolean {
    if (!this.isOpen) return false;
    this.#flush();
    this.#status = 'answered';
    const { callId } = this;
    try {
      this.#reply({ type: 'model_response', callId, response, costUsd });
    } catch (error) {
      // A model object of the service may answer with what cannot be cloned.
      const message = `the response cannot cross threads: ${toFailure(error).message}`;
      const failure = toFailure(new TroupeError('model_bad_response', message));
      this.#reply({ type: 'model_failed', callId, failure });
    }
    return true;
  }

  /** Answers with a failure; false when the call was answered before. */
  fail(failure: Failure): boolean {
    if (!this.isOpen) return false;
    this.#flush();
    this.#status = 'answered';
    const { callId } = this;
    try {
      this.#reply({ type: 'model_failed', callId, failure });
    } catch {
      // Only the detail of a failure can be of any kind; without it the failure is plain.
      const { code, message, retryable } = failure;
      this.#reply({ type: 'model_failed', callId, failure: { code, message, retryable } });
    }
    return true;
  }

  /** Calls `release` when the call is aborted, at once when it already was. */
  whenAborted(release: () => void): void {
    if (this.#status === 'aborted') release();
    else this.#onAbort = release;
  }

  /** Answers with a failure at once and tells the model to stop, whether it listens or not. */
  abort(failure: Failure): boolean {
    if (!this.fail(failure)) return false;
    this.#status = 'aborted';
    // A plain reason: without one, every abort would make an error with a stack.
    this.#reason = failure;
    this.#controller?.abort(failure);
    this.#onAbort?.();
    return true;
  }

  #flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const delta = this.#pending;
    if (delta === null) return;
    this.#pending = null;
    this.#reply({ type: 'model_delta', callId: this.callId, delta });
  }
}
