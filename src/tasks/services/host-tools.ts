// Owns the calls of host tools of one run: each has its result in the answers of its turn, and may be ended before its time.
// Leaves out how one is performed (tool-executor.ts).
import type { TroupeError } from '../../base/failures.ts';
import type { ToolResult } from '../../protocol/history.ts';
import type { HostToolCall } from '../../protocol/host-services.ts';
import { answersOf, type CallAnswers } from '../call-answers.ts';
import type { OpenCall, OpenCalls } from '../open-calls.ts';

/** What performs the calls. */
export interface HostToolExecutor {
  /** The result of a call, whatever happens; never rejects. */
  execute(call: HostToolCall, open: OpenCall): Promise<ToolResult>;
  /** A call is over: the agent may be parkable now (V7). */
  waitChanged(): void;
}

/** The run whose calls they are; its signal aborts when the agent was interrupted or ended. */
type CallingRun = {
  readonly calls: OpenCalls;
  answers: CallAnswers | null;
  readonly signal: AbortSignal;
};

export class HostTools {
  readonly #run: CallingRun;
  readonly #executor: HostToolExecutor;

  constructor(run: CallingRun, executor: HostToolExecutor) {
    this.#run = run;
    this.#executor = executor;
  }

  /** True once the call has its result; its activation may not know yet. */
  isDone(callId: string): boolean {
    return this.#run.answers?.tools.has(callId) === true;
  }

  /** True while the call is being performed here. */
  isOpen(callId: string): boolean {
    return this.#run.calls.isOpen('tool', callId);
  }

  /** The result of a call, whatever happens; never rejects. It is kept for a run that is parked meanwhile. */
  async call(call: HostToolCall): Promise<ToolResult> {
    const { calls, signal } = this.#run;
    const { callId: id } = call;
    const answers = answersOf(this.#run);
    const performed = calls.during({ kind: 'tool', id }, signal, async (open) => {
      const early = answers.endedEarly.get(id);
      if (early !== undefined) open.abort.abort(early);
      const ended = await this.#executor.execute(call, open);
      answers.tools.set(id, ended);
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
    else if (!this.isDone(callId)) answersOf(this.#run).endedEarly.set(callId, reason);
  }
}
