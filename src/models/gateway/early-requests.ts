// Owns the requests that overtook their bind: a thread's port and the supervisor's are not ordered. Starts nothing.
import type { CancelTimer, Clock } from '../../base/clock.ts';
import { type Failure, failure } from '../../base/failures.ts';
import type { ToGateway } from '../../protocol/model-messages.ts';
import type { Reply } from './gateway-call.ts';

export type ModelRequestMessage = Extract<ToGateway, { readonly type: 'model_request' }>;

/** A request and the way back to its sender. */
export type PendingRequest = {
  readonly message: ModelRequestMessage;
  reply: Reply;
  /** Its asker has left its thread meanwhile. */
  isDetached?: true;
};

type Early = { readonly requests: PendingRequest[]; readonly cancelTimer: CancelTimer };

const earlyMs = 5_000;
const maxEarly = 1_000;

/** Keeps requests of unknown tokens for 5 s, at most 1,000 in all, then refuses them `activation_ended`. */
export class EarlyRequests {
  readonly #clock: Clock;
  readonly #byToken = new Map<string, Early>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  tokens(): readonly string[] {
    return [...this.#byToken.keys()];
  }

  keep(request: PendingRequest): void {
    const { token } = request.message;
    if (this.#count >= maxEarly) {
      refuse(
        request,
        failure('activation_ended', `${maxEarly} requests already wait for their bind`),
      );
      return;
    }
    this.#count += 1;
    const waiting = this.#byToken.get(token);
    if (waiting !== undefined) {
      waiting.requests.push(request);
      return;
    }
    const cancelTimer = this.#clock.after(earlyMs, () => {
      const text = `no activation was bound to this token within ${earlyMs} ms`;
      for (const late of this.take(token)) refuse(late, failure('activation_ended', text));
    });
    this.#byToken.set(token, { requests: [request], cancelTimer });
  }

  /** Removes and returns the buffered requests of a token, in order; the caller answers them. */
  take(token: string): readonly PendingRequest[] {
    const waiting = this.#byToken.get(token);
    if (waiting === undefined) return [];
    this.#byToken.delete(token);
    waiting.cancelTimer();
    this.#count -= waiting.requests.length;
    return waiting.requests;
  }

  /** The answer to one buffered request goes to `reply`. */
  detach(token: string, callId: number, reply: Reply): void {
    for (const request of this.#byToken.get(token)?.requests ?? []) {
      if (request.message.callId !== callId) continue;
      request.reply = reply;
      request.isDetached = true;
    }
  }

  /** Refuses one buffered request; a request that is not buffered is answered elsewhere. */
  abort(token: string, callId: number, reason: Failure): void {
    const requests = this.#byToken.get(token)?.requests ?? [];
    const index = requests.findIndex(({ message }) => message.callId === callId);
    for (const request of index === -1 ? [] : requests.splice(index, 1)) {
      this.#count -= 1;
      refuse(request, reason);
    }
  }
}

/** Answers a request that never became a call. */
export function refuse({ message, reply }: PendingRequest, reason: Failure): void {
  reply({ type: 'model_failed', callId: message.callId, failure: reason });
}
