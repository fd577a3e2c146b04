// Owns one slot on the host's side: a thread used by one long pool job, its port, its shared flags, its exit.
// Leaves out which activation gets it (the pool) and what an activation's messages mean (its slot user).
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  type Worker,
} from 'node:worker_threads';
import { type Failure, failure, toFailure } from '../base/failures.ts';
import { flagCount } from '../protocol/shared-flags.ts';
import { parseFromThread } from '../protocol/worker-message-schema.ts';
import type {
  FromThread,
  GatewayPortMessage,
  SharedPart,
  ToThread,
  WorkerJob,
} from '../protocol/worker-messages.ts';
import { Intake } from './intake.ts';
import { threadFailure } from './thread-failure.ts';
import type { WorkerRunner } from './worker-runner.ts';

/** Shared values one thread keeps. */
const maxShared = 32;

export type WorkerSlotState =
  | { readonly status: 'opening' }
  | { readonly status: 'idle' }
  | { readonly status: 'busy' }
  /** Its job was aborted; the thread's exit is awaited (S7). */
  | { readonly status: 'dying' }
  | { readonly status: 'gone' };

/** The user of a slot: receives its activation's messages, and the thread's end. */
export interface SlotUser {
  readonly activation: number;
  received(message: FromThread): void;
  /** The thread is gone; every message it sent before has been received. */
  exited(cause: Failure): void;
}

export type WorkerSlotEvents = {
  online(slot: WorkerSlot): void;
  /** Once, at the end, whatever the way. */
  gone(slot: WorkerSlot, cause: Failure): void;
};

export class WorkerSlot {
  readonly id: number;
  readonly sharedFlags: Int32Array;
  /** Which modules its thread has loaded; null while it has loaded none (decision 1). */
  moduleSet: string | null = null;
  /** Its activation is not the first with those modules: it finds what earlier ones left. */
  hasServed = false;
  /** An activation failed on it: it serves no other. */
  isSpent = false;
  /** Which gateway thread its gateway port leads to; 0 for none. */
  gatewayGeneration = 0;
  readonly #port: MessagePort;
  readonly #abort = new AbortController();
  readonly #runner: WorkerRunner;
  readonly #events: WorkerSlotEvents;
  #state: WorkerSlotState = { status: 'opening' };
  #user: SlotUser | null = null;
  #crash: Failure | null = null;
  /** What no activation that is on there did, and its thread survived. */
  #fault: Failure | null = null;
  #isTrusted = true;
  #isEnded = false;
  #thread: Worker | null = null;
  #osThreadId: number | null = null;
  /** Keys of the shared values that its thread has, the least recently used first. */
  readonly #sharedKeys = new Set<string>();
  readonly #intake: Intake;
  readonly #pings = new Map<number, () => void>();
  readonly #onGone = new Set<() => void>();
  #acknowledged = 0;
  #lastNonce = 0;

  constructor(
    id: number,
    runner: WorkerRunner,
    options: Partial<Pick<WorkerJob, 'tsx'>> &
      Pick<WorkerJob, 'niceness'> & { events: WorkerSlotEvents },
  ) {
    this.id = id;
    this.#runner = runner;
    const { niceness, tsx = null, events } = options;
    this.#events = events;
    const shared = new SharedArrayBuffer(flagCount * Int32Array.BYTES_PER_ELEMENT);
    this.sharedFlags = new Int32Array(shared);
    this.#intake = new Intake(this.sharedFlags);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message: unknown) => this.#receive(message));
    port1.on('messageerror', (error: unknown) => this.violated(toFailure(error, 'clone_failed')));
    // A thread that closed its port can receive nothing any more; its exit reports what happened.
    port1.on('close', () => this.#endThread());
    port1.unref();
    const job: WorkerJob = { port: port2, sharedFlags: shared, niceness, tsx };
    runner.run(job, { transfer: [port2], signal: this.#abort.signal }).then(
      () => this.#jobFailed(failure('thread_exited', 'the thread gave up its slot')),
      (error: unknown) => this.#jobFailed(toFailure(error, 'spawn_failed')),
    );
  }

  /** What to send of a shared value: it crosses once per slot, whose thread keeps those that were used last. */
  share({ key, value }: { readonly key: string; readonly value: unknown }): SharedPart {
    const isThere = this.#sharedKeys.delete(key);
    this.#sharedKeys.add(key);
    if (isThere) return { key };
    if (this.#sharedKeys.size <= maxShared) return { key, value };
    const [oldest = ''] = this.#sharedKeys;
    this.#sharedKeys.delete(oldest);
    return { key, value, forget: oldest };
  }

  get state(): WorkerSlotState {
    return this.#state;
  }

  get isFree(): boolean {
    return this.#state.status === 'idle';
  }

  /** The thread, for measurements of its event loop utilization and heap; null before it is online. */
  get thread(): Worker | null {
    return this.#thread;
  }

  /** The system's id of the thread; null before it is online, and where the system reports none. */
  get osThreadId(): number | null {
    return this.#osThreadId;
  }

  slot(user: SlotUser): void {
    this.#user = user;
    this.#state = { status: 'busy' };
  }

  /** The user's activation has ended well; the slot may serve another. */
  clear(): void {
    this.#user = null;
    if (this.#state.status === 'busy') this.#state = { status: 'idle' };
  }

  /** Posts to the thread. Throws what cannot be cloned. */
  post(message: ToThread | GatewayPortMessage, transfer?: MessagePort[]): void {
    if (transfer === undefined) this.#port.postMessage(message);
    else this.#port.postMessage(message, transfer);
  }

  /** Calls back when the thread's event loop answers; never when it spins or is blocked. */
  ping(onPong: () => void, isPatient = false): void {
    this.#lastNonce += 1;
    this.#pings.set(this.#lastNonce, onPong);
    this.post({ type: 'ping', nonce: this.#lastNonce, isPatient });
  }

  /** Calls back once the thread has no request of its own under way either, or is gone. */
  ask(onDone: () => void): void {
    this.#onGone.add(onDone);
    this.ping(() => {
      if (this.#onGone.delete(onDone)) onDone();
    }, true);
  }

  /** How many messages have come from the thread, beside its answers to pings. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  get isOpening(): boolean {
    return this.#thread === null && this.#state.status !== 'gone';
  }

  /** No thread comes for it any more: `gone` with `spawn_failed` and the message of `error`. */
  giveUp(error: unknown): void {
    this.#crash ??= toFailure(error, 'spawn_failed');
    this.#abort.abort();
  }

  /** A thread that breaks the protocol is ended; no further message of it is read. */
  violated(cause: Failure): void {
    this.#isTrusted = false;
    this.#crash ??= cause;
    // The rest of its messages is not read: reading one costs the host more than sending it cost the thread.
    this.#port.close();
    this.#endThread();
  }

  /** Ends the thread without its help; `gone` follows its exit. */
  kill(): void {
    this.#isEnded = true;
    this.#endThread();
  }

  /** True when its thread was ended by us, for no fault of its own. */
  get wasEnded(): boolean {
    return this.#isEnded && this.#crash === null && this.#fault === null;
  }

  #endThread(): void {
    const { status } = this.#state;
    if (status === 'dying' || status === 'gone') return;
    this.#state = { status: 'dying' };
    // The exit of a thread that is opening can be observed only once it is online.
    if (status !== 'opening') this.#abort.abort();
  }

  #receive(raw: unknown): void {
    if (this.#state.status === 'gone' || !this.#isTrusted) return;
    try {
      this.#parsed(parseFromThread(raw));
    } catch (error) {
      // Whatever a thread sends and however it trips its reader: it is the thread that ends, not its host.
      this.violated(toFailure(error, 'protocol_violation'));
    }
  }

  #parsed(message: FromThread): void {
    this.#intake.take(message);
    if (message.type !== 'pong') this.#acknowledged += 1;
    switch (message.type) {
      case 'online':
        this.#online(message);
        return;
      case 'pong':
        this.#pings.get(message.nonce)?.();
        this.#pings.delete(message.nonce);
        return;
      case 'fault':
        this.#fault ??= message.failure;
        this.isSpent = true;
        if (this.isFree) this.#endThread();
        return;
      default:
        if (message.activation === this.#user?.activation) this.#user.received(message);
    }
  }

  #online({ threadId, osThreadId }: Extract<FromThread, { type: 'online' }>): void {
    if (this.#thread !== null) return;
    this.#osThreadId = osThreadId;
    this.#thread = this.#runner.threadOf(threadId);
    this.#thread?.on('error', (error: unknown) => {
      this.#crash = threadFailure(error);
    });
    this.#thread?.once('exit', (code: number) => this.#exited(code));
    this.#runner.serves(threadId);
    if (this.#state.status !== 'opening') {
      // The slot was ended before its thread came online.
      this.#abort.abort();
      return;
    }
    this.#state = { status: 'idle' };
    this.#events.online(this);
  }

  #exited(code: number): void {
    // What the thread posted before it died is still in the port, and still counts (S7, S9).
    for (
      let left = receiveMessageOnPort(this.#port);
      left;
      left = receiveMessageOnPort(this.#port)
    ) {
      this.#receive(left.message);
    }
    this.#close(
      this.#crash ??
        failure('thread_exited', `the thread exited with code ${code}`, { detail: { code } }),
    );
  }

  #jobFailed(cause: Failure): void {
    // The slot of a thread that came `online` ends at the thread's exit, never at the pool's earlier report (S7).
    if (this.#thread !== null) return;
    const wasKilled = this.#state.status === 'dying';
    const unneeded = failure('thread_exited', 'the thread was not needed any more');
    this.#close(wasKilled ? unneeded : (this.#crash ?? cause));
  }

  #close(cause: Failure): void {
    if (this.#state.status === 'gone') return;
    this.#state = { status: 'gone' };
    this.#port.close();
    const user = this.#user;
    this.#user = null;
    this.#pings.clear();
    for (const onDone of this.#onGone) onDone();
    this.#events.gone(this, this.#fault ?? cause);
    user?.exited(cause);
  }
}
