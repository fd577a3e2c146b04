// Owns the thread's side of the gateway port: every request settles, by an answer or by the loss of the port. No policy.
import { TroupeError, unreachable } from '../../base/failures.ts';
import { whenAborted } from '../../base/when-aborted.ts';
import type { Message } from '../../protocol/history.ts';
import type {
  FromGateway,
  ModelResponse,
  SpentTokens,
  ToGateway,
} from '../../protocol/model-messages.ts';

/** What is used of a `MessagePort` of `node:worker_threads`. */
export interface GatewayPort {
  postMessage(message: ToGateway): void;
  on(event: 'message', listener: (message: FromGateway) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  close(): void;
}

export type GatewayRequest = {
  readonly token: string;
  readonly turn: number;
  /** The index that `messages` go in at; 0 sends the history whole. */
  readonly from: number;
  readonly messages: readonly Message[];
  readonly toolChoice?: 'auto' | 'none';
};

export type GatewayAnswer = { readonly response: ModelResponse; readonly costUsd: number | null };

type Waiting = {
  readonly token: string;
  resolve(answer: GatewayAnswer): void;
  reject(error: TroupeError): void;
  readonly onBroken: RequestCall['onBroken'];
};

/** The callback and the signal of a request that is under way. */
export type RequestCall = {
  readonly signal: AbortSignal;
  /** Called before a rejection with what the call took all the same, and with the text that had arrived. */
  onBroken?: ((spent: SpentTokens | null, streamed: string) => void) | undefined;
};

/**
 * Asks the gateway for turns. Rejects with what the gateway refused or failed with, and `gateway_lost`, retryable, when
 * its port closes: ask again on a new port, with the whole history.
 */
export class GatewayClient {
  #port: GatewayPort | null = null;
  #nextCallId = 1;
  readonly #waiting = new Map<number, Waiting>();

  constructor(port: GatewayPort) {
    this.usePort(port);
  }

  /** False once its port is lost, until it has another. */
  get isConnected(): boolean {
    return this.#port !== null;
  }

  /** Goes on over another port; what waits on the old one is lost. */
  usePort(port: GatewayPort): void {
    const old = this.#port;
    this.#port = port;
    old?.close();
    this.#loseAll();
    port.on('message', (message) => {
      if (this.#port === port) this.#receive(message);
    });
    port.on('close', () => {
      if (this.#port !== port) return;
      this.#port = null;
      this.#loseAll();
    });
  }

  /**
   * One turn. An abort is passed on and the gateway answers it at once; when a caller cannot wait for that, the
   * supervisor's escalation ends the run.
   */
  async respond(
    request: GatewayRequest,
    { signal, onBroken }: RequestCall,
  ): Promise<GatewayAnswer> {
    const port = this.#port;
    if (port === null) throw lost();
    if (signal.aborted) throw new TroupeError('aborted', 'the model call was aborted');
    const { token } = request;
    const callId = this.#nextCallId;
    this.#nextCallId += 1;
    const onAbort = (): void => {
      // Its answer may have come with the interrupt: then there is nothing left to abort.
      if (this.#waiting.has(callId)) port.postMessage({ type: 'model_abort', token, callId });
    };
    const stop = whenAborted(signal, onAbort);
    try {
      return await new Promise<GatewayAnswer>((resolve, reject) => {
        this.#waiting.set(callId, { token, resolve, reject, onBroken });
        port.postMessage({ type: 'model_request', callId, ...request });
      });
    } finally {
      this.#waiting.delete(callId);
      stop();
    }
  }

  /**
   * The answer to the open call of a token goes to the supervisor, and the token asks no more: what awaits the answer here
   * is never continued. False when the token has no open call.
   */
  detach(token: string): boolean {
    for (const [callId, waiting] of this.#waiting) {
      if (waiting.token !== token || this.#port === null) continue;
      this.#waiting.delete(callId);
      this.#port.postMessage({ type: 'model_detach', token, callId });
      return true;
    }
    return false;
  }

  /** Closes the port; what waits rejects `gateway_lost`. */
  close(): void {
    const port = this.#port;
    this.#port = null;
    port?.close();
    this.#loseAll();
  }

  #receive(message: FromGateway): void {
    const waiting = this.#waiting.get(message.callId);
    this.#waiting.delete(message.callId);
    switch (message.type) {
      case 'model_response':
        waiting?.resolve({ response: message.response, costUsd: message.costUsd });
        return;
      case 'model_failed':
        waiting?.onBroken?.(message.spent ?? null, message.streamed ?? '');
        waiting?.reject(TroupeError.from(message.failure));
        return;
      default:
        unreachable(message);
    }
  }

  #loseAll(): void {
    for (const waiting of this.#waiting.values()) waiting.reject(lost());
  }
}

function lost(): TroupeError {
  return new TroupeError('gateway_lost', 'the model gateway was lost', { retryable: true });
}
