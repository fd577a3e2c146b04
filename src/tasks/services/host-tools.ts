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
import { openController } from '../../base/when-aborted.ts';
import { withAbort } from '../../base/with-abort.ts';
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

type OpenCall = {
  readonly abort: AbortController;
  /** Number of its waits on the host (children, answers), and how many of those are for children. */
  waits: number;
  children: number;
  done: Promise<unknown>;
  progress: ProgressGate | null;
};

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
  /** A call begins to wait for children or an answer; returns how to end the wait. */
  readonly beginWait: (callId: string) => () => void;
  /** A call began or ceased to wait for children: the agent may be parkable now (V7). */
  readonly onWaitChanged: () => void;
};

/** Results outlive the activation that asked for them: a parked agent finds them when it continues. */
export class HostTools {
  readonly #options: HostToolOptions;
  readonly #open = new Map<string, OpenCall>();
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
    return this.#open.has(callId);
  }

  /** True when every one of these calls waits on the host, for children or an answer. */
  isSuspended(callIds: Iterable<string>): boolean {
    for (const callId of callIds) {
      if ((this.#open.get(callId)?.waits ?? 0) === 0) return false;
    }
    return true;
  }

  /**
   * Resolves when every open call has its result; null when none of them waits for children. For a run whose actor is
   * over, and its children with it: what they came to is not lost (S9).
   */
  answered(): Promise<unknown> | null {
    const open = [...this.#open.values()];
    if (!open.some(({ children }) => children > 0)) return null;
    return Promise.all(open.map(({ done }) => done));
  }

  /** The result of a call, whatever happens; never rejects. It is kept for a run that is parked meanwhile. */
  call(call: HostToolCall): Promise<ToolResult> {
    const open: OpenCall = {
      abort: openController(),
      waits: 0,
      children: 0,
      done: Promise.resolve(),
      progress: null,
    };
    const result = this.#complete(call, open);
    open.done = result;
    return result;
  }

  async #complete(call: HostToolCall, open: OpenCall): Promise<ToolResult> {
    const { callId } = call;
    const commits = this.#commits;
    const result = await this.#call(call, open);
    open.progress?.flush();
    // A model may use an id again: what came too late for its own turn is no result of a later call.
    if (commits === this.#commits) {
      this.#results.set(callId, {
        type: 'tool_result',
        tool_use_id: callId,
        content: result.content,
        ...(result.isError ? { is_error: true } : {}),
      });
    }
    if (this.#open.get(callId) === open) this.#open.delete(callId);
    this.#options.onWaitChanged();
    return result;
  }

  async #call(call: HostToolCall, open: OpenCall): Promise<ToolResult> {
    const { toolOf, signal, optionsOf, approve } = this.#options;
    const onAbort = ({ reason }: AbortSignal): void => open.abort.abort(reason);
    const early = this.#early.get(call.callId);
    if (early !== undefined) open.abort.abort(early);
    this.#open.set(call.callId, open);
    try {
      const tool = toolOf(call.name);
      if (tool === undefined) {
        return errorResult(failure('unknown_tool', `there is no host tool ${describe(call.name)}`));
      }
      return await withAbort(signal, onAbort, () =>
        callTool(tool, call.input, this.#context(call, open), {
          ...optionsOf(call),
          now: () => this.#options.clock.now(),
          kept: this.#keptTexts,
          // Its agent may be parked meanwhile, as while it waits for children (V7).
          approve: () => this.whileWaiting(call.callId, approve(call, open.abort.signal)),
        }),
      );
    } catch (error) {
      return errorResult(toFailure(error, 'tool_failed'));
    }
  }

  /** Only this call ends: its time is over, or its run was interrupted. */
  abort(callId: string, reason: TroupeError): void {
    const open = this.#open.get(callId);
    if (open !== undefined) open.abort.abort(reason);
    else if (!this.#results.has(callId)) this.#early.set(callId, reason);
  }

  /** The turn's results are committed: they need not be kept. */
  forgetResults(): void {
    this.#commits += 1;
    this.#results.clear();
    this.#early.clear();
  }

  /** Counts a call as waiting for children while `work` runs. */
  async whileWaiting<Value>(callId: string, work: Promise<Value>): Promise<Value> {
    const open = this.#open.get(callId);
    if (open === undefined) return work;
    open.waits += 1;
    const end = this.#options.beginWait(callId);
    this.#options.onWaitChanged();
    try {
      return await work;
    } finally {
      end();
      open.waits -= 1;
    }
  }

  async #whileChildren<Value>(open: OpenCall, callId: string, work: Promise<Value>) {
    open.children += 1;
    try {
      return await this.whileWaiting(callId, work);
    } finally {
      open.children -= 1;
    }
  }

  #context(call: HostToolCall, open: OpenCall): ToolContext {
    const { agent, workspace, clock, onProgress, onHeartbeat, onFileRecorded } = this.#options;
    const { delegate, background } = this.#options;
    const { signal } = open.abort;
    return {
      signal,
      interrupted: () => signal.aborted,
      agent,
      progress: (fraction, note) => {
        checkProgress(fraction, note);
        // A call has no progress after its end.
        if (this.#open.get(call.callId) !== open) return;
        open.progress ??= new ProgressGate(clock, (fraction, note) =>
          onProgress(call.callId, fraction, note),
        );
        open.progress.report(fraction, note);
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
        const outcomes = delegate(tasks, signal, { ...bounds, callId });
        return this.#whileChildren(open, callId, outcomes);
      },
      background: suspendedBy(background(signal), (work) =>
        this.#whileChildren(open, call.callId, work),
      ),
      suspendWhile: (work) => this.whileWaiting(call.callId, work),
    };
  }
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
