// Owns the tool calls of one turn in an agent's thread: parallel or serial, results in call order, a signal for each.
import type { Self } from '../actor/behavior.ts';
import { failure, TroupeError, toFailure } from '../base/failures.ts';
import { openController, whenAborted } from '../base/when-aborted.ts';
import type { AgentArgs } from '../protocol/agent-args.ts';
import type { ToolResult, ToolResultBlock, ToolUseBlock } from '../protocol/history.ts';
import type { HostServiceCalls } from '../protocol/host-services.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { GrantedTool } from '../protocol/worker-spec.ts';
import { type CallOptions, callTool, errorResult } from '../tools/call.ts';
import { refuseCall } from '../tools/grants.ts';
import { keepResult } from '../tools/kept-results.ts';
import type { KeepText } from '../tools/output.ts';
import { ProgressGate } from '../tools/progress-gate.ts';
import { countCalls, noStreak, noticed, type Streak, streakOf } from '../tools/repetition.ts';
import { checkProgress, checkRecordedFile } from '../tools/reports.ts';
import { asResult } from '../tools/result.ts';
import type { AnyTool, ToolContext } from '../tools/tool.ts';
import { TouchedFiles } from '../tools/touched-files.ts';
import { askHost } from './ask-host.ts';
import type { HookRunner } from './hook-runner.ts';
import { threadBackground } from './thread-background.ts';
import { resultsInOrder } from './turn.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

/** A call between its hooks is in the thread, wherever its tool runs. */
type RunningCall = {
  readonly abort: AbortController;
  where: 'thread' | 'host';
  progress: ProgressGate | null;
};

/** What the calls of one turn have in common, but for the signal, which is each one's own. */
type About = {
  /** Of the call: its time is over, or its run's. */
  readonly signal: AbortSignal;
  /** Of the run: the host interrupts it, and ends then what it does for the run (S4). */
  readonly runSignal: AbortSignal;
  readonly runId: string;
  /** Names the response that asked for them (B29). */
  readonly promptId: string;
};

export class ToolRunner {
  readonly #args: AgentArgs;
  readonly #around: WorkerEnvironment;
  readonly #self: Self;
  readonly #threadTools: ReadonlyMap<string, AnyTool>;
  readonly #hooks: HookRunner;
  readonly #running = new Map<string, RunningCall>();
  readonly #touched = new TouchedFiles();
  #results = new Map<string, ToolResultBlock>();
  #begun = 0;
  #streak: Streak = noStreak;

  constructor(
    args: AgentArgs,
    around: WorkerEnvironment,
    inThread: {
      readonly self: Self;
      readonly tools: ReadonlyMap<string, AnyTool>;
      readonly hooks: HookRunner;
    },
  ) {
    this.#args = args;
    this.#around = around;
    this.#self = inThread.self;
    this.#threadTools = inThread.tools;
    this.#hooks = inThread.hooks;
    // The calls of the turn that was parked are counted when it goes on.
    if (args.resume !== undefined) this.#streak = streakOf(args.memory.slice(0, -1));
  }

  /** How many calls of the turn, from its first on, have begun or have their result; the others follow. */
  get begun(): number {
    return this.#begun;
  }

  /** Results of the current turn that are there already. */
  get finished(): readonly ToolResultBlock[] {
    return [...this.#results.values()];
  }

  /** Every call that is open runs on the host: this thread has nothing to do (V7). */
  get waitsForHostOnly(): boolean {
    const open = [...this.#running.values()];
    return open.length > 0 && open.every((call) => call.where === 'host');
  }

  /**
   * Runs the calls; `signal` ends them all. Every call gets exactly one result. Those in `known` have theirs and are not
   * run, as when their run was parked in this turn.
   */
  async run(
    turn: number,
    calls: readonly ToolUseBlock[],
    options: { readonly signal: AbortSignal; readonly runId: string },
    known: readonly ToolResultBlock[] = [],
  ): Promise<readonly ToolResultBlock[]> {
    this.#results = new Map(known.map((result) => [result.tool_use_id, result]));
    const resultAt = known.length === 0 ? [] : resultsInOrder(calls, known);
    this.#begun = resultAt.indexOf(undefined);
    if (this.#begun < 0) this.#begun = resultAt.length;
    const { parallelToolCalls = true, toolSettings } = this.#args.spec;
    const { repetitionNotice = false } = toolSettings;
    const names = calls.map((call) => call.name);
    const { streak, repeated } = countCalls(this.#streak, names);
    this.#streak = streak;
    const { signal, runId } = options;
    const promptId = `${this.#args.spec.promptIdPrefix ?? runId}#${turn - 1}`;
    const about: About = { signal, runSignal: signal, runId, promptId };
    const isNoticed = (at: number): boolean => repetitionNotice && repeated.has(at);
    const run = async (call: ToolUseBlock, at: number): Promise<ToolResultBlock> => {
      this.#begun = Math.max(this.#begun, at + 1);
      return this.#complete(call, await this.#one(turn, call, about), isNoticed(at));
    };
    const resultOf = (call: ToolUseBlock, at: number) => {
      const result = resultAt[at];
      if (result === undefined) return run(call, at);
      const isNews = this.#args.resume?.answered.includes(call.id) === true;
      return isNews && isNoticed(at) ? noticed(call.name, result) : result;
    };
    if (parallelToolCalls) return Promise.all(calls.map(resultOf));
    const results: ToolResultBlock[] = [];
    for (const [at, call] of calls.entries()) results.push(await resultOf(call, at));
    return results;
  }

  /** A call took longer than its tool may: only that call ends (V8). */
  timeOut(callId: string, timeoutMs: number): void {
    const reason = new TroupeError('tool_timeout', `the tool took longer than ${timeoutMs} ms`);
    this.#running.get(callId)?.abort.abort(reason);
  }

  /** The result of one call, whatever happens; never rejects (B27, D20). */
  async #one(turn: number, call: ToolUseBlock, options: About): Promise<ToolResult> {
    const granted = this.#args.spec.tools.find((tool) => tool.name === call.name);
    const refusal = refuseCall(call.name, this.#args.spec.tools);
    if (granted === undefined || refusal !== null) {
      return errorResult(refusal ?? failure('unknown_tool', `there is no tool ${call.name}`));
    }
    // A call whose turn never came has done nothing.
    if (options.signal.aborted) return errorResult(toFailure(options.signal.reason, 'interrupted'));
    // The record of the start is with the supervisor before any of the tool's code runs (decision 2).
    this.#publish({
      type: 'tool_started',
      turn,
      callId: call.id,
      name: call.name,
      where: granted.where,
    });
    this.#self.flush();
    const running: RunningCall = { abort: openController(), where: 'thread', progress: null };
    const stop = whenAborted(options.signal, () => running.abort.abort(options.signal.reason));
    this.#running.set(call.id, running);
    try {
      const { signal } = running.abort;
      const { id: callId, name, input } = call;
      const { runId, promptId, runSignal } = options;
      const about: About = { signal, runSignal, runId, promptId };
      const run = (input: unknown) =>
        this.#perform(granted, { type: 'tool_use', id: callId, name, input }, { running, about });
      if (!this.#hooks.hasToolHooks) return await run(input);
      return await this.#hooks.aroundTool({ turn, callId, name, input }, signal, run);
    } catch (error) {
      return errorResult(toFailure(error, 'tool_failed'));
    } finally {
      stop();
      this.#running.delete(call.id);
    }
  }

  /** Runs the tool itself, between its hooks. */
  async #perform(
    granted: GrantedTool,
    call: ToolUseBlock,
    { running, about }: { readonly running: RunningCall; readonly about: About },
  ): Promise<ToolResult> {
    running.where = granted.where;
    try {
      return granted.where === 'host'
        ? await this.#onHost(granted, call, about)
        : await this.#inThread(call, running, about);
    } finally {
      running.progress?.flush();
      running.where = 'thread';
    }
  }

  async #inThread(call: ToolUseBlock, running: RunningCall, about: About): Promise<ToolResult> {
    const tool = this.#threadTools.get(call.name);
    if (tool === undefined) {
      return errorResult(failure('unknown_tool', `the module of tool ${call.name} lost it`));
    }
    const context = this.#context(call, running, about);
    const options: CallOptions = {
      maxResultChars: this.#args.spec.toolSettings.maxResultChars,
      keep: this.#keepFor(call.id),
      now: () => this.#around.clock.now(),
      approve: async () => {
        const { id: callId, name, input } = call;
        return this.#askHost(callId, about, (host) => host.approve({ callId, name, input }));
      },
      onAbandoned: (late) => this.#around.abandoned(late),
    };
    return this.#around.runCode(() => callTool(tool, call.input, context, options));
  }

  async #onHost(tool: GrantedTool, call: ToolUseBlock, about: About): Promise<ToolResult> {
    const { id: callId, input } = call;
    const { runId, promptId } = about;
    const asked = { callId, name: tool.name, input, runId, promptId };
    const answered = await this.#askHost(callId, about, (host) => host.callTool(asked));
    return asResult(call.name, answered);
  }

  /** Calls a service in the name of a tool's call, which is given up there when the call is aborted. */
  async #askHost<Answer>(
    callId: string,
    { signal, runSignal }: About,
    ask: (host: HostServiceCalls) => Promise<Answer>,
  ): Promise<Answer> {
    // Code that runs on after its call was given up may not call the host.
    signal.throwIfAborted();
    const { host } = this.#around;
    return askHost(() => ask(host), {
      signal,
      abort: () => host.abortTool({ callId }),
      isInformed: () => runSignal.aborted,
    });
  }

  #keepFor(callId: string): KeepText | undefined {
    const { workspace, toolSettings } = this.#args.spec;
    if (toolSettings.keepResults !== true) return undefined;
    const { id: agentId } = this.#args.agent;
    return (text) => keepResult(text, { workspace, agentId, callId });
  }

  #context(call: ToolUseBlock, running: RunningCall, about: About): ToolContext {
    const { signal, runId, promptId } = about;
    const { agent } = this.#args;
    return {
      signal,
      interrupted: () => signal.aborted || this.#self.interrupted(),
      agent,
      progress: (fraction, note) => {
        checkProgress(fraction, note);
        // A call has no progress after its end.
        if (this.#running.get(call.id) !== running) return;
        running.progress ??= new ProgressGate(this.#around.clock, (fraction, note) => {
          this.#publish({ type: 'tool_progress', callId: call.id, fraction, note });
          this.#self.flush();
        });
        running.progress.report(fraction, note);
      },
      heartbeat: () => this.#around.heartbeat(),
      suspendWhile: (work) => work,
      recordFile: (path) => {
        checkRecordedFile(path);
        if (!this.#touched.wants(path)) return this.#around.heartbeat();
        this.#touched.add(path);
        this.#publish({ type: 'touched', path });
      },
      workspace: this.#args.spec.workspace,
      delegate: (tasks) =>
        this.#askHost(call.id, about, (host) => host.delegate({ callId: call.id, tasks })),
      background: threadBackground(call.id, (ask) => this.#askHost(call.id, about, ask)),
      callId: call.id,
      promptId,
      idempotencyKey: `${runId}:${call.id}`,
    };
  }

  #complete(call: ToolUseBlock, result: ToolResult, isNoticed: boolean): ToolResultBlock {
    const { isError, failure: why } = result;
    const answer: ToolResultBlock = {
      type: 'tool_result',
      tool_use_id: call.id,
      content: result.content,
      ...(isError ? { is_error: true } : {}),
    };
    const block = isNoticed ? noticed(call.name, answer) : answer;
    this.#results.set(call.id, block);
    const event: RunEvent = { type: 'tool_completed', callId: call.id, name: call.name, isError };
    this.#publish(why === undefined ? event : { ...event, failure: why });
    return block;
  }

  #publish(note: RunEvent): void {
    this.#self.publish(note);
  }
}
