// Owns the context that a behaviour uses during one activation: its sends, its asker, its stash, its signal (M9, S2).
import { type Failure, failure, TroupeError, toFailure } from '../base/failures.ts';
import { openController } from '../base/when-aborted.ts';
import type { ActivationFacts, ActivationHost, Handed } from './activation-host.ts';
import type { Address } from './address.ts';
import type { AskOptions, ChildOptions, OfferResult, Self } from './behavior.ts';
import type { ReceiveResult } from './host.ts';

const maxStashed = 256;

/** The `self` of a behaviour. Its methods, except `interrupted`, throw `activation_ended` after the activation. */
export class ActivationContext implements Self {
  readonly address: Address;
  readonly incarnation: number;
  readonly #snapshot: unknown;
  readonly #port: ActivationHost;
  #handed: Handed | null = null;
  #mustReply = false;
  #isStashed = false;
  #stashed = 0;
  #raised: TroupeError | null = null;
  #controller: AbortController | null = null;
  #isRevoked = false;

  constructor(port: ActivationHost, facts: ActivationFacts) {
    this.#port = port;
    this.address = facts.address;
    this.incarnation = facts.incarnation;
    this.#snapshot = facts.snapshot;
  }

  get path(): string {
    return this.address.path;
  }

  get sender(): Address | null {
    return this.#handed?.from ?? null;
  }

  get snapshot(): unknown {
    return this.#snapshot;
  }

  get signal(): AbortSignal {
    this.#readFlags();
    if (this.#controller === null) {
      this.#controller = openController();
      if (this.#raised !== null) this.#controller.abort(this.#raised);
    }
    return this.#controller.signal;
  }

  interrupted(): boolean {
    // Code that outlives its activation sees it here: nothing else can end its loop.
    if (this.#isRevoked) return true;
    this.#readFlags();
    return this.#raised !== null;
  }

  tell(to: Address, message: unknown): void {
    this.#live().tell(to, message);
  }

  async offer(to: Address, message: unknown, options: AskOptions): Promise<OfferResult> {
    return this.#live().offer(to, message, options);
  }

  async ask(to: Address, message: unknown, options: AskOptions): Promise<unknown> {
    return this.#live().ask(to, message, options);
  }

  reply(value: unknown): void {
    const port = this.#live();
    if (!this.#mustReply || this.#handed === null) return;
    // Throws for a value that is not plain data: the ask still needs a reply then.
    port.reply(this.#handed.askId, value);
    this.#mustReply = false;
  }

  refuse(reason: unknown): void {
    const port = this.#live();
    if (!this.#mustReply || this.#handed === null) return;
    this.#mustReply = false;
    port.failAsk(this.#handed.askId, toFailure(reason, 'refused'));
  }

  takeReply(): (value: unknown) => void {
    this.#live();
    const askId = this.#mustReply ? (this.#handed?.askId ?? 0) : 0;
    this.#mustReply = false;
    let isUsed = askId === 0;
    return (value) => {
      const port = this.#live();
      if (isUsed) return;
      port.reply(askId, value);
      isUsed = true;
    };
  }

  async spawn(module: URL | string, options: ChildOptions = {}): Promise<Address> {
    return this.#live().spawn(String(module), options);
  }

  stop(actor: Address): void {
    this.#live().stopActor(actor);
  }

  watch(actor: Address): void {
    this.#live().watch(actor);
  }

  unwatch(actor: Address): void {
    this.#live().unwatch(actor);
  }

  stash(): void {
    this.#live();
    if (this.#handed === null || this.#isStashed) return;
    if (this.#stashed >= maxStashed) {
      throw new TroupeError('stash_overflow', `${maxStashed} messages are stashed already`);
    }
    this.#stashed += 1;
    this.#isStashed = true;
    this.#mustReply = false;
  }

  unstashAll(): void {
    const port = this.#live();
    // A message that stashes itself is excluded: it enters the stash only after its receive.
    const staying = this.#isStashed ? 1 : 0;
    if (this.#stashed === staying) return;
    this.#stashed = staying;
    port.unstash();
  }

  commit(snapshot: unknown): void {
    this.#live().commit(snapshot);
  }

  after(delayMs: number, message: unknown): () => void {
    return this.#live().after(delayMs, message);
  }

  publish(event: unknown): void {
    this.#live().publish(event);
  }

  flush(): void {
    this.#live().flush();
  }

  /** @internal A receive begins. */
  begin(handed: Handed): void {
    this.#handed = handed;
    this.#mustReply = handed.askId !== 0;
    this.#isStashed = false;
    // A signal belongs to the receive it was raised in; no receive begins after a stop.
    this.#raised = null;
    this.#controller = null;
  }

  /** @internal The receive returned: returns its result and rejects an ask that got no reply. */
  finishReceive(): ReceiveResult {
    const handed = this.#handed;
    this.#handed = null;
    if (this.#isStashed) return 'stashed';
    if (handed !== null && this.#mustReply) {
      const message = `${this.address.path} processed the message and did not reply`;
      const why = this.#raised === null ? failure('no_reply', message) : toFailure(this.#raised);
      this.#port.failAsk(handed.askId, why);
    }
    return this.#raised === null ? 'processed' : 'interrupted';
  }

  /** @internal The receive threw: an asker learns why. */
  abandonReceive(reason: Failure): void {
    const handed = this.#handed;
    this.#handed = null;
    // A message whose receive did not return is not stashed after all.
    if (this.#isStashed) this.#stashed -= 1;
    const isExpected = this.#mustReply || (this.#isStashed && handed?.askId !== 0);
    if (handed !== null && isExpected) this.#port.failAsk(handed.askId, reason);
  }

  /** @internal Interrupt or stop: sets the flag at once, and aborts the signal if the behaviour has read it. */
  raise(reason: TroupeError): void {
    const raised = this.#raised?.code;
    if (raised === 'stopped' || raised === reason.code) return;
    this.#raised = reason;
    this.#controller?.abort(reason);
  }

  /** @internal True for what a behaviour throws because it was interrupted. */
  isOwnSignal(error: unknown): boolean {
    if (this.#raised === null) return false;
    // The signal keeps the first reason; a stronger one may have been raised since.
    const shown: unknown = this.#controller?.signal.reason;
    const isShown = (thrown: unknown): boolean =>
      thrown === this.#raised || (thrown !== undefined && thrown === shown);
    if (isShown(error)) return true;
    try {
      return error instanceof Error && (error.name === 'AbortError' || isShown(error.cause));
    } catch {
      // A thrown value that cannot be read is none of ours.
      return false;
    }
  }

  /** @internal The activation is over. */
  revoke(): void {
    this.#isRevoked = true;
    this.#handed = null;
  }

  /** The shared flags arrive before the signal's message; a loop that never awaits sees only them (S2). */
  #readFlags(): void {
    if (this.#raised !== null || this.#isRevoked) return;
    const code = this.#port.signalled(this.#handed !== null);
    if (code !== null) this.raise(new TroupeError(code, `${this.address.path} was ${code}`));
  }

  #live(): ActivationHost {
    if (this.#isRevoked) {
      throw new TroupeError('activation_ended', `this activation of ${this.address.path} is over`);
    }
    return this.#port;
  }
}
