// Owns what a life of an agent is given: its start arguments, its host tools, the children it may delegate to.
import type { Address } from '../actor/address.ts';
import type { AgentNote, OwnArgs } from '../agent/notes.ts';
import { TroupeError } from '../errors.ts';
import type { Outcome } from '../outcome.ts';
import type { AgentEntry } from './agent-entry.ts';
import { HostTools } from './host-tools.ts';
import type { Parking } from './parking.ts';
import type { AgentLife } from './port.ts';
import type { TaskEntry } from './task-entry.ts';

export type AgentLivesOptions = {
  readonly parking: Parking;
  readonly publish: (agent: AgentEntry, note: AgentNote) => void;
  readonly submit: (parent: AgentEntry, tasks: readonly unknown[]) => readonly TaskEntry[];
  readonly interrupt: (entry: TaskEntry, reason: string) => Promise<unknown>;
  /** An operation holds the agent, and with it what is below. */
  readonly isInterrupting: (agent: AgentEntry) => boolean;
  /** A host tool began or ceased to wait for children. */
  readonly onWaitChanged: (agent: AgentEntry) => void;
};

export class AgentLives {
  readonly #options: AgentLivesOptions;

  constructor(options: AgentLivesOptions) {
    this.#options = options;
  }

  /** What the agent's next life is made of; asked again for each life. */
  lifeOf(agent: AgentEntry): AgentLife {
    return {
      plan: agent.plan,
      tree: agent.root.id,
      args: (address) => this.#argsOf(agent, address),
      services: {
        callHostTool: async (call) => agent.hostTools?.call(call),
        abortHostTool: (callId) => {
          agent.hostTools?.abort(callId, new TroupeError('interrupted', 'the call was given up'));
        },
        delegate: (callId, tasks) =>
          agent.whileThreadWaits(callId, () => this.#delegate(agent, tasks, agent.signal)),
      },
    };
  }

  hostToolsOf(agent: AgentEntry): HostTools | null {
    const { plan } = agent;
    if (plan.hostTools.size === 0) return null;
    const { publish, onWaitChanged } = this.#options;
    return new HostTools({
      tools: plan.hostTools,
      agent: { id: agent.id, name: plan.name, path: agent.path, depth: agent.depth },
      workspace: plan.shared.workspace,
      signal: agent.signal,
      onProgress: (callId, fraction, note) =>
        publish(agent, { type: 'tool_progress', callId, fraction, note }),
      onHeartbeat: () => agent.touch(),
      onTouched: (path) => publish(agent, { type: 'touched', path }),
      delegate: (tasks, signal) => this.#delegate(agent, tasks, signal),
      onWaitChanged: () => onWaitChanged(agent),
    });
  }

  #argsOf(agent: AgentEntry, address: Address): OwnArgs {
    const { plan, record, depth } = agent;
    const resume = this.#options.parking.resumePoint(agent);
    const args: OwnArgs = {
      agent: { id: address.id, name: plan.name, path: address.path, depth },
      memory: resume === null ? [] : record.messages,
      endsWithRun: true,
    };
    return resume === null ? args : { ...args, resume };
  }

  /** Children of an agent: accepted together, awaited together, interrupted when their call ends first. */
  async #delegate(
    parent: AgentEntry,
    tasks: readonly unknown[],
    signal: AbortSignal,
  ): Promise<readonly Outcome[]> {
    const { submit, interrupt, isInterrupting } = this.#options;
    const entries = submit(parent, tasks);
    const onAbort = (): void => {
      // The operation that ends the parent ends them too; a second one would only repeat its signals.
      if (isInterrupting(parent)) return;
      for (const entry of entries) void interrupt(entry, 'the call that delegated it was ended');
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.all(entries.map((entry) => entry.result));
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}
