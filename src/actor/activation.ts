// Owns one activation of a behaviour, wherever it runs: start, one receive at a time, signals, the end (M1, S5).
// Leaves out where mail comes from and where effects go: that is its port.
import { describe, TroupeError, toFailure } from '../base/failures.ts';
import { toFault } from '../base/stack.ts';
import { ActivationContext } from './activation-context.ts';
import type { ActivationFacts, ActivationHost, Handed } from './activation-host.ts';
import type { Behavior, Next } from './behavior.ts';
import type { ReportedExit } from './exit.ts';
import type { Snapshot } from './host.ts';
import { toSerializable } from './serializable.ts';

type ActivationStatus = 'starting' | 'ready' | 'receiving' | 'finishing' | 'ended';

/** Runs one behaviour. Its owner calls `pump` when mail may be there; M1 applies whatever the behaviour awaits. */
export class Activation {
  readonly #behavior: Behavior;
  readonly #port: ActivationHost;
  readonly #self: ActivationContext;
  #status: ActivationStatus = 'starting';
  #state: unknown = undefined;
  #current: Handed | null = null;
  #isStopping = false;

  constructor(behavior: Behavior, port: ActivationHost, facts: ActivationFacts) {
    this.#behavior = behavior;
    this.#port = port;
    this.#self = new ActivationContext(port, facts);
  }

  get isEnded(): boolean {
    return this.#status === 'ended';
  }

  /** The message whose receive has begun and not ended. */
  get current(): Handed | null {
    return this.#current;
  }

  /** Starts the behaviour; reports `started` or `startFailed`. */
  start(args: unknown): void {
    let state: unknown;
    try {
      state = this.#behavior.start(args, this.#self);
    } catch (error) {
      this.#startFailed(error);
      return;
    }
    if (isThenable(state)) {
      state.then(
        (value) => this.#started(value),
        (error: unknown) => this.#startFailed(error),
      );
    } else {
      this.#started(state);
    }
  }

  /** Continues with what an earlier activation kept: `start` is for beginnings (P2). */
  resume(state: unknown): void {
    this.#started(state);
  }

  /** It has started, and nothing goes on in it. */
  get isIdle(): boolean {
    return this.#status === 'ready' && !this.#isStopping;
  }

  /** The state as plain data (P1). Throws `snapshot_failed` when it is none. */
  keep(): Snapshot {
    try {
      return { state: toSerializable(this.#state).value };
    } catch (error) {
      const { message } = toFailure(error);
      throw new TroupeError('snapshot_failed', `the state of ${this.#self.path}: ${message}`);
    }
  }

  /**
   * Processes mail until there is none, `budget` messages are done, or a receive goes on asynchronously.
   * True when it stopped for the budget's sake.
   */
  pump(budget: number): boolean {
    for (let done = 0; done < budget; done += 1) {
      if (this.#status !== 'ready') return false;
      const handed = this.#port.take();
      if (handed === null) return false;
      this.#receive(handed);
    }
    return this.#status === 'ready';
  }

  /** Ends the receive in hand; between receives it does nothing (S5). */
  interrupt(reason: string): void {
    if (this.#current !== null) this.#self.raise(new TroupeError('interrupted', reason));
  }

  /** Interrupts the receive in hand, then cleans up and ends. */
  stop(reason: string): void {
    if (this.#isStopping || this.#status === 'ended') return;
    this.#isStopping = true;
    this.#self.raise(new TroupeError('stopped', reason));
    if (this.#status === 'ready') this.#finish();
  }

  /** Hands the behaviour a control message, whatever it is doing. */
  control(message: unknown): void {
    if (this.#status !== 'ended') this.#behavior.control?.(message, this.#self);
  }

  /** Ends at once, running no code of the behaviour (S6). */
  abandon(): 'started' | 'not_started' {
    this.#status = 'ended';
    this.#self.revoke();
    return this.#current === null ? 'not_started' : 'started';
  }

  #started(state: unknown): void {
    if (this.#status === 'ended') return;
    this.#state = state;
    this.#status = 'ready';
    if (this.#isStopping) {
      this.#finish();
      return;
    }
    this.#port.started();
  }

  #startFailed(error: unknown): void {
    if (this.#status === 'ended') return;
    this.#status = 'ended';
    this.#self.revoke();
    this.#port.startFailed(toFault(error, 'spawn_failed'));
  }

  #receive(handed: Handed): void {
    this.#current = handed;
    this.#status = 'receiving';
    this.#self.begin(handed);
    let result: Next<unknown> | Promise<Next<unknown>>;
    try {
      result = this.#behavior.receive(this.#state, handed.message, this.#self);
    } catch (error) {
      this.#failed(error);
      return;
    }
    if (result instanceof Promise || isThenable(result)) {
      result.then(
        (value) => this.#completed(value),
        (error: unknown) => this.#failed(error),
      );
    } else {
      this.#completed(result);
    }
  }

  #completed(result: Next<unknown>): void {
    if (this.#status !== 'receiving') return;
    const type: unknown = result?.type;
    if (type !== 'next' && type !== 'stop') {
      const seen = describe(result);
      this.#failed(new TypeError(`receive returned ${seen}, expected next(state) or stop()`));
      return;
    }
    if (result.type === 'next') this.#state = result.state;
    this.#current = null;
    this.#status = 'ready';
    // The host may stop or kill this activation within this call.
    this.#port.acknowledge(this.#self.finishReceive());
    if (result.type === 'stop' || this.#isStopping) this.#finish();
  }

  #failed(error: unknown): void {
    if (this.#status !== 'receiving') return;
    if (this.#self.isOwnSignal(error)) {
      // The behaviour let its signal's reason through: an interrupted receive, not a crash (S5).
      this.#current = null;
      this.#status = 'ready';
      this.#self.abandonReceive(toFailure(error));
      this.#port.acknowledge('interrupted');
      if (this.#isStopping) this.#finish();
      return;
    }
    const reason = toFault(error, 'crashed');
    this.#status = 'ended';
    this.#self.abandonReceive(reason);
    this.#self.revoke();
    this.#port.ended({ reason: 'crashed', failure: reason }, 'started');
  }

  #finish(): void {
    if (this.#status !== 'ready') return;
    this.#status = 'finishing';
    let cleanup: void | Promise<void>;
    try {
      cleanup = this.#behavior.stopped?.(this.#state, this.#self);
    } catch (error) {
      this.#end({ reason: 'crashed', failure: toFault(error, 'crashed') });
      return;
    }
    if (!isThenable(cleanup)) {
      this.#end({ reason: 'normal' });
      return;
    }
    cleanup.then(
      () => this.#end({ reason: 'normal' }),
      (error: unknown) => this.#end({ reason: 'crashed', failure: toFault(error, 'crashed') }),
    );
  }

  #end(exit: ReportedExit): void {
    if (this.#status === 'ended') return;
    this.#status = 'ended';
    this.#self.revoke();
    this.#port.ended(exit, 'not_started');
  }
}

function isThenable(value: unknown): value is PromiseLike<never> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
