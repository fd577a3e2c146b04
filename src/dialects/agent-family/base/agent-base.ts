// Owns what every agent of the family is: reply, observe, print, interrupt, hooks, subscribers, queue. Knows no model.
import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { describe, TroupeError } from '../../../base/failures.ts';
import { parseOptions } from '../../../base/parse-options.ts';
import { openController } from '../../../base/when-aborted.ts';
import { unlessAborted, withAbort } from '../../../base/with-abort.ts';
import { type AgentBaseOptions, agentBaseSchema } from './agent-base-options.ts';
import { classHooks, HookRegistry } from './hook-registry.ts';
import type {
  AgentHook,
  HookArgs,
  Hooked,
  HookOutputs,
  HookPoint,
  ReplyOptions,
} from './hook-types.ts';
import { betweenHooks, hasHooks, runPostHooks, runPreHooks } from './hooked-call.ts';
import { MessageQueue } from './message-queue.ts';
import { copyInput, copyMsg, createMsg, isMsg, type Msg, type MsgInput } from './msg.ts';
import { PrintedPrefixes, type PrintOutput } from './printing.ts';
import { StateModule } from './state.ts';

const interruptedText = 'I was interrupted. What shall I do instead?';

/**
 * An agent that answers, observes and prints. A subclass writes `reply`, and `observe`, `print` or `handleInterrupt` where
 * it wants them otherwise, and nothing about hooks: the constructor puts a method of the same name in front of each, on
 * the instance, which runs the hooks around the class's own. `super.reply()` is the bare method, so no hook runs
 * twice. A subclass that would lose its hooks, by a field of such a name, fails with a TypeError when it is made.
 */
export abstract class AgentBase extends StateModule {
  /** The id it was made with, or a made-up one. */
  readonly id: string;
  /** The author of its messages. */
  readonly name: string;
  protected readonly clock: Clock;
  readonly #output: PrintOutput;
  readonly #hooks = new HookRegistry<AgentBase>();
  readonly #prefixes = new PrintedPrefixes();
  readonly #subscribers = new Map<string, readonly AgentBase[]>();
  #queue: MessageQueue | null = null;
  #inFlight: AbortController | null = null;
  /** Ends the wait for the subscribers that are observing a reply. */
  #endWait = (): void => {};

  constructor(options: AgentBaseOptions) {
    super();
    const { name, id = randomUUID(), output = () => {}, clock = systemClock } = options;
    parseOptions(agentBaseSchema, { name, id, output }, new.target.name);
    this.id = id;
    this.name = name;
    this.clock = clock;
    this.#output = output;
    this.#weave('reply', (input: MsgInput, given: ReplyOptions = {}) => this.#reply(input, given));
    this.#weave('observe', async (input: MsgInput) =>
      this.#between('observe', { input: copyInput(input) }, (args) =>
        this.#bare('observe', args.input),
      ),
    );
    this.#weave('print', (message: Msg, isLast = true) =>
      this.#between('print', { message, isLast }, (args) =>
        this.#bare('print', args.message, args.isLast),
      ),
    );
  }

  /**
   * Answers with exactly one message, which the subscribers then observe. One at a time: rejects
   * `reply_in_flight` while another is on. Rejects what the class's own `reply` and its hooks throw, and what a
   * subscriber it waits for throws.
   */
  abstract reply(input?: MsgInput, options?: ReplyOptions): Promise<Msg>;

  /** Receives a message without replying. This class stores nothing: a subclass stores what it needs. */
  async observe(_input?: MsgInput): Promise<void> {}

  /**
   * Passes the new part of a message to the output, and the whole message to the queue if one is enabled.
   * With `isLast` false more of the same message, by its id, may follow.
   */
  async print(message: Msg, isLast = true): Promise<void> {
    this.#queue?.push({ message, isLast });
    for (const chunk of this.#prefixes.next(message, isLast)) await this.#output(chunk);
  }

  /** The reply of a reply that was interrupted. */
  async handleInterrupt(_input: MsgInput, _options: ReplyOptions): Promise<Msg> {
    const { name, clock } = this;
    const metadata = { interrupted: true };
    return createMsg({ name, role: 'assistant', content: interruptedText, metadata, clock });
  }

  /**
   * Ends the reply in flight, which resolves with the result of `handleInterrupt`. A reply that subscribers already
   * observe does not change, and no longer waits for them. Returns false when no reply is in flight.
   */
  interrupt(reason = 'the reply was interrupted'): boolean {
    if (this.#inFlight === null) return false;
    this.#abort(this.#inFlight, new TroupeError('interrupted', reason));
    return true;
  }

  /** A later hook of the same name takes its place. Throws `invalid_options`. */
  registerInstanceHook<Point extends HookPoint>(
    point: Point,
    name: string,
    hook: AgentHook<Point, AgentBase>,
  ): void {
    this.#hooks.register(point, name, hook);
  }

  /** Throws `invalid_options` when there is none of this name. */
  removeInstanceHook(point: HookPoint, name: string): void {
    this.#hooks.remove(point, name);
  }

  /** Of one point, or all. */
  clearInstanceHooks(point?: HookPoint): void {
    this.#hooks.clear(point);
  }

  /** For every agent of this class and of those that extend it, living ones too. */
  static registerClassHook<Point extends HookPoint>(
    this: object,
    point: Point,
    name: string,
    hook: AgentHook<Point, AgentBase>,
  ): void {
    // biome-ignore lint/complexity/noThisInStatic: the class it is called on is what the hooks are of.
    classHooks(this).register(point, name, hook);
  }

  /** Of those registered on this very class. Throws `invalid_options` when there is none of this name. */
  static removeClassHook(this: object, point: HookPoint, name: string): void {
    // biome-ignore lint/complexity/noThisInStatic: the class it is called on is what the hooks are of.
    classHooks(this).remove(point, name);
  }

  /** Those registered on this very class, of one point or all. */
  static clearClassHooks(this: object, point?: HookPoint): void {
    // biome-ignore lint/complexity/noThisInStatic: the class it is called on is what the hooks are of.
    classHooks(this).clear(point);
  }

  /** Sets which agents of this hub observe each reply. An agent never observes its own. */
  resetSubscribers(hub: string, agents: readonly AgentBase[]): void {
    const others = agents.filter((agent) => agent !== this);
    this.#subscribers.set(hub, others);
  }

  /** The hub's subscribers no longer observe the replies. */
  removeSubscribers(hub: string): void {
    this.#subscribers.delete(hub);
  }

  /** Off by default. A queue that is given is shared; without one it gets its own. */
  setMessageQueueEnabled(isEnabled: boolean, queue?: MessageQueue): void {
    this.#queue = isEnabled ? (queue ?? this.#queue ?? new MessageQueue()) : null;
  }

  /** Null while it is off. */
  get messageQueue(): MessageQueue | null {
    return this.#queue;
  }

  /** Aborted when the reply in flight is interrupted; null between replies. */
  protected get replySignal(): AbortSignal | null {
    return this.#inFlight?.signal ?? null;
  }

  /**
   * A reply was interrupted: ends what it has running, in bounded time. Resolves with its message when it was complete
   * all the same, which is then the reply. This one leaves the reply to itself.
   */
  protected async endReply(_running: Promise<Msg>): Promise<Msg | null> {
    return null;
  }

  protected hasHooks(what: Hooked): boolean {
    return hasHooks(this, this.#hooks, what);
  }

  protected runPreHooks<What extends Hooked>(
    what: What,
    args: HookArgs[What],
  ): Promise<HookArgs[What]> {
    return runPreHooks(this, this.#hooks, { what, args });
  }

  protected runPostHooks<What extends Hooked>(
    what: What,
    args: HookArgs[What],
    output: HookOutputs[What],
  ): Promise<HookOutputs[What]> {
    return runPostHooks(this, this.#hooks, { what, args, output });
  }

  #weave(method: 'reply' | 'observe' | 'print', value: (...args: never[]) => unknown): void {
    Object.defineProperty(this, method, { value });
  }

  /** The class's own method, without the hooks in front of it. */
  #bare(method: 'reply' | 'observe' | 'print', ...args: unknown[]): Promise<never> {
    const own: unknown = Reflect.get(Object.getPrototypeOf(this), method);
    if (typeof own === 'function') return Reflect.apply(own, this, args);
    throw new TroupeError('invalid_agent', `${this.constructor.name} has no method ${method}`);
  }

  #between<What extends Hooked>(
    what: What,
    args: HookArgs[What],
    call: (args: HookArgs[What]) => Promise<HookOutputs[What]>,
  ): Promise<HookOutputs[What]> {
    return betweenHooks(this, this.#hooks, { what, args }, call);
  }

  async #reply(given: MsgInput, options: ReplyOptions): Promise<Msg> {
    // As it is now: what its sender changes while hooks and memories are asked does not count.
    const input = copyInput(given);
    if (this.#inFlight !== null) {
      throw new TroupeError('reply_in_flight', `agent ${this.name} is answering already`);
    }
    const abort = openController();
    this.#inFlight = abort;
    const onAbort = ({ reason }: AbortSignal): void => this.#abort(abort, reason);
    try {
      return await withAbort(options.signal, onAbort, async () => {
        const message = await this.#answerOrInterrupt(abort.signal, { input, options });
        await this.#tell(message);
        return message;
      });
    } finally {
      this.#inFlight = null;
    }
  }

  #abort(reply: AbortController, reason: unknown): void {
    reply.abort(reason);
    this.#endWait();
  }

  /** Subscribers observe one after another. After an interrupt the others still receive the reply, unawaited. */
  async #tell(message: Msg): Promise<void> {
    const interrupted = new Promise<void>((resolve) => {
      this.#endWait = resolve;
    });
    for (const subscriber of [...this.#subscribers.values()].flat()) {
      await Promise.race([interrupted, subscriber.observe(copyMsg(message))]);
    }
  }

  async #answerOrInterrupt(signal: AbortSignal, args: HookArgs['reply']): Promise<Msg> {
    const running = this.#between('reply', args, async ({ input, options }) => {
      signal.throwIfAborted();
      return this.#checked(await this.#bare('reply', input, options));
    }).then((message) => this.#checked(message));
    try {
      return await unlessAborted(signal, running);
    } catch (error) {
      // A reply that was interrupted may throw; any other error goes to the caller.
      if (!signal.aborted) throw error;
    }
    const finished = await this.endReply(running);
    return finished ?? this.#checked(await this.handleInterrupt(args.input, args.options));
  }

  #checked(message: unknown): Msg {
    if (isMsg(message)) return message;
    const seen = Array.isArray(message) ? `${message.length} messages` : describe(message);
    throw new TroupeError(
      'invalid_agent',
      `agent ${this.name} has to reply with one message, got ${seen}`,
    );
  }
}
