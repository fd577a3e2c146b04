// Owns what an activation of an agent is given: its start arguments, its host tools, the children it may delegate to.
import type { Address } from '../../actor/address.ts';
import { fromStored } from '../../agent/prompt/preamble.ts';
import type { Clock } from '../../base/clock.ts';
import { copyData } from '../../base/copy-data.ts';
import { TroupeError, toFailure } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { OwnArgs } from '../../protocol/agent-args.ts';
import type { HostServices } from '../../protocol/host-services.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { AnyTool, BackgroundTasks, DelegateBounds } from '../../tools/tool.ts';
import type { AgentActivation, AgentRuntime } from '../agent-runtime.ts';
import { awaitTasks } from '../await-tasks.ts';
import type { OpenToolsets } from '../open-toolsets.ts';
import type { Parking } from '../parking.ts';
import type { Agent, Run, TaskRecord, ToolCallFacts } from '../state.ts';
import type { SteeringQueue } from '../steering-queue.ts';
import type { Approvals } from './approvals.ts';
import { asksParent, boundAskTool } from './ask-parent.ts';
import { backgroundCalls } from './background-calls.ts';
import { backgroundOf } from './background-notice.ts';
import { HostHooks } from './host-hooks.ts';
import { HostTools } from './host-tools.ts';
import { letIn } from './let-in.ts';
import type { Questions } from './questions.ts';
import { callOptions, toolsOfRun } from './tools-of-run.ts';
import { checkThreadTask } from './worker-task.ts';

/** What of the system an agent's calls reach. */
export type RunResources = {
  readonly runtime: AgentRuntime;
  readonly openToolsets: OpenToolsets;
  readonly approvals: Approvals;
  readonly questions: Questions;
  readonly steering: SteeringQueue;
};

export type RunServicesOptions = RunResources & {
  readonly parking: Parking;
  readonly publish: (run: Run, event: RunEvent) => void;
  readonly clock: Clock;
  readonly submit: (
    parent: Run,
    tasks: readonly unknown[],
    call: ToolCallFacts,
  ) => readonly TaskRecord[];
  readonly interrupt: (taskId: string, reason: string) => Promise<unknown>;
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
      services: this.#servicesOf(agent),
      interrupted: (reason) => agent.run?.over.end(new TroupeError('interrupted', reason)),
    };
  }

  #servicesOf(agent: Agent): HostServices {
    return {
      callTool: async (call) => runOf(agent).hostTools?.call(call),
      abortTool: async ({ callId }) => {
        const why = new TroupeError('interrupted', 'the call was given up');
        agent.run?.calls.abort(callId, why);
      },
      approve: async (call, signal) => {
        const run = runOf(agent);
        const isOver = AbortSignal.any([signal, run.signal]);
        return this.#options.approvals.ask(run, call, isOver);
      },
      callHook: async (call, signal) => runOf(agent).hostHooks?.call(call, signal) ?? null,
      abortHook: async ({ id }) => agent.run?.hostHooks?.abort(id),
      delegate: async ({ callId, tasks }) => {
        const run = runOf(agent);
        const checked = tasks.map(checkThreadTask);
        return this.#waitOf(run, callId, (signal) =>
          this.#delegate(run, checked, signal, { callId }),
        );
      },
      startTask: async ({ task }) => this.#backgroundNow(agent).start(checkThreadTask(task)),
      listTasks: async () => this.#backgroundNow(agent).list(),
      waitForTask: async ({ callId, taskId, timeoutMs }) => {
        const options = timeoutMs === undefined ? {} : { timeoutMs };
        return this.#backgroundWait(agent, callId, (calls) => calls.wait(taskId, options));
      },
      stopTask: async ({ callId, taskId }) =>
        this.#backgroundWait(agent, callId, (calls) => calls.stop(taskId)),
      notify: async ({ text }) => this.#backgroundNow(agent).notify(text),
    };
  }

  #backgroundNow(agent: Agent): BackgroundTasks {
    const run = runOf(agent);
    return this.#backgroundOf(run, run.signal);
  }

  #backgroundWait<Answer>(
    agent: Agent,
    callId: string,
    ask: (calls: BackgroundTasks) => Promise<Answer>,
  ): Promise<Answer> {
    const run = runOf(agent);
    return this.#waitOf(run, callId, (signal) => ask(this.#backgroundOf(run, signal)));
  }

  /** A tool in the thread waits for what the supervisor ends; its signal aborts when the wait is given up. */
  #waitOf<Value>(
    run: Run,
    id: string,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const waited = run.calls.during({ kind: 'wait', id, until: run.signal }, (open) =>
      run.calls.waiting(open, work(open.signal)),
    );
    this.#options.onWaitChanged(run);
    return waited;
  }

  hostToolsOf(run: Run): HostTools | null {
    const { spec } = run;
    const tools = this.#ownHostTools(run);
    if (tools.size === 0 && spec.hostToolsets.length === 0) return null;
    const { clock, publish, onWaitChanged, openToolsets } = this.#options;
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
        copyData(await this.#delegate(run, tasks, signal, bounds)),
      background: (signal) => this.#backgroundOf(run, signal),
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
    const resume = run === null ? null : this.#options.parking.resumePoint(run);
    // Only a run that was parked has anything to remember when an activation begins.
    if (run === null || resume === null) {
      const { history } = run?.task.task ?? {};
      const remembered = history === undefined ? memory : fromStored(history);
      return { agent, memory: remembered, endsWithRun };
    }
    const { isPaused } = run.task;
    const steered = { ...resume, ...this.#options.steering.handOver(run.task), isPaused };
    return { agent, memory: run.record.messages, endsWithRun, resume: steered };
  }

  /** What an agent may do with tasks in the background: they are its children, and end with its run (X5). */
  #backgroundOf(run: Run, signal: AbortSignal): BackgroundTasks {
    const { clock, steering, interrupt } = this.#options;
    run.background ??= backgroundOf(run, { clock, steering });
    return backgroundCalls({
      background: run.background,
      submit: (task, width) => {
        const [entry] = this.#submit(run, [task], { width, signal }).entries;
        if (entry === undefined) throw new TroupeError('internal', 'a task has no entry');
        return entry;
      },
      interrupt,
      notify: (text) => steering.notify(run.task, text),
      signal,
      areEnding: () => run.cause !== null || run.signal.aborted,
    });
  }

  /** A tool that missed the end of its run may go on; what it starts now would never be ended (S8). */
  #submit(
    parent: Run,
    tasks: readonly unknown[],
    { callId, ...call }: ToolCallFacts & { readonly callId?: string },
  ): { readonly entries: readonly TaskRecord[]; readonly ended: () => void } {
    if (parent.task.isEnded) throw runIsOver(parent.path);
    if (parent.branch.children.size + tasks.length > maxChildren) throw tooManyChildren(parent);
    const submit = (ofReply: number) => this.#options.submit(parent, tasks, { ...call, ofReply });
    return letIn(parent, tasks.length, submit, callId);
  }

  /** Children of an agent: accepted together, awaited together, interrupted when their call ends first. */
  async #delegate(
    parent: Run,
    tasks: readonly unknown[],
    signal: AbortSignal,
    { callId, maxConcurrentChildren: maxWidth }: DelegateBounds & { readonly callId: string },
  ): Promise<readonly Outcome[]> {
    const { interrupt, runtime } = this.#options;
    const call = { callId, width: tasks.length, maxWidth, signal };
    const { entries, ended } = this.#submit(parent, tasks, call);
    try {
      return await awaitTasks(entries, signal, () => {
        // The operation that ends the parent ends them too; a second one would only repeat its signals.
        if (runtime.isInterrupting(parent.cell.address)) return;
        const { message } = toFailure(signal.reason, 'interrupted');
        const reason = `the call that delegated it was ended: ${message}`;
        for (const { id } of entries) void interrupt(id, reason);
      });
    } finally {
      ended();
    }
  }
}

/** Children of one agent that have not ended, waiting or running, whatever else their limits let in. */
const maxChildren = 1_024;

function tooManyChildren({ path, branch }: Run): TroupeError {
  const text = `${path} has ${branch.children.size} tasks that have not ended, and may have ${maxChildren}: wait for some of them first`;
  return new TroupeError('max_queued', text, { retryable: true });
}

/** A thread that calls between two runs speaks for a run that is over. */
function runOf({ run, path }: Agent): Run {
  if (run === null) throw runIsOver(path);
  return run;
}

function runIsOver(path: string): TroupeError {
  return new TroupeError('activation_ended', `the run of ${path} has ended`);
}
