// Owns the thread that the model gateway runs in: starts it when needed, replaces it when lost. Knows no model.
import { MessageChannel, type MessagePort, Worker, type WorkerOptions } from 'node:worker_threads';
import { type CancelTimer, type Clock, systemClock } from '../base/clock.ts';
import { type Failure, failure, TroupeError, unreachable } from '../base/failures.ts';
import { resolvedWithin } from '../base/resolved-within.ts';
import type { GatewayCommand, GatewayEvent } from '../protocol/gateway-commands.ts';
import type { FromGatewayThread, ToGatewayThread } from '../protocol/gateway-thread-messages.ts';
import type { SpecBinding } from '../protocol/model-binding.ts';
import type { ToGateway, ToSupervisor } from '../protocol/model-messages.ts';
import { AnswersPort } from './answers-port.ts';

export type GatewayThreadOptions = {
  readonly clock: Clock;
  /** Called when a thread ended that was not closed: every port to it is dead, `connect` starts the next one. */
  readonly onLost?: (failure: Failure) => void;
  /** The commands that every new thread receives first. */
  readonly greeting?: readonly GatewayCommand[];
  readonly onEvent?: (event: GatewayEvent) => void;
  /** Receives what streams, and the answers to calls whose askers have left their threads. */
  readonly toSupervisor?: (conversation: string, message: ToSupervisor) => void;
  /** What code of its packages prints there, a text at a time: none of it reaches the program's own console. */
  readonly onPrinted?: (text: string) => void;
  /** The thread entry of a service that is bundled. */
  readonly workerUrl?: URL | undefined;
  readonly createWorker?: (url: URL, options: WorkerOptions) => Worker;
};

const gracefulMs = 2_000;
const maxSilenceMs = 10_000;
const terminateMs = 10_000;

/**
 * The gateway's thread, seen from the host. It starts at the first `connect`, keeps no process alive, and has no
 * environment: keys come to it in its greeting and in the bindings that need them. After a loss the next `connect` starts
 * a new thread that is greeted alike and knows every bound token again.
 */
export class GatewayThread {
  readonly #options: GatewayThreadOptions;
  /** By conversation. */
  readonly #bindings = new Map<string, SpecBinding>();
  /** What to call when the slot behind an open port breaks the protocol. */
  readonly #connections = new Map<number, () => void>();
  /** What waits for the thread to answer a request of ours. */
  readonly #requests = new Map<number, () => void>();
  /** The thread's timers: they run on the supervisor's clock (V8). */
  readonly #timers = new Map<number, CancelTimer>();
  #lastId = 0;
  #traffic = 0;
  readonly #answers: AnswersPort;
  #worker: Worker | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: GatewayThreadOptions) {
    this.#options = options;
    this.#answers = new AnswersPort(({ conversation, message }) =>
      options.toSupervisor?.(conversation, message),
    );
  }

  /**
   * A port to the gateway for one slot, to be transferred to it. It closes when the thread is lost. Calls `onViolated`
   * when the slot sends what is no message of the gateway, which is not answered.
   */
  connect(onViolated: () => void): MessagePort {
    this.#refuseClosed();
    this.#worker ??= this.#start();
    const { port1, port2 } = new MessageChannel();
    const connection = this.#nextId();
    this.#connections.set(connection, onViolated);
    post(this.#worker, { type: 'connect', port: port2, connection }, [port2]);
    return port1;
  }

  /** Lets a token in, on this thread and on those that replace it. */
  bind(binding: SpecBinding): void {
    this.#refuseClosed();
    this.#keep(binding);
    this.#post({ type: 'bind', binding });
  }

  /**
   * Changes a running activation's binding. Resolves when its next request meets the new binding: requests come over
   * another port, and nothing orders two ports. Resolves too when the thread is lost: the next one knows only the new.
   */
  rebind(binding: SpecBinding): Promise<void> {
    this.#refuseClosed();
    this.#keep(binding);
    return this.#request((request) => ({ type: 'rebind', binding, request }));
  }

  /** Asks in the name of a run that has no thread; `toSupervisor` receives the answer. */
  request(conversation: string, message: Extract<ToGateway, { type: 'model_request' }>): void {
    this.#refuseClosed();
    this.#worker ??= this.#start();
    this.#post({ type: 'request', conversation, message });
  }

  /** Hands on what the gateway has sent the supervisor by now. */
  readAnswers(): void {
    this.#answers.read();
  }

  /** The token may ask no more; what the gateway keeps of the conversation goes on with the next token. */
  revoke(token: string): void {
    this.#post({ type: 'revoke', token });
  }

  /** Gives up the calls in flight under a token: each is answered. */
  abort(token: string): void {
    this.#post({ type: 'abort', token });
  }

  /** Ends a conversation by its newest token. */
  unbind({ token, conversation = token }: Pick<SpecBinding, 'token' | 'conversation'>): void {
    this.#bindings.delete(conversation);
    this.#post({ type: 'unbind', token, lease: conversation });
  }

  /** Sends the gateway a command; it is lost when no thread runs. */
  command(command: GatewayCommand): void {
    this.#post({ type: 'command', command });
  }

  /**
   * Resolves when the thread has read what was posted to it, has run every timer that fired with that, and has no request
   * of its own under way; 10 s later when it gives no sign (V8).
   */
  async acknowledged(): Promise<void> {
    const limits = { clock: systemClock, timeoutMs: maxSilenceMs };
    const answered = this.#request((request) => ({ type: 'ping', request }));
    await resolvedWithin(answered, limits);
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

  #keep(binding: SpecBinding): void {
    const { token, conversation = token } = binding;
    this.#bindings.set(conversation, binding);
  }

  async #close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#answers.close();
    this.#bindings.clear();
    this.#forget();
    if (worker === null) return;
    const { clock } = this.#options;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    // Keeps the process alive until the thread has ended, for the callers that await it.
    worker.ref();
    post(worker, { type: 'close' });
    if (await resolvedWithin(exited, { clock, timeoutMs: gracefulMs })) return;
    if (await resolvedWithin(worker.terminate(), { clock, timeoutMs: terminateMs })) return;
    throw new TroupeError('shutdown_timeout', 'the gateway thread did not exit');
  }

  #start(): Worker {
    const { workerUrl, greeting = [], createWorker } = this.#options;
    const url = workerUrl ?? new URL('../../workers/gateway.js', import.meta.url);
    const options = { workerData: { role: 'gateway' }, name: 'troupe-gateway', env: {} };
    const worker = createWorker?.(url, options) ?? new Worker(url, options);
    let crash: Error | null = null;
    worker.once('error', (error) => {
      crash = error;
    });
    worker.on('message', (message: FromGatewayThread) => {
      if (this.#worker === worker) this.#receive(message);
    });
    // After adding the listener, which would keep the process alive.
    worker.unref();
    worker.once('exit', (exitCode) => {
      if (this.#worker !== worker) return;
      // What is asked on account of these is lost with the thread, and known to be.
      this.#answers.close();
      this.#worker = null;
      this.#forget();
      this.#options.onLost?.(lost(exitCode, crash));
    });
    const port = this.#answers.open();
    post(worker, { type: 'answer_over', port }, [port]);
    for (const command of greeting) post(worker, { type: 'command', command });
    for (const binding of this.#bindings.values()) post(worker, { type: 'bind', binding });
    return worker;
  }

  #receive(message: FromGatewayThread): void {
    // What was sent before goes first.
    this.#answers.read();
    switch (message.type) {
      case 'answered':
        this.#traffic = message.traffic;
        this.#requests.get(message.request)?.();
        this.#requests.delete(message.request);
        return;
      case 'violated':
        this.#connections.get(message.connection)?.();
        return;
      case 'disconnected':
        this.#connections.delete(message.connection);
        return;
      case 'event':
        this.#options.onEvent?.(message.event);
        return;
      case 'printed':
        this.#options.onPrinted?.(message.text);
        return;
      case 'set_timer':
        this.#startTimer(message.timer, message.delayMs);
        return;
      case 'cancel_timer':
        this.#timers.get(message.timer)?.();
        this.#timers.delete(message.timer);
        return;
      default:
        unreachable(message);
    }
  }

  #startTimer(timer: number, delayMs: number): void {
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      this.#post({ type: 'woken', timer });
    });
    this.#timers.set(timer, cancel);
  }

  /** The thread is gone: nothing waits for it any more, and its timers and ports are no one's. */
  #forget(): void {
    for (const cancel of this.#timers.values()) cancel();
    for (const answered of this.#requests.values()) answered();
    this.#timers.clear();
    this.#requests.clear();
    this.#connections.clear();
  }

  /** Resolves when the thread has answered, or is lost; at once when there is none. */
  #request(messageOf: (request: number) => ToGatewayThread): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return Promise.resolve();
    const request = this.#nextId();
    return new Promise((resolve) => {
      this.#requests.set(request, resolve);
      post(worker, messageOf(request));
    });
  }

  #post(message: ToGatewayThread): void {
    if (this.#worker !== null) post(this.#worker, message);
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #refuseClosed(): void {
    if (this.#closing === null) return;
    throw new TroupeError('closed', 'the model gateway is closed');
  }
}

function post(worker: Worker, message: ToGatewayThread, transfer?: readonly MessagePort[]): void {
  worker.postMessage(message, transfer);
}

/** Names the error's class only: its message may quote what was sent. */
function lost(exitCode: number, crash: Error | null): Failure {
  const name = crash === null ? null : crash.name;
  return failure('gateway_lost', 'the model gateway thread was lost', {
    retryable: true,
    detail: { exitCode, error: name },
  });
}
