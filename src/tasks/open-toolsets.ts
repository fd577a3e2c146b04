// Owns the open toolsets of every agent: opened at the first call, kept from run to run, closed with the agent.
import type { Clock } from '../base/clock.ts';
import { type Failure, TroupeError, toFailure } from '../base/failures.ts';
import type { HostToolset, OpenToolset, ToolsetOwner } from '../tools/host-toolset.ts';
import type { AnyTool } from '../tools/tool.ts';

/** Milliseconds to wait for a toolset to close before it is forced, and again after it is forced. */
export const closeDeadlineMs = 10_000;

/** Called when a toolset of the program could not close; the only report of that failure. */
export type OnToolsetCloseFailure = (toolset: string, failure: Failure) => void;

/** The toolsets of one agent. */
class AgentToolsets {
  readonly #toolsets: readonly HostToolset[];
  readonly #owner: ToolsetOwner;
  readonly #open = new Map<HostToolset, OpenToolset>();

  constructor(toolsets: readonly HostToolset[], owner: ToolsetOwner) {
    this.#toolsets = toolsets;
    this.#owner = owner;
  }

  toolOf(name: string): AnyTool | undefined {
    const toolset = this.#toolsets.find(({ tools }) => tools.some((tool) => tool.name === name));
    if (toolset === undefined) return undefined;
    let open = this.#open.get(toolset);
    if (open === undefined) {
      open = toolset.open(this.#owner);
      this.#open.set(toolset, open);
    }
    return open.tools.find((tool) => tool.name === name);
  }

  /** Closes all, whatever becomes of one; never rejects. Reports and leaves what is still open when it is `overdue`. */
  async close(
    force: boolean,
    onFailure: OnToolsetCloseFailure,
    overdue: Promise<void> | null = null,
  ): Promise<void> {
    const closeOne = async ([{ name }, open]: [HostToolset, OpenToolset]): Promise<void> => {
      try {
        const closing = open.close({ force });
        await (overdue === null ? closing : Promise.race([closing, overdue.then(giveUp)]));
      } catch (error) {
        onFailure(name, toFailure(error, 'tool_failed'));
      }
    };
    await Promise.all([...this.#open].map(closeOne));
  }
}

export class OpenToolsets {
  readonly #clock: Clock;
  readonly #onFailure: OnToolsetCloseFailure;
  readonly #byAgent = new Map<string, AgentToolsets>();
  /** Toolsets whose agent is over and whose processes may not be. */
  readonly #closing = new Map<AgentToolsets, Promise<void>>();

  constructor(clock: Clock, onFailure: OnToolsetCloseFailure) {
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** Finds the tools of an agent's toolsets by name; nothing is opened before one is asked for. */
  toolsFor(
    toolsets: readonly HostToolset[],
    owner: ToolsetOwner,
  ): (name: string) => AnyTool | undefined {
    return (name) => {
      const ofAgent = this.#byAgent.get(owner.agent.id) ?? new AgentToolsets(toolsets, owner);
      const tool = ofAgent.toolOf(name);
      if (tool !== undefined) this.#byAgent.set(owner.agent.id, ofAgent);
      return tool;
    };
  }

  /** What the agent's tools keep is given up: the agent is over, or a run of it was ended. */
  end(agentId: string): void {
    const ofAgent = this.#byAgent.get(agentId);
    if (ofAgent === undefined) return;
    this.#byAgent.delete(agentId);
    this.#closing.set(ofAgent, this.#end(ofAgent));
  }

  /** Forces what has not closed within the deadline; reports what is then still open, and leaves it. */
  async #end(ofAgent: AgentToolsets): Promise<void> {
    const closed = ofAgent
      .close(false, this.#onFailure)
      .finally(() => this.#closing.delete(ofAgent));
    await this.#inTime((overdue) => Promise.race([closed, overdue]));
    if (!this.#closing.has(ofAgent)) return;
    await this.#inTime((overdue) => ofAgent.close(true, this.#onFailure, overdue));
    this.#closing.delete(ofAgent);
  }

  /**
   * Nothing that a tool started is left when it resolves, except toolsets that do not close within `closeDeadlineMs`:
   * those are reported with `shutdown_timeout` and no longer awaited.
   */
  async close(): Promise<void> {
    const byAgent = [...this.#byAgent.values(), ...this.#closing.keys()];
    this.#byAgent.clear();
    if (byAgent.length === 0) return;
    await this.#inTime(async (overdue) => {
      await Promise.all(byAgent.map((ofAgent) => ofAgent.close(true, this.#onFailure, overdue)));
      await Promise.race([Promise.all(this.#closing.values()), overdue]);
    });
  }

  /** Runs work that may watch a deadline of `closeDeadlineMs`. */
  async #inTime(work: (overdue: Promise<void>) => Promise<void>): Promise<void> {
    let cancel = (): void => {};
    const overdue = new Promise<void>((resolve) => {
      cancel = this.#clock.after(closeDeadlineMs, resolve);
    });
    try {
      await work(overdue);
    } finally {
      cancel();
    }
  }
}

function giveUp(): never {
  const message = `it had not closed after ${closeDeadlineMs} ms and is not awaited any longer`;
  throw new TroupeError('shutdown_timeout', message);
}
