// Owns one call in flight: coalesced deltas, its abort, and that it is answered exactly once. Knows no activation and no ledger.
import type { CancelTimer, Clock } from '../../base/clock.ts';
import { type Failure, TroupeError, toFailure } from '../../base/failures.ts';
import { openController } from '../../base/when-aborted.ts';
import type { TokenCounts } from '../../protocol/history.ts';
import type {
  FromGateway,
  ModelDelta,
  ModelResponse,
  SpentTokens,
  StreamedDelta,
} from '../../protocol/model-messages.ts';
import { addSpent, CallUsage, withTaken } from '../budget/call-usage.ts';
import { beyondLimit, type OutputLimit } from '../providers/output-limit.ts';

/** Sends an answer back to the sender of the request. */
export type Reply = (message: FromGateway) => void;

/** What is done with what a call takes. */
export type Bill = {
  /** What it took without an answer; null for nothing. */
  broken(): SpentTokens | null;
  /** Counts it, ahead of the answer. */
  count(spent: SpentTokens): void;
};

/** Of a call that was not made yet. */
const noBill: Bill = { broken: () => null, count: () => {} };

const maxDelayMs = 50;
const maxChars = 4_096;

/** One call: deltas go to the supervisor as one message per 50 ms or 4 KB, all of them before the answer, none after. */
export class GatewayCall {
  readonly callId: number;
  readonly #turn: number;
  #reply: Reply;
  readonly #stream: (delta: StreamedDelta) => void;
  /** An asker that leaves its thread may not have received it. */
  #answer: FromGateway | null = null;
  #streamed = '';
  #hasStreamed = false;
  readonly #clock: Clock;
  #controller: AbortController | null = null;
  #reason: Failure | null = null;
  #onAbort: (() => void) | null = null;
  #pending: ModelDelta | null = null;
  #cancelTimer: CancelTimer | null = null;
  #usage = new CallUsage();
  /** What models took that were asked before; null for nothing. */
  #spentBefore: SpentTokens | null = null;
  #limit: OutputLimit | null = null;
  #bill: Bill = noBill;
  #status: 'open' | 'answered' | 'aborted' = 'open';

  constructor(facts: {
    readonly callId: number;
    readonly turn: number;
    readonly reply: Reply;
    readonly stream: (delta: StreamedDelta) => void;
    readonly clock: Clock;
  }) {
    this.callId = facts.callId;
    this.#turn = facts.turn;
    this.#reply = facts.reply;
    this.#stream = facts.stream;
    this.#clock = facts.clock;
  }

  /** Made when first asked for: a model that answers at once never looks. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = openController();
      if (this.#status === 'aborted') this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** What it takes of the model that is asked now, as far as it is known. */
  get usage(): CallUsage {
    return this.#usage;
  }

  get isOpen(): boolean {
    return this.#status === 'open';
  }

  /** Nothing of an answer has come that the agent may have received. */
  get isUnanswered(): boolean {
    return this.isOpen && !this.#hasStreamed;
  }

  /** The model failed, and another one is asked; returns what it took, null for nothing. */
  leaveModel(): SpentTokens | null {
    const spent = this.#bill.broken();
    if (spent !== null) this.#spentBefore = addSpent(this.#spentBefore, spent);
    this.#bill = { ...this.#bill, broken: () => null };
    this.#onAbort = null;
    this.#usage = new CallUsage();
    return spent;
  }

  /** The model is asked now: how far its answer may go, and what is done with what it takes. */
  asked(limit: OutputLimit, bill: Bill): void {
    this.#limit = limit;
    this.#bill = bill;
  }

  /** Its answer goes to `reply`, also when it was sent before. */
  detach(reply: Reply): void {
    this.#reply = reply;
    if (this.#answer !== null) reply(this.#answer);
  }

  onDelta(delta: ModelDelta): void {
    if (!this.isOpen || delta.text === '') return;
    this.#hasStreamed = true;
    this.onOutput(delta.text.length);
    if (!this.isOpen) return;
    if (this.#pending !== null && this.#pending.type !== delta.type) this.#flush();
    const text = (this.#pending?.text ?? '') + delta.text;
    this.#pending = { type: delta.type, text };
    if (text.length >= maxChars) this.#flush();
    else this.#cancelTimer ??= this.#clock.after(maxDelayMs, () => this.#flush());
  }

  onResponse(status: number): void {
    if (this.isOpen && status < 400) this.usage.begun();
  }

  /** An answer that does not end is ended here. */
  onOutput(chars: number): void {
    if (!this.isOpen) return;
    this.usage.came(chars);
    const beyond = this.#limit === null ? null : beyondLimit(this.usage.chars, this.#limit);
    if (beyond !== null) this.abort(beyond);
  }

  onUsage(usage: TokenCounts): void {
    if (this.isOpen) this.usage.counted(usage);
  }

  onBroken(): void {
    if (this.isOpen) this.usage.broke();
  }

  /** Answers with a response; false when the call was answered before. */
  succeed(response: ModelResponse, costUsd: number | null): boolean {
    if (!this.isOpen) return false;
    this.#status = 'answered';
    this.#flush();
    const { callId } = this;
    const { usage, isEstimated } = response;
    const spent = addSpent(this.#spentBefore, { usage, isEstimated, costUsd });
    this.#bill.count(spent);
    try {
      const whole = this.#spentBefore === null ? response : withTaken(response, this.#spentBefore);
      this.#send({ type: 'model_response', callId, response: whole, costUsd: spent.costUsd });
    } catch (error) {
      // A model object of the service may answer with what cannot be cloned.
      const message = `the response cannot cross threads: ${toFailure(error).message}`;
      const failure = toFailure(new TroupeError('model_bad_response', message));
      this.#send({ type: 'model_failed', callId, failure, spent });
    }
    return true;
  }

  /**
   * Answers with a failure and what the call took all the same. Returns what of it the last model took; null when that is
   * nothing, or the call was answered before.
   */
  fail(failure: Failure): SpentTokens | null {
    if (!this.isOpen) return null;
    this.#status = 'answered';
    this.#flush();
    const { callId } = this;
    const last = this.#bill.broken();
    const spent = last === null ? this.#spentBefore : addSpent(this.#spentBefore, last);
    if (spent !== null) this.#bill.count(spent);
    const streamed = this.#streamed;
    const answer = {
      type: 'model_failed',
      callId,
      ...(spent === null ? {} : { spent }),
      ...(streamed === '' ? {} : { streamed }),
    } as const;
    try {
      this.#send({ ...answer, failure });
    } catch {
      // Only the detail of a failure can be of any kind; without it the failure is plain.
      const { code, message, retryable } = failure;
      this.#send({ ...answer, failure: { code, message, retryable } });
    }
    return last;
  }

  /** Calls `release` when the call is aborted, at once when it already was. */
  whenAborted(release: () => void): void {
    if (this.#status === 'aborted') release();
    else this.#onAbort = release;
  }

  /** Answers with a failure at once and aborts the model's signal, whether the model listens or not. */
  abort(failure: Failure): boolean {
    if (!this.isOpen) return false;
    this.fail(failure);
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
    if (delta.type === 'text') this.#streamed += delta.text;
    this.#stream({ type: 'model_delta', callId: this.callId, turn: this.#turn, delta });
  }

  #send(message: FromGateway): void {
    this.#reply(message);
    this.#answer = message;
  }
}
