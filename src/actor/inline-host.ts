// Owns activations that run in the host's own loop: no thread, no isolation, no cost but the call.

import { type Failure, TroupeError, toFailure } from '../base/failures.ts';
import { Activation } from './activation.ts';
import type { ActivationHost } from './activation-host.ts';
import type { Address } from './address.ts';
import type { AskOptions, Behavior, ChildOptions, OfferResult } from './behavior.ts';
import type { Cell } from './cell.ts';
import type { CellSupervisor } from './cell-supervisor.ts';
import type { Envelope } from './envelope.ts';
import type { ReportedExit } from './exit.ts';
import type { ActorHost, HostedCell, ReceiveResult, Snapshot } from './host.ts';
import type { MessageRouter } from './message-router.ts';
import type { Runnable, Scheduler } from './scheduler.ts';
import { toSerializable } from './serializable.ts';

const receivesPerRun = 64;

export type InlineSurroundings = {
  readonly router: MessageRouter<Cell>;
  readonly supervisor: CellSupervisor<Cell>;
  readonly scheduler: Scheduler;
};

/** Both ends at once: the cell's host, and the port of the activation it runs. */
export class InlineHost implements ActorHost, ActivationHost, Runnable {
  readonly #cell: HostedCell;
  readonly #around: InlineSurroundings;
  readonly #activation: Activation;
  readonly #args: unknown;
  #isScheduled = false;
  #isPumping = false;
  /** Answers that the activation waits for. */
  #calls = 0;

  constructor(
    cell: HostedCell,
    what: { readonly behavior: Behavior; readonly args: unknown },
    around: InlineSurroundings,
  ) {
    this.#cell = cell;
    this.#args = what.args;
    this.#around = around;
    this.#activation = new Activation(what.behavior, this, cell);
  }

  // --- ActorHost

  /** Starts the behaviour, in this call. */
  start(): void {
    const { kept } = this.#cell;
    if (kept === null) this.#activation.start(this.#args);
    else this.#activation.resume(kept.state);
  }

  wake(): void {
    if (this.#isScheduled || this.#isPumping) return;
    this.#isScheduled = true;
    this.#around.scheduler.schedule(this);
  }

  interrupt(reason: string): void {
    this.#activation.interrupt(reason);
  }

  stop(reason: string): void {
    this.#activation.stop(reason);
  }

  kill(): void {
    if (this.#activation.isEnded) return;
    // Code that runs in this loop cannot be stopped by force; its activation ends, and what it still does has no effect.
    const inHand = this.#activation.abandon();
    this.#cell.activationEnded({ reason: 'killed' }, inHand);
  }

  takeBack(): void {
    // Nothing is handed over ahead of its receive.
  }

  passivate(): void {
    const { passivation } = this.#cell;
    if (this.#calls > 0 || !this.#activation.isIdle) {
      passivation.stayedLive(null);
      return;
    }
    let kept: Snapshot;
    try {
      kept = this.#activation.keep();
    } catch (error) {
      passivation.stayedLive(toFailure(error));
      return;
    }
    this.#activation.abandon();
    passivation.gaveUp(kept);
  }

  control(message: unknown): void {
    this.#activation.control(message);
  }

  // --- Runnable

  run(): boolean {
    this.#isScheduled = false;
    this.#isPumping = true;
    try {
      const hasMore = this.#activation.pump(receivesPerRun);
      if (hasMore) this.#isScheduled = true;
      return hasMore;
    } finally {
      this.#isPumping = false;
    }
  }

  // --- ActivationHost

  take(): Envelope | null {
    return this.#cell.take();
  }

  started(): void {
    this.#cell.started();
  }

  startFailed(cause: Failure): void {
    this.#cell.startFailed(cause);
  }

  acknowledge(result: ReceiveResult, cause?: Failure): void {
    this.#cell.acknowledge(result, cause);
    // An asynchronous receive ended outside of `run`: the scheduler has to run this host for the next message.
    if (!this.#isPumping) this.wake();
  }

  ended(exit: ReportedExit, inHand: 'started' | 'not_started'): void {
    this.#cell.activationEnded(exit, inHand);
  }

  reply(askId: number, value: unknown): void {
    this.#cell.reply(askId, toSerializable(value).value);
  }

  failAsk(askId: number, cause: Failure): void {
    this.#cell.failAsk(askId, cause);
  }

  unstash(): void {
    this.#cell.unstash();
  }

  tell(to: Address, message: unknown): void {
    this.#around.router.tell(this.#cell.address, to, message);
  }

  offer(to: Address, message: unknown, options: AskOptions): Promise<OfferResult> {
    return this.#during(
      this.#around.router.offer({ from: this.#cell.address, to }, message, options),
    );
  }

  ask(to: Address, message: unknown, options: AskOptions): Promise<unknown> {
    return this.#during(
      this.#around.router.ask({ from: this.#cell.address, to }, message, options),
    );
  }

  spawn(module: string, options: ChildOptions): Promise<Address> {
    return this.#during(this.#around.supervisor.spawnChild(this.#cell.address, module, options));
  }

  stopActor(actor: Address): void {
    this.#around.supervisor.stopFor(this.#cell.address, actor);
  }

  watch(actor: Address): void {
    this.#around.router.watch(this.#cell.address, actor);
  }

  unwatch(actor: Address): void {
    this.#around.router.registry.get(actor.id)?.removeWatcher(this.#cell.address);
  }

  after(delayMs: number, message: unknown): () => void {
    if (!(delayMs >= 0)) {
      throw new TroupeError('invalid_options', `delayMs must be 0 or more, it is ${delayMs}`);
    }
    return this.#cell.startTimer(delayMs, message);
  }

  commit(snapshot: unknown): void {
    this.#cell.commit(toSerializable(snapshot).value);
  }

  publish(event: unknown): void {
    this.#cell.publish(event);
  }

  flush(): void {
    // Nothing is buffered: an inline tell is delivered at once.
  }

  signalled(): null {
    // Signals are method calls here: nothing is ahead of them.
    return null;
  }

  /** An activation that waits for an answer is not idle, whatever its receive has come to (P1). */
  #during<Value>(call: Promise<Value>): Promise<Value> {
    this.#calls += 1;
    const done = (): void => {
      this.#calls -= 1;
    };
    call.then(done, done);
    return call;
  }
}
