// Owns a hub: agents that observe each other's replies as long as it is open (D8).
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { TroupeError } from '../../../base/failures.ts';
import { parseOptions } from '../../../base/parse-options.ts';
import { AgentBase } from './agent-base.ts';
import { copyInput, type MsgInput } from './msg.ts';

/** How a hub is called, and whether it broadcasts. */
export type MsgHubOptions = {
  /** Default: made up. */
  readonly name?: string;
  /** Whether replies are broadcast by themselves. Default true. */
  readonly isAutoBroadcast?: boolean;
};

const schema = z.strictObject({
  name: z.string().min(1).optional(),
  isAutoBroadcast: z.boolean().optional(),
});

/** While it is open, the other members observe each reply of a member; the author does not. */
export class MsgHub {
  /** What it is called in errors. */
  readonly name: string;
  #members: readonly AgentBase[] = [];
  #isAutoBroadcast: boolean;
  #isOpen = true;

  /** Opens it. Throws `invalid_options`. */
  constructor(participants: readonly AgentBase[], options: MsgHubOptions = {}) {
    const { name = randomUUID(), isAutoBroadcast = true } = parseOptions(schema, options, 'MsgHub');
    this.name = name;
    this.#isAutoBroadcast = isAutoBroadcast;
    this.add(participants);
  }

  /**
   * Opens it and has every member observe the announcement before it resolves. Rejects `invalid_options`, and what a member
   * throws: the hub is closed then.
   */
  static async open(
    participants: readonly AgentBase[],
    { announcement, ...options }: MsgHubOptions & { readonly announcement?: MsgInput } = {},
  ): Promise<MsgHub> {
    const hub = new MsgHub(participants, options);
    try {
      await hub.broadcast(announcement);
      return hub;
    } catch (thrown) {
      hub.close();
      throw thrown;
    }
  }

  /** The agents in it, in the order they were added. */
  get members(): readonly AgentBase[] {
    return this.#members;
  }

  /** Adding an agent that is already a member has no effect. */
  add(agents: AgentBase | readonly AgentBase[]): void {
    const added = [agents].flat();
    for (const agent of added) {
      if (agent instanceof AgentBase) continue;
      throw new TroupeError('invalid_options', `MsgHub ${this.name}: a member is no agent`);
    }
    this.#set([...new Set([...this.#members, ...added])]);
  }

  /** A removed agent observes and broadcasts no more. Throws `invalid_options` for an agent that is not a member. */
  delete(agents: AgentBase | readonly AgentBase[]): void {
    const gone = [agents].flat();
    for (const agent of gone) {
      if (this.#members.includes(agent)) continue;
      throw new TroupeError('invalid_options', `MsgHub ${this.name}: ${agent.name} is no member`);
    }
    for (const agent of gone) agent.removeSubscribers(this.name);
    this.#set(this.#members.filter((member) => !gone.includes(member)));
  }

  /** Every member observes it. */
  async broadcast(input: MsgInput): Promise<void> {
    // Taken now, and one for each: what a member or the caller changes is its own.
    const message = copyInput(input);
    for (const member of this.#members) await member.observe(copyInput(message));
  }

  /** Whether replies are broadcast by themselves from now on. */
  setAutoBroadcast(isEnabled: boolean): void {
    this.#isAutoBroadcast = isEnabled;
    this.#set(this.#members);
  }

  /** Members no longer observe each other's replies. Idempotent. */
  close(): void {
    this.#isOpen = false;
    this.#set(this.#members);
  }

  /** Closes the hub, at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.close();
  }

  #set(members: readonly AgentBase[]): void {
    this.#members = members;
    for (const member of members) {
      if (this.#isOpen && this.#isAutoBroadcast) member.resetSubscribers(this.name, members);
      else member.removeSubscribers(this.name);
    }
  }
}
