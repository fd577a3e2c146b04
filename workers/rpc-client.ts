// Owns the thread's end of its service calls: one Comlink proxy per activation, every call raced against the end.
import type { Endpoint, Remote } from 'comlink';
import { failure, TroupeError } from '../src/base/failures.ts';
import { namesOf } from '../src/base/package-names.ts';
import {
  type HostServiceCalls,
  type ServiceAnswer,
  serviceNames,
} from '../src/protocol/host-services.ts';

type Methods = { readonly [name: string]: (input: unknown) => Promise<ServiceAnswer> };
/** In an object, because a Comlink proxy answers `then` as well. */
type Connected = { readonly proxy: Remote<Methods> };
type Listener = (event: MessageEvent) => void;

/** Calls the host's services. Comlink is loaded at the first call: most activations make none. */
export class RpcClient {
  #post: (payload: unknown) => void;
  readonly #listeners = new Set<Listener>();
  /** The calls that are open, each by its service's name. */
  readonly #pending = new Map<(error: Error) => void, string>();
  /** Kept for the whole activation: a proxy that is collected drops the replies it waits for. */
  #connected: Promise<Connected> | null = null;
  #isClosed = false;
  /** Calls that wait for Comlink to be loaded. */
  #unsent = 0;

  constructor(post: (payload: unknown) => void) {
    this.#post = post;
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** A call has not left this thread. */
  get hasUnsent(): boolean {
    return this.#unsent > 0;
  }

  /** Open calls of other services. */
  pendingBeside(services: ReadonlySet<string>): number {
    let count = 0;
    for (const name of this.#pending.values()) if (!services.has(name)) count += 1;
    return count;
  }

  /** Rejects with the service's failure, or `activation_ended` when the activation is over first. */
  async call(name: string, input: unknown): Promise<unknown> {
    if (this.#isClosed) throw ended();
    this.#connected ??= this.#connect();
    this.#unsent += 1;
    const { proxy } = await this.#connected.finally(() => {
      this.#unsent -= 1;
    });
    // The activation may have ended while Comlink was being loaded.
    if (this.#isClosed) throw ended();
    const method = proxy[name];
    if (method === undefined) throw new TroupeError('unknown_service', `no service ${name}`);
    let stopWaiting: (error: Error) => void = () => {};
    const activationOver = new Promise<never>((_resolve, reject) => {
      stopWaiting = reject;
    });
    this.#pending.set(stopWaiting, name);
    try {
      const answer = await Promise.race([method(input), activationOver]);
      if (answer.ok) return answer.value;
      throw TroupeError.from(answer.failure);
    } finally {
      this.#pending.delete(stopWaiting);
    }
  }

  /**
   * The open calls of these services are answered elsewhere: nothing here waits for them, and what awaits them is never
   * continued.
   */
  handOver(services: ReadonlySet<string>): void {
    for (const [stopWaiting, name] of this.#pending) {
      if (services.has(name)) this.#pending.delete(stopWaiting);
    }
  }

  /** A message of the host's Comlink. */
  receive(payload: unknown): void {
    // One event serves all listeners.
    const event = new MessageEvent('message', { data: payload });
    for (const listener of this.#listeners) listener(event);
  }

  /**
   * Comlink keeps the endpoint until the collector has found the proxy, and a proxy that the endpoint leads to it never
   * finds: neither leads to the other any more, nor to anything of the activation.
   */
  close(): void {
    this.#isClosed = true;
    this.#connected = null;
    this.#post = () => {};
    for (const stopWaiting of this.#pending.keys()) stopWaiting(ended());
    this.#pending.clear();
    this.#listeners.clear();
  }

  async #connect(): Promise<Connected> {
    const { wrap } = namesOf(await import('comlink'));
    const endpoint: Endpoint = {
      postMessage: (payload: unknown) => this.#post(payload),
      addEventListener: (_type, listener) => {
        if (typeof listener === 'function') this.#listeners.add(listener);
      },
      removeEventListener: (_type, listener) => {
        if (typeof listener === 'function') this.#listeners.delete(listener);
      },
    };
    return { proxy: wrap<Methods>(endpoint) };
  }
}

/** The host's services as methods, each of which is called by its name. */
export function hostServiceCalls(client: RpcClient): HostServiceCalls {
  const calls: Record<string, (input: unknown) => Promise<unknown>> = {};
  for (const name of serviceNames) calls[name] = (input) => client.call(name, input);
  // Every name has its method; the host's implementation of the same interface makes the answers.
  return calls as HostServiceCalls;
}

function ended(): TroupeError {
  return TroupeError.from(failure('activation_ended', 'this activation is over'));
}
