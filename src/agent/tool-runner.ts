// Owns how one tool call of a run is performed in its thread: in it or on the host, with a signal of its own.
import type { Self } from '../actor/behavior.ts';
import { failure, TroupeError, toFailure } from '../base/failures.ts';
import { openController, whenAborted } from '../base/when-aborted.ts';
import type { AgentArgs } from '../protocol/agent-args.ts';
import type { Approval } from '../protocol/approval.ts';
import type { ToolResult, ToolUseBlock } from '../protocol/history.ts';
import type { HostServiceCalls } from '../protocol/host-services.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import { type CallOptions, callTool, errorResult } from '../tools/call.ts';
import { keepResult } from '../tools/kept-results.ts';
import type { KeepText } from '../tools/output.ts';
import { ProgressGate } from '../tools/progress-gate.ts';
import { checkProgress, checkRecordedFile } from '../tools/reports.ts';
import { asResult } from '../tools/result.ts';
import type { AnyTool, ToolContext } from '../tools/tool.ts';
import { TouchedFiles } from '../tools/touched-files.ts';
import { askHost } from './ask-host.ts';
import { waitForPerson } from './no-clocks.ts';
import type { RunEffect } from './run/run-effects.ts';
import { threadBackground } from './thread-background.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

/** A call from its first hook on, until its tool has ended. */
type RunningCall = {
  readonly callId: string;
  readonly abort: AbortController;
  readonly unlink: () => void;
  progress: ProgressGate | null;
  /** Its tool has ended, and reports no more progress. */
  isOver: boolean;
};

/** What a call's services need of it. */
type About = {
  /** Of the call: its time is over, or its run's. */
  readonly signal: AbortSignal;
  /** Of the run: the host interrupts it, and ends then what it does for the run (S4). */
  readonly runSignal: AbortSignal;
  readonly runId: string;
  /** Names the response that asked for them (B29). */
  readonly promptId: string;
};

type ToolCallEffect = Extract<RunEffect, { type: 'call_tool' }>;

export class ToolRunner {
  readonly #args: AgentArgs;
  readonly #around: WorkerEnvironment;
  readonly #self: Self;
  readonly #signal: AbortSignal;
  readonly #runId: string;
  readonly #threadTools: ReadonlyMap<string, AnyTool>;
  /** By the place of the call in its turn: a model may give two calls one id. */
  readonly #running = new Map<number, RunningCall>();
  readonly #touched = new TouchedFiles();

  constructor(
    args: AgentArgs,
    around: WorkerEnvironment,
    inThread: {
      readonly self: Self;
      readonly runId: string;
      readonly tools: ReadonlyMap<string, AnyTool>;
    },
  ) {
    this.#args = args;
    this.#around = around;
    this.#self = inThread.self;
    this.#signal = inThread.self.signal;
    this.#runId = inThread.runId;
    this.#threadTools = inThread.tools;
  }

  /** The signal of a call, which its run and its timeout abort; the call begins with the first request for it. */
  signalOf(place: number, callId: string): AbortSignal {
    return this.#open(place, callId).abort.signal;
  }

  /** A call took longer than its tool may: only that call ends (V8). */
  timeOut(callId: string, timeoutMs: number): void {
    const reason = new TroupeError('tool_timeout', `the tool took longer than ${timeoutMs} ms`);
    for (const call of this.#running.values()) if (call.callId === callId) call.abort.abort(reason);
  }

  /** Neither its hooks nor its tool run any more. */
  close(place: number): void {
    this.#running.get(place)?.unlink();
    this.#running.delete(place);
  }

  /** The result of one call, whatever happens; null for one that a person has to let run first. Never rejects (B27, D20). */
  async run({ turn, place, call, where, approval }: ToolCallEffect): Promise<ToolResult | null> {
    const running = this.#open(place, call.id);
    const { signal } = running.abort;
    const promptId = `${this.#args.spec.promptIdPrefix ?? this.#runId}#${turn - 1}`;
    const about: About = { signal, runSignal: this.#signal, runId: this.#runId, promptId };
    try {
      return where === 'host'
        ? await this.#onHost(call, about)
        : await this.#inThread(call, running, { ...about, approval });
    } catch (error) {
      return errorResult(toFailure(error, 'tool_failed'));
    } finally {
      running.progress?.flush();
      running.isOver = true;
      this.close(place);
    }
  }

  /** Asks a person whether a tool of the thread may run. Never rejects. */
  async approve(place: number, { id: callId, name, input }: ToolUseBlock): Promise<Approval> {
    const { signal } = this.#open(place, callId).abort;
    try {
      const asked = { signal, runSignal: this.#signal };
      return await this.#askHost(callId, asked, (host) => host.approve({ callId, name, input }));
    } catch (error) {
      return { status: 'denied', failure: toFailure(error, 'interrupted') };
    } finally {
      this.close(place);
    }
  }

  #open(place: number, callId: string): RunningCall {
    const known = this.#running.get(place);
    if (known !== undefined) return known;
    const abort = openController();
    const signal = this.#signal;
    if (signal.aborted) abort.abort(signal.reason);
    const unlink = whenAborted(signal, () => abort.abort(signal.reason));
    const opened: RunningCall = { callId, abort, unlink, progress: null, isOver: false };
    this.#running.set(place, opened);
    return opened;
  }

  async #inThread(
    call: ToolUseBlock,
    running: RunningCall,
    about: About & { readonly approval: Approval | null },
  ): Promise<ToolResult | null> {
    const tool = this.#threadTools.get(call.name);
    if (tool === undefined) {
      return errorResult(failure('unknown_tool', `the module of tool ${call.name} lost it`));
    }
    const context = this.#context(call, running, about);
    const described = this.#args.spec.tools.find(({ name }) => name === call.name);
    let mustAsk = false;
    const options: CallOptions = {
      maxResultChars: this.#args.spec.toolSettings.maxResultChars,
      keep: this.#keepFor(call.id),
      now: () => this.#around.clock.now(),
      isApprovalRequired: described?.isApprovalRequired === true,
      approve: async () => {
        if (about.approval !== null) return about.approval;
        mustAsk = true;
        const why = failure('approval_denied', 'a person has to be asked first');
        return { status: 'denied', failure: why };
      },
      onAbandoned: (late) => this.#around.abandoned(late),
    };
    const result = await this.#around.runCode(() => callTool(tool, call.input, context, options));
    return mustAsk ? null : result;
  }

  async #onHost({ id: callId, name, input }: ToolUseBlock, about: About): Promise<ToolResult> {
    const { runId, promptId } = about;
    const asked = { callId, name, input, runId, promptId };
    const answered = await this.#askHost(callId, about, (host) => host.callTool(asked));
    return asResult(name, answered);
  }

  /** Calls a service in the name of a tool's call, which is given up there when the call is aborted. */
  async #askHost<Answer>(
    callId: string,
    { signal, runSignal }: Pick<About, 'signal' | 'runSignal'>,
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
        if (running.isOver) return;
        running.progress ??= new ProgressGate(this.#around.clock, (fraction, note) => {
          this.#publish({ type: 'tool_progress', callId: call.id, fraction, note });
          this.#self.flush();
        });
        running.progress.report(fraction, note);
      },
      heartbeat: () => this.#around.heartbeat(),
      suspendWhile: (work) => work,
      waitForPerson,
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

  #publish(event: RunEvent): void {
    this.#self.publish(event);
  }
}
