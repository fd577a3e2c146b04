// Owns an agent whose class is in a module and runs in its own thread: what it requires of the class, and its calls.
import type { ActorRef } from '../../../actor/ref.ts';
import { nextTurn } from '../../../base/next-turn.ts';
import { AgentBase } from './agent-base.ts';
import type { AgentBaseOptions } from './agent-base-options.ts';
import type { ReplyOptions } from './hook-types.ts';
import { isMsg, type Msg, type MsgInput, msgsOf } from './msg.ts';
import { refuseOutputSchema } from './output-schema.ts';

/** What the class in the module implements; it needs no base class, and receives messages as plain data. */
export interface AgentModule {
  /** Answers messages. What it throws rejects the reply. */
  reply(input: readonly Msg[]): Msg | Promise<Msg>;
  /** Takes messages in without an answer. */
  observe(input: readonly Msg[]): unknown;
}

type Spawned = {
  readonly $ref: ActorRef;
  reply(input: readonly Msg[]): Promise<unknown>;
  observe(input: readonly Msg[]): Promise<unknown>;
};

/** Starts a class as an actor on a thread; `createActorSystem()` is one. */
interface ObjectSpawner {
  spawnObject(
    module: URL,
    options: {
      readonly exportName?: string;
      readonly args?: readonly unknown[];
      readonly callTimeoutMs?: number;
    },
  ): Promise<object>;
}

/** Where the class of an agent is, and what it is made with. */
export type ModuleAgentOptions = AgentBaseOptions & {
  /** Starts it on a thread. */
  readonly system: ObjectSpawner;
  /** JavaScript whose default export, or the one named, is the class. */
  readonly module: URL;
  /** The name of the export that is the class. Default: the default export. */
  readonly exportName?: string;
  /** For its constructor: plain data. */
  readonly args?: readonly unknown[];
  /** Of one reply, and of one observation. Default 30,000. */
  readonly timeoutMs?: number;
};

/**
 * The module form of an agent's class: what it computes hurts its own thread only, and its fields are there. Hooks,
 * subscribers and prints are here, as those of any agent. Its state is its own affair: nothing of it is registered.
 */
export class ModuleAgent extends AgentBase {
  readonly #spawned: Spawned;
  #isCalled = false;

  private constructor(options: AgentBaseOptions, spawned: Spawned) {
    super(options);
    this.#spawned = spawned;
  }

  /** Rejects `module_failed`, `spawn_failed`, `invalid_options`. */
  static async start(options: ModuleAgentOptions): Promise<ModuleAgent> {
    const { system, module, exportName, args, timeoutMs, ...base } = options;
    const spawned = await system.spawnObject(module, {
      ...(exportName === undefined ? {} : { exportName }),
      ...(args === undefined ? {} : { args }),
      ...(timeoutMs === undefined ? {} : { callTimeoutMs: timeoutMs }),
    });
    // The facade answers every name with a call; a class without the method refuses it `unknown_method`.
    return new ModuleAgent(base, spawned as Spawned);
  }

  /**
   * Rejects what the class throws, `ask_timeout`, `actor_terminated` once its thread is gone, and `invalid_options` for an
   * output schema.
   */
  override async reply(input?: MsgInput, options: ReplyOptions = {}): Promise<Msg> {
    refuseOutputSchema(this.name, options);
    const message = await this.#call(msgsOf(input));
    if (isMsg(message)) await this.print(message);
    // What is none is refused as any reply that is none.
    return message as Msg;
  }

  override async observe(input?: MsgInput): Promise<void> {
    await this.#spawned.observe(msgsOf(input));
  }

  async #call(input: readonly Msg[]): Promise<unknown> {
    this.#isCalled = true;
    try {
      return await this.#spawned.reply(input);
    } finally {
      this.#isCalled = false;
    }
  }

  /** Ends its thread. */
  async stop(): Promise<void> {
    await this.#spawned.$ref.stop();
  }

  /**
   * Ends the call in the thread; after the grace periods of its system, the thread too. A call that is on its way there
   * is interrupted once it has begun: an interrupt ends what runs, never what waits. A hook before or after the call is
   * left to itself.
   */
  protected override async endReply(running: Promise<Msg>): Promise<Msg | null> {
    if (!this.#isCalled) return null;
    while (this.#isCalled) {
      await this.#spawned.$ref.interrupt();
      await nextTurn();
    }
    return running.catch(() => null);
  }
}
