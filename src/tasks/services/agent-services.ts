// Owns what the thread of one agent may call on its host: each call is for the run that is on.
import { z } from 'zod';
import { TroupeError } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import { parseOptions } from '../../base/parse-options.ts';
import type { Approval } from '../../protocol/approval.ts';
import type { ToolResult } from '../../protocol/history.ts';
import type {
  BackgroundTask,
  HostServices,
  HostToolCall,
  ServiceInput,
} from '../../protocol/host-services.ts';
import type { SteerReceipt } from '../../protocol/steer-receipt.ts';
import type { BackgroundTasks, Subtask } from '../../tools/tool.ts';
import { answersOf } from '../call-answers.ts';
import type { Agent, Run } from '../state.ts';
import { runIsOver } from './delegation.ts';
import { askedAbout, type CallServices } from './tool-executor.ts';

export class AgentServices implements HostServices {
  readonly #agent: Agent;
  readonly #options: CallServices;

  constructor(agent: Agent, options: CallServices) {
    this.#agent = agent;
    this.#options = options;
  }

  async callTool(call: HostToolCall): Promise<ToolResult | undefined> {
    return this.#run.hostTools?.call(call);
  }

  async abortTool({ callId }: ServiceInput<'abortTool'>): Promise<void> {
    const why = new TroupeError('interrupted', 'the call was given up');
    this.#agent.run?.calls.abort(callId, why);
  }

  /** The answer is kept for a run that leaves its thread meanwhile. */
  async approve(call: ServiceInput<'approve'>): Promise<Approval> {
    const run = this.#run;
    const { approvals, onWaitChanged } = this.#options;
    const { callId } = call;
    const { approvals: kept } = answersOf(run);
    kept.delete(callId);
    const asked = { ...call, ...askedAbout(run, call.name) };
    const answer = approvals.ask(run, asked, run.signal, (approval) => kept.set(callId, approval));
    onWaitChanged(run);
    await answer;
    onWaitChanged(run);
    return answer;
  }

  async callHook(call: ServiceInput<'callHook'>, signal: AbortSignal): Promise<unknown> {
    return this.#run.hostHooks?.call(call, signal) ?? null;
  }

  async abortHook(key: ServiceInput<'abortHook'>): Promise<void> {
    this.#agent.run?.hostHooks?.abort(key);
  }

  async delegate({ callId, tasks }: ServiceInput<'delegate'>): Promise<readonly Outcome[]> {
    const checked = tasks.map(checkThreadTask);
    return this.#waitFor(callId, (run, signal) =>
      this.#options.delegation.delegate(run, checked, signal, { callId }),
    );
  }

  async startTask({ callId, task }: ServiceInput<'startTask'>): Promise<string> {
    const run = this.#run;
    const background = this.#options.delegation.backgroundOf(run);
    return background.calls(run.signal, undefined, callId).start(checkThreadTask(task));
  }

  async listTasks(): Promise<readonly BackgroundTask[]> {
    return this.#background.list();
  }

  async waitForTask(call: ServiceInput<'waitForTask'>): Promise<Outcome | null> {
    const { callId, taskId, timeoutMs } = call;
    const options = timeoutMs === undefined ? {} : { timeoutMs };
    const { delegation } = this.#options;
    return this.#waitFor(callId, (run, signal) =>
      delegation.backgroundOf(run).calls(signal).wait(taskId, options),
    );
  }

  async stopTask({ callId, taskId }: ServiceInput<'stopTask'>): Promise<Outcome> {
    const { delegation } = this.#options;
    return this.#waitFor(callId, (run, signal) =>
      delegation.backgroundOf(run).calls(signal).stop(taskId),
    );
  }

  async steerTask({ taskId, text }: ServiceInput<'steerTask'>): Promise<SteerReceipt> {
    return this.#background.steer(taskId, text);
  }

  async pauseTask({ taskId, isPaused }: ServiceInput<'pauseTask'>): Promise<void> {
    await (isPaused ? this.#background.pause(taskId) : this.#background.resume(taskId));
  }

  async notify({ text }: ServiceInput<'notify'>): Promise<boolean> {
    return this.#background.notify(text);
  }

  /** A thread that calls between two runs speaks for a run that is over. */
  get #run(): Run {
    const { run, path } = this.#agent;
    if (run === null) throw runIsOver(path);
    return run;
  }

  get #background(): BackgroundTasks {
    const run = this.#run;
    return this.#options.delegation.backgroundOf(run).calls(run.signal);
  }

  /** A tool in the thread waits for what the supervisor ends; its signal aborts when the wait is given up. */
  #waitFor<Value>(
    id: string,
    work: (run: Run, signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const run = this.#run;
    const waited = run.calls.during({ kind: 'wait', id }, run.signal, (open) =>
      run.calls.waiting(open, work(run, open.signal), 'children'),
    );
    this.#options.onWaitChanged(run);
    return waited;
  }
}

const any = z.unknown().optional();

/** The fields that a thread may set on a task that it hands over. */
const threadTaskSchema = z.strictObject({
  goal: any,
  context: any,
  content: any,
  agent: z
    .string('expected the name of a defined agent; a definition comes from a tool of the service')
    .optional(),
  name: any,
  toolsets: any,
  maxTurns: any,
  history: any,
  continues: any,
  metadata: any,
});

/** Throws `invalid_task` for a model, tools, a folder, limits or a definition of the thread's own (W9). */
function checkThreadTask(value: unknown, index = 0): Subtask {
  const what = index === 0 ? 'task' : `task ${index}`;
  // The fields are those of the type; the scheduler checks their values.
  return parseOptions(threadTaskSchema, value, what, 'invalid_task') as Subtask;
}
