// Owns one slot on the host's side: a thread used by one long pool job, its port, its shared flags, its exit.
// Leaves out which activation gets it (the pool) and what an activation's messages mean (its user).
import type { CancelTimer } from '../base/clock.ts';
import { type Failure, failure, toFailure } from '../base/failures.ts';
import { crashOf } from '../protocol/crash.ts';
import { activationFlags, flagCount, sharedFlags } from '../protocol/shared-flags.ts';
import { parseFromThread } from '../protocol/worker-message-schema.ts';
import type {
  ActivationTarget,
  FromActivation,
  FromThread,
  ToThread,
} from '../protocol/worker-messages.ts';
import type { WorkerProfile } from '../protocol/worker-profile.ts';
import { Intake } from './intake.ts';
import { KeptParts, type StartParts } from './kept-parts.ts';
import { LoopUse } from './loop-use.ts';
import type { GatewayConnection } from './model-connection.ts';
import type { SlotPort, SlotThreads } from './slot-port.ts';

export type SlotStatus =
  | 'opening'
  | 'idle'
  | 'busy'
  /** Its job was aborted; the thread's exit is awaited (S7). */
  | 'dying'
  | 'gone';

/** Which slot an activation may have, and what of it a thread may keep. */
export type SlotOptions = StartParts & {
  readonly profile: WorkerProfile;
  readonly target: ActivationTarget;
  /** Names the user modules the activation loads; empty for none. Slots are shared only within one set. */
  readonly moduleSet: string;
  /** It needs a tool that takes much memory. */
  readonly isHeavy?: boolean;
  /** It goes on with what an earlier activation began: it goes ahead of those that begin. */
  readonly isContinued?: boolean;
};

/** An activation: it waits for a slot, receives what its thread sends while it has one, and the thread's end. */
export interface SlotUser {
  readonly activation: number;
  /** Id of the actor whose activation it is. */
  readonly actor: string;
  readonly options: SlotOptions;
  slotAcquired(slot: WorkerSlot): void;
  /** It gets no slot. */
  refused(cause: Failure): void;
  received(message: FromActivation): void;
  /** The thread is gone; every message it sent before has been received. */
  exited(cause: Failure): void;
}

export type WorkerSlotEvents = {
  online(): void;
  /** Once, at the end, whatever the way; `wasEnded` when we ended the thread, for no fault of its own. */
  gone(cause: Failure, wasEnded: boolean): void;
};

type Threads = Omit<SlotThreads, 'destroy' | 'needChanged'>;

export class WorkerSlot {
  readonly threads: Threads;
  readonly sharedFlags = new Int32Array(
    new SharedArrayBuffer(flagCount * Int32Array.BYTES_PER_ELEMENT),
  );
  /** Which modules its thread has loaded; null while it has loaded none (decision 1). */
  moduleSet: string | null = null;
  /** Its activation is not the first with those modules: it finds what earlier ones left. */
  hasServed = false;
  /** An activation failed on it: it serves no other. */
  isSpent = false;
  /** The system's id of the thread; null before it is online, and where the system reports none. */
  osThreadId: number | null = null;
  /** How busy its thread is; null before it is online. */
  loop: LoopUse | null = null;
  /** It gave no sign when it was asked for one, and has given none since: it spins or is blocked. */
  isSilent = false;
  cancelIdle: CancelTimer = () => {};
  /** How many messages have come from the thread, beside its answers to pings. */
  traffic = 0;
  readonly #port: SlotPort;
  readonly #abort = new AbortController();
  readonly #events: WorkerSlotEvents;
  #status: SlotStatus = 'opening';
  #user: SlotUser | null = null;
  #crash: Failure | null = null;
  /** What no activation that is on there did, and its thread survived. */
  #fault: Failure | null = null;
  #isTrusted = true;
  #isEnded = false;
  /** Which gateway thread its gateway port leads to; 0 for none. */
  #gatewayGeneration = 0;
  /** What its thread keeps of what it was sent. */
  readonly kept: KeptParts;
  readonly #intake = new Intake(this.sharedFlags);
  readonly #pings = new Map<number, () => void>();
  #lastNonce = 0;

  constructor(threads: Threads, events: WorkerSlotEvents) {
    this.threads = threads;
    this.kept = new KeptParts(threads.heapMb);
    this.#events = events;
    const { port, over } = threads.open(
      this.sharedFlags,
      {
        message: (message) => this.#receive(message),
        unreadable: (error) => this.violated(toFailure(error, 'clone_failed')),
        // A thread that closed its port can receive nothing any more; its exit reports what happened.
        closed: () => this.#endThread(),
      },
      this.#abort.signal,
    );
    this.#port = port;
    over.then(
      () => this.#jobFailed(failure('thread_exited', 'the thread gave up its slot')),
      (error: unknown) => this.#jobFailed(toFailure(error, 'spawn_failed')),
    );
  }

  get status(): SlotStatus {
    return this.#status;
  }

  get isFree(): boolean {
    return this.#status === 'idle';
  }

  /** The flags may not show yet what its thread has begun. */
  get isBehind(): boolean {
    return this.#port.isBehind;
  }

  get isOpening(): boolean {
    return this.loop === null && this.#status !== 'gone';
  }

  /** The activation on it; null for none. */
  get user(): SlotUser | null {
    return this.#user;
  }

  /** Serves an activation from now on. */
  use(user: SlotUser): void {
    this.#user = user;
    this.#status = 'busy';
    const { moduleSet } = user.options;
    if (moduleSet !== '') {
      this.hasServed = this.moduleSet !== null;
      this.moduleSet = moduleSet;
    }
    this.sharedFlags.fill(0, 0, activationFlags);
    Atomics.store(this.sharedFlags, sharedFlags.activation, user.activation);
    user.slotAcquired(this);
  }

  /** The user's activation has ended well; the slot may serve another. */
  clear(): void {
    this.#user = null;
    if (this.#status === 'busy') this.#status = 'idle';
  }

  /** Posts to the thread. Throws what cannot be cloned. */
  post(message: ToThread): void {
    this.#port.post(message);
  }

  /**
   * Raises the flag that ends the receive in hand, and returns its number; null when none has begun. 0 where only the thread's own
   * process knows which of those `handed` over it is: it raises the flag.
   */
  raiseInterrupt(handed: number): number | null {
    if (this.isBehind) return handed > 0 ? 0 : null;
    const receive = Atomics.load(this.sharedFlags, sharedFlags.startedSeq);
    if (receive <= Atomics.load(this.sharedFlags, sharedFlags.doneSeq)) return null;
    Atomics.store(this.sharedFlags, sharedFlags.interruptSeq, receive);
    return receive;
  }

  /** Gives the thread a port to the gateway's thread, unless it has one; what is no message there is a `violation`. */
  connectGateway(gateway: GatewayConnection, violation: Failure): void {
    if (this.#gatewayGeneration === gateway.generation) return;
    const port = gateway.connect(() => this.violated(violation));
    this.#port.sendGateway(port);
    this.#gatewayGeneration = gateway.generation;
  }

  /**
   * Calls back when the thread's event loop answers, or the thread is gone; never while it spins or is blocked. A patient
   * ping is answered once the thread has no request of its own under way either.
   */
  ping(onPong: () => void, isPatient = false): void {
    this.#lastNonce += 1;
    this.#pings.set(this.#lastNonce, onPong);
    this.post({ type: 'ping', nonce: this.#lastNonce, isPatient });
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

  #endThread(): void {
    const status = this.#status;
    if (status === 'dying' || status === 'gone') return;
    this.#status = 'dying';
    // The exit of a thread that is opening can be observed only once it is online.
    if (status !== 'opening') this.#abort.abort();
  }

  #receive(raw: unknown): void {
    if (this.#status === 'gone' || !this.#isTrusted) return;
    try {
      this.#parsed(parseFromThread(raw));
    } catch (error) {
      // Whatever a thread sends and however it trips its reader: it is the thread that ends, not its host.
      this.violated(toFailure(error, 'protocol_violation'));
    }
  }

  #parsed(message: FromThread): void {
    this.#intake.take(message);
    if (message.type !== 'pong') this.traffic += 1;
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
    if (this.loop !== null) return;
    this.osThreadId = osThreadId;
    const thread = this.threads.serve(threadId, this.sharedFlags);
    if (thread !== null) this.loop = new LoopUse(thread.performance.eventLoopUtilization);
    thread?.on('error', (error: unknown) => {
      this.#crash = crashOf(error);
    });
    thread?.once('exit', (code: number) => this.#exited(code));
    if (this.#status === 'opening') {
      this.#status = 'idle';
      this.#events.online();
    } else this.#abort.abort(); // It was ended before its thread came online.
  }

  #exited(code: number): void {
    // What the thread posted before it died still counts (S7, S9).
    this.#port.readRest();
    const text = `the thread exited with code ${code}`;
    this.#close(this.#crash ?? failure('thread_exited', text, { detail: { code } }));
  }

  #jobFailed(cause: Failure): void {
    // The slot of a thread that came `online` ends at the thread's exit, never at the pool's earlier report (S7).
    if (this.loop !== null) return;
    const unneeded = failure('thread_exited', 'the thread was not needed any more');
    this.#close(this.#status === 'dying' ? unneeded : (this.#crash ?? cause));
  }

  #close(cause: Failure): void {
    if (this.#status === 'gone') return;
    this.#status = 'gone';
    this.#port.close();
    const user = this.#user;
    this.#user = null;
    for (const onPong of this.#pings.values()) onPong();
    this.#pings.clear();
    const wasEnded = this.#isEnded && this.#crash === null && this.#fault === null;
    this.#events.gone(this.#fault ?? cause, wasEnded);
    user?.exited(cause);
  }
}
