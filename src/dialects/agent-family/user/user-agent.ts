// Owns the agent that speaks for a person: its replies come from a source that can be swapped (D25, D26).
import { describe, TroupeError } from '../../../base/failures.ts';
import { AgentBase } from '../base/agent-base.ts';
import type { AgentBaseOptions } from '../base/agent-base-options.ts';
import type { ReplyOptions } from '../base/hook-types.ts';
import { Memory } from '../base/memory.ts';
import { createMsg, type Msg, type MsgInput } from '../base/msg.ts';
import { refuseOutputSchema } from '../base/output-schema.ts';
import { TerminalInput, type UserInput } from './user-input.ts';

/** Where an agent takes its user's responses from. */
export type UserAgentOptions = AgentBaseOptions & {
  /** Default: that of its class, which is the terminal unless it was overridden. */
  readonly input?: UserInput;
};

/** Sources by class, as `overrideClassInputMethod` sets them. */
const classInputs = new WeakMap<object, UserInput>();

/** Its reply is its user's response; its memory keeps all messages that it observes or receives. */
export class UserAgent extends AgentBase {
  /** All messages that it observed or received. */
  readonly memory = new Memory();
  #input: UserInput | null;

  constructor(options: UserAgentOptions) {
    const { input = null, ...base } = options;
    super(base);
    this.#input = input === null ? null : checkInput(input);
    this.registerState('memory');
  }

  /** For every agent of this class and of those that extend it, but those with a source of their own. */
  static overrideClassInputMethod(this: object, input: UserInput): void {
    // biome-ignore lint/complexity/noThisInStatic: the class it is called on is whose source is set.
    classInputs.set(this, checkInput(input));
  }

  /** The class reads from what it extends again, at last from the terminal. */
  static restoreClassInputMethod(this: object): void {
    // biome-ignore lint/complexity/noThisInStatic: the class it is called on is whose source is put back.
    classInputs.delete(this);
  }

  /** For this agent alone. */
  overrideInstanceInputMethod(input: UserInput): void {
    this.#input = checkInput(input);
  }

  override async observe(input?: MsgInput): Promise<void> {
    this.memory.add(input);
  }

  /** Rejects what its source rejects with, and `invalid_options` for an output schema. */
  override async reply(input?: MsgInput, options: ReplyOptions = {}): Promise<Msg> {
    refuseOutputSchema(this.name, options);
    this.memory.add(input);
    const { id, name, clock } = this;
    // A reply is in flight: that is where the signal is from.
    const signal = this.replySignal ?? AbortSignal.abort();
    const { content, metadata = {} } = await this.#source().read({ agent: { id, name }, signal });
    signal.throwIfAborted();
    const message = createMsg({ name, role: 'user', content, metadata, clock });
    await this.print(message);
    this.memory.add(message);
    return message;
  }

  #source(): UserInput {
    if (this.#input !== null) return this.#input;
    for (
      let level: unknown = this.constructor;
      typeof level === 'function' && level !== Function.prototype;
      level = Object.getPrototypeOf(level)
    ) {
      const input = classInputs.get(level);
      if (input !== undefined) return input;
    }
    return new TerminalInput();
  }
}

function checkInput(input: UserInput): UserInput {
  if (typeof input === 'object' && input !== null && typeof input.read === 'function') return input;
  throw new TroupeError(
    'invalid_options',
    `an input is an object with read, got ${describe(input)}`,
  );
}
