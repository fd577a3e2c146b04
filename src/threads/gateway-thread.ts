// Owns the thread that the model gateway runs in: starts it when needed, replaces it when lost. Knows no model.
import { MessageChannel, type MessagePort, Worker, type WorkerOptions } from 'node:worker_threads';
import { type Clock, systemClock } from '../base/clock.ts';
import { type Failure, failure, TroupeError } from '../base/failures.ts';
import type { GatewayCommand, GatewayEvent } from '../protocol/gateway-commands.ts';
import type { FromGatewayThread, ToGatewayThread } from '../protocol/gateway-thread-messages.ts';
import type { SpecBinding } from '../protocol/model-binding.ts';
import { RemoteTimers } from './remote-timers.ts';

export type GatewayThreadOptions = {
  readonly clock: Clock;
  /** Called when a thread ended that was not closed: every port to it is dead, `connect` starts the next one. */
  readonly onLost?: (failure: Failure) => void;
  /** The commands that every new thread receives first. */
  readonly greeting?: readonly GatewayCommand[];
  readonly onEvent?: (event: GatewayEvent) => void;
  /** What code of its packages prints there, a text at a time: none of it reaches the program's own console. */
  readonly onPrinted?: (text: string) => void;
  /** The thread entry of a service that is bundled. */
  readonly workerUrl?: URL | undefined;
  readonly createWorker?: (url: URL, options: WorkerOptions) => Worker;
};

type ThreadState =
  | { readonly status: 'idle' }
  | {
      readonly status: 'running';
      readonly worker: Worker;
      readonly exited: Promise<void>;
      readonly lent: RemoteTimers;
    }
  | { readonly status: 'closed' };

const gracefulMs = 2_000;
const maxSilenceMs = 1_000;
const terminateMs = 10_000;

/**
 * The gateway's thread, seen from the host. It starts at the first `connect`, keeps no process alive, and has no
 * environment: keys come to it in its greeting and in the bindings that need them. After a loss the next `connect` starts
 * a new thread that is greeted alike and knows every bound token again.
 */
export class GatewayThread {
  readonly #clock: Clock;
  readonly #onLost: (failure: Failure) => void;
  readonly #greeting: readonly GatewayCommand[];
  readonly #onEvent: (event: GatewayEvent) => void;
  readonly #onPrinted: (text: string) => void;
  readonly #workerUrl: URL | undefined;
  readonly #createWorker: (url: URL, options: WorkerOptions) => Worker;
  readonly #bindings = new Map<string, SpecBinding>();
  /** Changes of bindings that the thread has not confirmed. */
  readonly #changes = new Map<number, () => void>();
  #lastChange = 0;
  /** What to call when the slot behind an open port breaks the protocol. */
  readonly #connections = new Map<number, () => void>();
  #lastConnection = 0;
  readonly #pings = new Map<number, () => void>();
  #lastPing = 0;
  #traffic = 0;
  #state: ThreadState = { status: 'idle' };
  #closing: Promise<void> | null = null;

  constructor(options: GatewayThreadOptions) {
    const { clock, onLost = () => {}, greeting = [], onEvent = () => {}, createWorker } = options;
    const { onPrinted = () => {} } = options;
    this.#clock = clock;
    this.#workerUrl = options.workerUrl;
    this.#onLost = onLost;
    this.#greeting = greeting;
    this.#onEvent = onEvent;
    this.#onPrinted = onPrinted;
    this.#createWorker = createWorker ?? ((url, options) => new Worker(url, options));
  }

  /**
   * A port to the gateway for one slot, to be transferred to it. It closes when the thread is lost. Calls `onViolated`
   * when the slot sends what is no message of the gateway, which is not answered.
   */
  connect(onViolated: () => void): MessagePort {
    const worker = this.#running();
    const { port1, port2 } = new MessageChannel();
    this.#lastConnection += 1;
    const connection = this.#lastConnection;
    this.#connections.set(connection, onViolated);
    post(worker, { type: 'connect', port: port2, connection }, [port2]);
    return port1;
  }

  /** Lets a token in, on this thread and on those that replace it. */
  bind(binding: SpecBinding): void {
    this.#refuseClosed();
    this.#bindings.set(binding.token, binding);
    this.#tell({ type: 'bind', binding });
  }

  /**
   * Changes a running activation's binding. Resolves when its next request meets the new binding: requests come over
   * another port, and nothing orders two ports. Resolves too when the thread is lost: the next one knows only the new.
   */
  rebind(binding: SpecBinding): Promise<void> {
    this.#refuseClosed();
    this.#bindings.set(binding.token, binding);
    if (this.#state.status !== 'running') return Promise.resolve();
    const { worker } = this.#state;
    this.#lastChange += 1;
    const change = this.#lastChange;
    return new Promise((resolve) => {
      this.#changes.set(change, resolve);
      post(worker, { type: 'rebind', binding, change });
    });
  }

  /** Ends a token. */
  unbind(token: string): void {
    this.#bindings.delete(token);
    this.#tell({ type: 'unbind', token });
  }

  /** Sends the gateway a command; it is lost when no thread runs. */
  command(command: GatewayCommand): void {
    this.#tell({ type: 'command', command });
  }

  /** Resolves when the thread has run every timer that fired, and has read what was posted to it (V8). */
  async acknowledged(): Promise<void> {
    if (this.#state.status !== 'running') return;
    const { worker, lent } = this.#state;
    await lent.acknowledged();
    this.#lastPing += 1;
    const nonce = this.#lastPing;
    await new Promise<void>((resolve) => {
      const cancel = systemClock.after(maxSilenceMs, resolve);
      this.#pings.set(nonce, () => {
        cancel();
        resolve();
      });
      post(worker, { type: 'ping', nonce });
    });
    this.#pings.delete(nonce);
  }

  /** Changes with whatever has come to the thread or gone from it, as far as it has acknowledged. */
  get traffic(): number {
    return this.#traffic;
  }

  /** Ends the thread within 2 s, by force after that; idempotent. Rejects `shutdown_timeout` when even force fails. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const state = this.#state;
    this.#state = { status: 'closed' };
    this.#bindings.clear();
    this.#confirmAll();
    if (state.status !== 'running') return;
    const { worker, exited, lent } = state;
    lent.clear();
    // Keeps the process alive until the thread has ended, for the callers that await it.
    worker.ref();
    post(worker, { type: 'close' });
    if (await this.#within(exited, gracefulMs)) return;
    if (await this.#within(worker.terminate(), terminateMs)) return;
    throw new TroupeError('shutdown_timeout', 'the gateway thread did not exit');
  }

  #running(): Worker {
    this.#refuseClosed();
    if (this.#state.status === 'running') return this.#state.worker;
    const url = this.#workerUrl ?? new URL('../../workers/gateway.js', import.meta.url);
    const role = { workerData: { role: 'gateway' }, name: 'troupe-gateway' };
    const worker = this.#createWorker(url, { ...role, env: {} });
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    let crash: Error | null = null;
    worker.once('error', (error) => {
      crash = error;
    });
    const lent = new RemoteTimers(this.#clock, (timer) => post(worker, { type: 'woken', timer }));
    worker.on('message', (message: FromGatewayThread) => {
      if (this.#state.status === 'running' && this.#state.worker === worker) {
        this.#receive(message, lent);
      }
    });
    // After adding the listener, which would keep the process alive.
    worker.unref();
    worker.once('exit', (exitCode) => {
      if (this.#state.status !== 'running' || this.#state.worker !== worker) return;
      this.#state = { status: 'idle' };
      this.#connections.clear();
      lent.clear();
      this.#confirmAll();
      this.#onLost(lost(exitCode, crash));
    });
    this.#state = { status: 'running', worker, exited, lent };
    for (const command of this.#greeting) post(worker, { type: 'command', command });
    for (const binding of this.#bindings.values()) post(worker, { type: 'bind', binding });
    return worker;
  }

  #receive(message: FromGatewayThread, lent: RemoteTimers): void {
    switch (message.type) {
      case 'rebound':
        this.#changes.get(message.change)?.();
        this.#changes.delete(message.change);
        return;
      case 'violated':
        this.#connections.get(message.connection)?.();
        return;
      case 'disconnected':
        this.#connections.delete(message.connection);
        return;
      case 'pong':
        this.#traffic = message.traffic;
        this.#pings.get(message.nonce)?.();
        return;
      case 'event':
        this.#onEvent(message.event);
        return;
      case 'printed':
        this.#onPrinted(message.text);
        return;
      default:
        lent.receive(message);
    }
  }

  #confirmAll(): void {
    for (const confirm of this.#changes.values()) confirm();
    this.#changes.clear();
  }

  #tell(message: ToGatewayThread): void {
    if (this.#state.status === 'running') post(this.#state.worker, message);
  }

  #refuseClosed(): void {
    if (this.#state.status === 'closed') {
      throw new TroupeError('closed', 'the model gateway is closed');
    }
  }

  #within(done: Promise<unknown>, deadlineMs: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(deadlineMs, () => resolve(false));
      done.finally(cancel).then(() => resolve(true), reject);
    });
  }
}

function post(
  worker: Worker,
  message: ToGatewayThread,
  transfer: readonly MessagePort[] = [],
): void {
  worker.postMessage(message, [...transfer]);
}

/** Names the error's class only: its message may quote what was sent. */
function lost(exitCode: number, crash: Error | null): Failure {
  const name = crash === null ? null : crash.name;
  return failure('gateway_lost', 'the model gateway thread was lost', {
    retryable: true,
    detail: { exitCode, error: name },
  });
}
