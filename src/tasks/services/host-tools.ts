// Owns the calls of host tools of one run: which are performed now, their results, and those that ended before they came.
// Leaves out how one is performed (tool-executor.ts).
import type { TroupeError } from '../../base/failures.ts';
import type { ToolResult } from '../../protocol/history.ts';
import type { HostToolCall } from '../../protocol/host-services.ts';
import type { OpenCall, OpenCalls } from '../open-calls.ts';

/** What performs the calls. */
export interface HostToolExecutor {
  /** The result of a call, whatever happens; never rejects. */
  execute(call: HostToolCall, open: OpenCall): Promise<ToolResult>;
  /** A call is over: the agent may be parkable now (V7). */
  waitChanged(): void;
}

/** The run whose calls they are; its signal aborts when the agent was interrupted or ended. */
type CallingRun = { readonly calls: OpenCalls; readonly signal: AbortSignal };

/** Results outlive the activation that asked for them: a parked agent finds them when it continues. */
export class HostTools {
  readonly #run: CallingRun;
  readonly #executor: HostToolExecutor;
  readonly #results = new Map<string, ToolResult>();
  /** Calls that were ended before they arrived. */
  readonly #early = new Map<string, TroupeError>();
  /** Turns that were committed: what began in one of them is of no use any more. */
  #commits = 0;

  constructor(run: CallingRun, executor: HostToolExecutor) {
    this.#run = run;
    this.#executor = executor;
  }

  /** Results that came while the agent had no activation; taken by the one that continues. */
  get results(): ReadonlyMap<string, ToolResult> {
    return this.#results;
  }

  /** True once the call has its result; its activation may not know yet. */
  isDone(callId: string): boolean {
    return this.#results.has(callId);
  }

  /** True while the call is being performed here. */
  isOpen(callId: string): boolean {
    return this.#run.calls.isOpen('tool', callId);
  }

  /** The result of a call, whatever happens; never rejects. It is kept for a run that is parked meanwhile. */
  async call(call: HostToolCall): Promise<ToolResult> {
    const { calls, signal } = this.#run;
    const { callId: id } = call;
    const commits = this.#commits;
    const performed = calls.during({ kind: 'tool', id, until: signal }, async (open) => {
      const early = this.#early.get(id);
      if (early !== undefined) open.abort.abort(early);
      const ended = await this.#executor.execute(call, open);
      // A model may use an id again: what came too late for its own turn is no result of a later call.
      if (commits === this.#commits) this.#results.set(id, ended);
      return ended;
    });
    // The run may wait for its calls on the host alone now.
    this.#executor.waitChanged();
    const result = await performed;
    this.#executor.waitChanged();
    return result;
  }

  /** Only this call ends: its time is over. */
  abort(callId: string, reason: TroupeError): void {
    if (this.isOpen(callId)) this.#run.calls.abort(callId, reason);
    else if (!this.#results.has(callId)) this.#early.set(callId, reason);
  }

  /** The turn's results are committed: they need not be kept. */
  forgetResults(): void {
    this.#commits += 1;
    this.#results.clear();
    this.#early.clear();
  }
}
