// Owns the host tools of one agent while they run: their signals, their results, who waits for children meanwhile.
import type { Clock } from '../../base/clock.ts';
import {
  describe,
  type Failure,
  failure,
  type TroupeError,
  toFailure,
} from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { ToolResult, ToolResultBlock } from '../../protocol/history.ts';
import type { HostToolCall } from '../../protocol/host-services.ts';
import { type CallOptions, callTool, errorResult } from '../../tools/call.ts';
import { KeptTexts } from '../../tools/kept-texts.ts';
import { ProgressGate } from '../../tools/progress-gate.ts';
import { checkProgress, checkRecordedFile } from '../../tools/reports.ts';
import type {
  AnyTool,
  BackgroundTasks,
  DelegateBounds,
  Subtask,
  ToolContext,
} from '../../tools/tool.ts';
import type { OpenCall, OpenCalls } from '../open-calls.ts';

export type HostToolOptions = {
  /** Finds a granted tool by its name. */
  readonly toolOf: (name: string) => AnyTool | undefined;
  readonly agent: ToolContext['agent'];
  readonly workspace: string;
  /** How its calls are made; asked for each. */
  readonly optionsOf: (call: HostToolCall) => CallOptions;
  /** The agent was interrupted or ended. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onProgress: (callId: string, fraction: number, note: string | undefined) => void;
  readonly onHeartbeat: () => void;
  readonly onFileRecorded: (path: string) => void;
  /** Hands tasks over in the agent's name; resolves with their outcomes. */
  readonly delegate: (
    tasks: readonly Subtask[],
    signal: AbortSignal,
    call: DelegateBounds & { readonly callId: string },
  ) => Promise<readonly Outcome[]>;
  /** What a call may do with tasks in the background. */
  readonly background: (signal: AbortSignal) => BackgroundTasks;
  /** Asks a person; resolves with null or why the call may not run. */
  readonly approve: (call: HostToolCall, signal: AbortSignal) => Promise<Failure | null>;
  /** The open calls of the run. */
  readonly calls: OpenCalls;
  /** A call began or ceased to wait for children: the agent may be parkable now (V7). */
  readonly onWaitChanged: () => void;
};

/** Results outlive the activation that asked for them: a parked agent finds them when it continues. */
export class HostTools {
  readonly #options: HostToolOptions;
  readonly #results = new Map<string, ToolResultBlock>();
  /** Calls that were ended before they arrived. */
  readonly #early = new Map<string, TroupeError>();
  #kept: KeptTexts | null = null;
  /** Turns that were committed: what began in one of them is of no use any more. */
  #commits = 0;

  constructor(options: HostToolOptions) {
    this.#options = options;
  }

  /** Long results of tools that delegate, until the run ends. */
  get #keptTexts(): KeptTexts {
    this.#kept ??= new KeptTexts();
    return this.#kept;
  }

  /** Results that came while the agent had no activation; taken by the one that continues. */
  get results(): ReadonlyMap<string, ToolResultBlock> {
    return this.#results;
  }

  /** True once the call has its result; its activation may not know yet. */
  isDone(callId: string): boolean {
    return this.#results.has(callId);
  }

  /** True while the call is being performed here. */
  isOpen(callId: string): boolean {
    return this.#options.calls.isOpen('tool', callId);
  }

  /** The result of a call, whatever happens; never rejects. It is kept for a run that is parked meanwhile. */
  async call(call: HostToolCall): Promise<ToolResult> {
    const { calls, signal, onWaitChanged } = this.#options;
    const { callId: id } = call;
    const commits = this.#commits;
    const result = await calls.during({ kind: 'tool', id, until: signal }, async (open) => {
      const ended = await this.#call(call, open);
      // A model may use an id again: what came too late for its own turn is no result of a later call.
      if (commits === this.#commits) this.#results.set(id, blockOf(id, ended));
      return ended;
    });
    onWaitChanged();
    return result;
  }

  async #call(call: HostToolCall, open: OpenCall): Promise<ToolResult> {
    const { toolOf, optionsOf, approve, clock, onProgress } = this.#options;
    const early = this.#early.get(call.callId);
    if (early !== undefined) open.abort.abort(early);
    const progress = new ProgressGate(clock, (fraction, note) =>
      onProgress(call.callId, fraction, note),
    );
    try {
      const tool = toolOf(call.name);
      if (tool === undefined) {
        return errorResult(failure('unknown_tool', `there is no host tool ${describe(call.name)}`));
      }
      return await callTool(tool, call.input, this.#context(call, open, progress), {
        ...optionsOf(call),
        now: () => clock.now(),
        kept: this.#keptTexts,
        // Its agent may be parked meanwhile, as while it waits for children (V7).
        approve: () => this.#wait(open, approve(call, open.signal)),
      });
    } catch (error) {
      return errorResult(toFailure(error, 'tool_failed'));
    } finally {
      progress.flush();
    }
  }

  /** Only this call ends: its time is over. */
  abort(callId: string, reason: TroupeError): void {
    if (this.isOpen(callId)) this.#options.calls.abort(callId, reason);
    else if (!this.#results.has(callId)) this.#early.set(callId, reason);
  }

  /** The turn's results are committed: they need not be kept. */
  forgetResults(): void {
    this.#commits += 1;
    this.#results.clear();
    this.#early.clear();
  }

  /** The agent may give its thread up meanwhile (V7). */
  #wait<Value>(
    open: OpenCall,
    work: Promise<Value>,
    what: 'children' | 'answer' = 'answer',
  ): Promise<Value> {
    if (open.isOver) return work;
    const waited = this.#options.calls.waiting(open, work, what);
    this.#options.onWaitChanged();
    return waited;
  }

  #context(call: HostToolCall, open: OpenCall, gate: ProgressGate): ToolContext {
    const { agent, workspace, onHeartbeat, onFileRecorded, delegate, background } = this.#options;
    const { signal } = open;
    return {
      signal,
      interrupted: () => signal.aborted,
      agent,
      progress: (fraction, note) => {
        checkProgress(fraction, note);
        // A call has no progress after its end.
        if (!open.isOver) gate.report(fraction, note);
      },
      heartbeat: onHeartbeat,
      recordFile: (path) => {
        checkRecordedFile(path);
        onFileRecorded(path);
      },
      workspace,
      callId: call.callId,
      promptId: call.promptId,
      idempotencyKey: `${call.runId}:${call.callId}`,
      delegate: (tasks, bounds) => {
        const { callId } = call;
        return this.#wait(open, delegate(tasks, signal, { ...bounds, callId }), 'children');
      },
      background: suspendedBy(background(signal), (work) => this.#wait(open, work, 'children')),
      suspendWhile: (work) => this.#wait(open, work),
    };
  }
}

function blockOf(callId: string, { content, isError }: ToolResult): ToolResultBlock {
  const block = { type: 'tool_result', tool_use_id: callId, content } as const;
  return isError ? { ...block, is_error: true } : block;
}

/** These calls, each wait inside `suspend`: the agent may give its thread up meanwhile (V7). */
function suspendedBy(
  calls: BackgroundTasks,
  suspend: <Value>(work: Promise<Value>) => Promise<Value>,
): BackgroundTasks {
  return {
    ...calls,
    wait: (taskId, options) => suspend(calls.wait(taskId, options)),
    stop: (taskId) => suspend(calls.stop(taskId)),
  };
}
