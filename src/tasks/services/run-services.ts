// Owns what an activation of an agent is given: its start arguments, its host tools and hooks, what its thread may call.
import type { Address } from '../../actor/address.ts';
import { fromStored } from '../../agent/prompt/preamble.ts';
import type { Clock } from '../../base/clock.ts';
import { copyData } from '../../base/copy-data.ts';
import { TroupeError } from '../../base/failures.ts';
import type { OwnArgs } from '../../protocol/agent-args.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { AgentActivation, AgentRuntime } from '../agent-runtime.ts';
import { takeSteers } from '../delivery.ts';
import type { OpenToolsets } from '../open-toolsets.ts';
import { resumePoint } from '../parking.ts';
import type { Agent, Run } from '../state.ts';
import type { SteeringQueue } from '../steering-queue.ts';
import { AgentServices } from './agent-services.ts';
import type { Approvals } from './approvals.ts';
import { asksParent, boundAskTool } from './ask-parent.ts';
import type { Delegation } from './delegation.ts';
import { HostHooks } from './host-hooks.ts';
import { HostTools } from './host-tools.ts';
import type { Questions } from './questions.ts';
import { callOptions, toolsOfRun } from './tools-of-run.ts';

/** What of the system an agent's calls reach. */
export type RunResources = {
  readonly runtime: AgentRuntime;
  readonly openToolsets: OpenToolsets;
  readonly approvals: Approvals;
  readonly questions: Questions;
  readonly steering: SteeringQueue;
};

export type RunServicesOptions = RunResources & {
  readonly delegation: Delegation;
  readonly publish: (run: Run, event: RunEvent) => void;
  readonly clock: Clock;
  /** A host tool began or ceased to wait for children. */
  readonly onWaitChanged: (run: Run) => void;
};

export class RunServices {
  readonly #options: RunServicesOptions;

  constructor(options: RunServicesOptions) {
    this.#options = options;
  }

  /** What the agent's next activation is made of; asked again for each activation. */
  activationOf(agent: Agent): AgentActivation {
    return {
      spec: agent.spec,
      tree: agent.run?.tree ?? null,
      args: (address) => this.#argsOf(agent, address),
      services: new AgentServices(agent, this.#options),
      interrupted: (reason) => agent.run?.over.end(new TroupeError('interrupted', reason)),
    };
  }

  hostToolsOf(run: Run): HostTools | null {
    const { spec } = run;
    const tools = this.#ownHostTools(run);
    if (tools.size === 0 && spec.hostToolsets.length === 0) return null;
    const { clock, publish, onWaitChanged, openToolsets, delegation } = this.#options;
    const facts = { id: run.id, name: spec.name, path: run.path, depth: run.depth };
    const { workspace } = spec.shared;
    const toolOf = openToolsets.toolsFor(spec.hostToolsets, { agent: facts, workspace });
    return new HostTools({
      // A toolset may contain more than was granted of it; a name from a thread is not trusted (X7).
      toolOf: (name) => tools.get(name) ?? (spec.rights.names.has(name) ? toolOf(name) : undefined),
      agent: facts,
      workspace,
      optionsOf: (call) => callOptions(run, call),
      signal: run.signal,
      clock,
      onProgress: (callId, fraction, note) =>
        publish(run, { type: 'tool_progress', callId, fraction, note }),
      onHeartbeat: () => run.touch(),
      onFileRecorded: (path) => {
        if (run.record.files.wants(path)) publish(run, { type: 'touched', path });
        else run.touch();
      },
      delegate: async (tasks, signal, bounds) =>
        copyData(await delegation.delegate(run, tasks, signal, bounds)),
      background: (signal) => delegation.backgroundOf(run).calls(signal),
      calls: run.calls,
      onWaitChanged: () => onWaitChanged(run),
      approve: (call, signal) => this.#options.approvals.ask(run, call, signal),
    });
  }

  /** The tools of its agent spec, those that ask the parent in its name, and those of its run alone. */
  #ownHostTools(run: Run): ReadonlyMap<string, AnyTool> {
    const { hostTools } = run.spec;
    const { questions } = this.#options;
    const ofRun = toolsOfRun(run);
    // Most agents ask no questions and answer in text: they use the tools of the spec as they are.
    if (ofRun.length === 0 && ![...hostTools.values()].some(asksParent)) return hostTools;
    const tools = new Map<string, AnyTool>();
    for (const [name, tool] of hostTools) {
      const bound = boundAskTool(tool, (input, settings, { callId, signal, suspendWhile }) =>
        // The call waits on the host: its agent may be parked meanwhile (V7).
        suspendWhile(questions.ask(run, { ...input, ...settings, callId }, signal)),
      );
      tools.set(name, bound);
    }
    for (const tool of ofRun) tools.set(tool.name, tool);
    return tools;
  }

  hostHooksOf(run: Run): HostHooks | null {
    if (run.spec.hostHooks.size === 0) return null;
    return new HostHooks(run, (why) => {
      this.#options.publish(run, { type: 'hook_failed', failure: why });
    });
  }

  #argsOf(owner: Agent, address: Address): OwnArgs {
    const { spec, depth, run, memory } = owner;
    const agent = { id: address.id, name: spec.name, path: address.path, depth };
    const endsWithRun = owner.lifetime === 'task';
    const resume = run === null ? null : resumePoint(run);
    // Only a run that was parked has anything to remember when an activation begins.
    if (run === null || resume === null) {
      const { history } = run?.task.task ?? {};
      const remembered = history === undefined ? memory : fromStored(history);
      return { agent, memory: remembered, endsWithRun };
    }
    const { isPaused } = run.task;
    const steered = { ...resume, ...takeSteers(run.task.steers), isPaused };
    return { agent, memory: run.record.messages, endsWithRun, resume: steered };
  }
}
