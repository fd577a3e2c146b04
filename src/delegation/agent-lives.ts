// Owns what a life of an agent is given: its start arguments, its host tools, the children it may delegate to.
import type { Address } from '../actor/address.ts';
import { answerTool } from '../agent/answer-tool.ts';
import type { AgentNote, OwnArgs } from '../agent/notes.ts';
import { TroupeError } from '../errors.ts';
import type { Outcome } from '../outcome.ts';
import type { CallOptions } from '../tools/call.ts';
import { keepResult } from '../tools/kept-results.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { AgentEntry } from './agent-entry.ts';
import type { Approvals } from './approvals.ts';
import { awaitTasks } from './await-tasks.ts';
import type { Benches } from './benches.ts';
import type { AgentPlan } from './catalog.ts';
import { HostHooks } from './host-hooks.ts';
import { HostTools } from './host-tools.ts';
import type { Parking } from './parking.ts';
import type { AgentHouse, AgentLife } from './port.ts';
import type { TaskEntry } from './task-entry.ts';

/** What of the system an agent's calls reach. */
export type AgentHands = {
  readonly house: AgentHouse;
  readonly benches: Benches;
  readonly approvals: Approvals;
};

export type AgentLivesOptions = AgentHands & {
  readonly parking: Parking;
  readonly publish: (agent: AgentEntry, note: AgentNote) => void;
  readonly submit: (parent: AgentEntry, tasks: readonly unknown[]) => readonly TaskEntry[];
  readonly interrupt: (entry: TaskEntry, reason: string) => Promise<unknown>;
  /** A host tool began or ceased to wait for children. */
  readonly onWaitChanged: (agent: AgentEntry) => void;
};

/** Whom a life is for: an agent with its one task, or a spawned one whose runs come and go. */
export type LifeOwner = {
  readonly plan: AgentPlan;
  readonly depth: number;
  readonly path: string;
  readonly endsWithRun: boolean;
  readonly run: AgentEntry | null;
};

export class AgentLives {
  readonly #options: AgentLivesOptions;

  constructor(options: AgentLivesOptions) {
    this.#options = options;
  }

  /** What the owner's next life is made of; asked again for each life. */
  lifeOf(owner: LifeOwner): AgentLife {
    return {
      plan: owner.plan,
      tree: owner.run?.tree ?? null,
      args: (address) => this.#argsOf(owner, address),
      services: {
        callHostTool: async (call) => runOf(owner).hostTools?.call(call),
        abortHostTool: (callId) => {
          const why = new TroupeError('interrupted', 'the call was given up');
          owner.run?.hostTools?.abort(callId, why);
          if (owner.run !== null) this.#options.approvals.abort(owner.run, callId, why);
        },
        approve: async (call, signal) => this.#options.approvals.ask(runOf(owner), call, signal),
        callHook: async (call, signal) => runOf(owner).hostHooks?.call(call, signal) ?? null,
        abortHook: (id) => owner.run?.hostHooks?.abort(id),
        delegate: async (callId, tasks) => {
          const run = runOf(owner);
          return run.whileThreadWaits(callId, () => this.#delegate(run, tasks, run.signal));
        },
      },
    };
  }

  hostToolsOf(agent: AgentEntry): HostTools | null {
    const { plan } = agent;
    const tools = ownHostTools(agent);
    if (tools.size === 0 && plan.hostToolsets.length === 0) return null;
    const { publish, onWaitChanged, benches } = this.#options;
    const facts = { id: agent.id, name: plan.name, path: agent.path, depth: agent.depth };
    const { workspace } = plan.shared;
    const bench = benches.toolsFor(plan.hostToolsets, { agent: facts, workspace });
    return new HostTools({
      toolOf: (name) => tools.get(name) ?? bench(name),
      agent: facts,
      workspace,
      optionsOf: (callId) => callOptions(agent, callId),
      signal: agent.signal,
      onProgress: (callId, fraction, note) =>
        publish(agent, { type: 'tool_progress', callId, fraction, note }),
      onHeartbeat: () => agent.touch(),
      onTouched: (path) => publish(agent, { type: 'touched', path }),
      delegate: (tasks, signal) => this.#delegate(agent, tasks, signal),
      onWaitChanged: () => onWaitChanged(agent),
      approve: (call, signal) => this.#options.approvals.ask(agent, call, signal),
    });
  }

  hostHooksOf(agent: AgentEntry): HostHooks | null {
    if (agent.plan.hostHooks.size === 0) return null;
    return new HostHooks(agent, (why) => {
      this.#options.publish(agent, { type: 'hook_failed', failure: why });
    });
  }

  #argsOf(owner: LifeOwner, address: Address): OwnArgs {
    const { plan, depth, run, endsWithRun } = owner;
    const agent = { id: address.id, name: plan.name, path: address.path, depth };
    const resume = run === null ? null : this.#options.parking.resumePoint(run);
    // Only a run that was parked has anything to remember when a life begins.
    if (run === null || resume === null) return { agent, memory: [], endsWithRun };
    return { agent, memory: run.record.messages, endsWithRun, resume };
  }

  /** Children of an agent: accepted together, awaited together, interrupted when their call ends first. */
  async #delegate(
    parent: AgentEntry,
    tasks: readonly unknown[],
    signal: AbortSignal,
  ): Promise<readonly Outcome[]> {
    const { submit, interrupt, house } = this.#options;
    const entries = submit(parent, tasks);
    return awaitTasks(entries, signal, () => {
      // The operation that ends the parent ends them too; a second one would only repeat its signals.
      if (house.isInterrupting(parent.cell.address)) return;
      for (const entry of entries) void interrupt(entry, 'the call that delegated it was ended');
    });
  }
}

/** The tools of its plan, and the one by which its run answers. */
function ownHostTools(agent: AgentEntry): ReadonlyMap<string, AnyTool> {
  const { hostTools, outputSchema } = agent.plan;
  if (outputSchema === undefined) return hostTools;
  const answer = answerTool(outputSchema, (value) => {
    agent.answer = { value };
  });
  return new Map([...hostTools, [answer.name, answer]]);
}

/** A thread that calls between two runs speaks for a run that is over. */
function runOf({ run, path }: LifeOwner): AgentEntry {
  if (run === null) throw new TroupeError('life_ended', `the run of ${path} has ended`);
  return run;
}

/** How long a result of the agent's host tools may be, and where the rest goes. */
function callOptions({ id: agentId, plan }: AgentEntry, callId: string): CallOptions {
  const { workspace, toolSettings } = plan.shared;
  const { maxResultChars, keepResults } = toolSettings;
  if (keepResults !== true) return { maxResultChars };
  return { maxResultChars, keep: (text) => keepResult(text, { workspace, agentId, callId }) };
}
