// Owns the tool calls of one turn inside an agent's thread: in parallel, results in call order, each with its own signal.
import type { Self } from '../actor/behavior.ts';
import { type Failure, failure, TroupeError, toFailure } from '../errors.ts';
import type { ToolResultBlock, ToolUseBlock } from '../models/model.ts';
import type { Outcome } from '../outcome.ts';
import { callTool, errorResult } from '../tools/call.ts';
import { refuseCall } from '../tools/grants.ts';
import { checkProgress, checkTouched } from '../tools/reports.ts';
import type { AnyTool, ToolContext, ToolResult } from '../tools/tool.ts';
import type { AgentArgs, AgentNote, GrantedTool } from './notes.ts';
import type { AgentSurroundings } from './surroundings.ts';

type RunningCall = { readonly abort: AbortController; readonly where: 'thread' | 'host' };

/** A turn's calls as they stand: what is finished, in call order, once all are. */
export class ToolRunner {
  readonly #args: AgentArgs;
  readonly #around: AgentSurroundings;
  readonly #self: Self;
  readonly #threadTools: ReadonlyMap<string, AnyTool>;
  readonly #running = new Map<string, RunningCall>();
  #results = new Map<string, ToolResultBlock>();

  constructor(
    args: AgentArgs,
    around: AgentSurroundings,
    inThread: { readonly self: Self; readonly tools: ReadonlyMap<string, AnyTool> },
  ) {
    this.#args = args;
    this.#around = around;
    this.#self = inThread.self;
    this.#threadTools = inThread.tools;
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

  /** Runs the calls; `signal` ends them all. Every call gets exactly one result. */
  async run(
    turn: number,
    calls: readonly ToolUseBlock[],
    options: { readonly signal: AbortSignal; readonly runId: string },
  ): Promise<readonly ToolResultBlock[]> {
    this.#results = new Map();
    await Promise.all(calls.map((call) => this.#one(turn, call, options)));
    return calls.map((call) => this.#resultOf(call.id));
  }

  /** A call took longer than its tool may: only that call ends (V8). */
  timeOut(callId: string, timeoutMs: number): void {
    const reason = new TroupeError('tool_timeout', `the tool took longer than ${timeoutMs} ms`);
    this.#running.get(callId)?.abort.abort(reason);
  }

  async #one(
    turn: number,
    call: ToolUseBlock,
    options: { readonly signal: AbortSignal; readonly runId: string },
  ): Promise<void> {
    const granted = this.#args.plan.tools.find((tool) => tool.name === call.name);
    const refusal = refuseCall(call.name, this.#args.plan.tools);
    if (granted === undefined || refusal !== null) {
      const why = refusal ?? failure('unknown_tool', `there is no tool ${call.name}`);
      this.#complete(call, errorResult(why));
      return;
    }
    // The record of the start is with the supervisor before any of the tool's code runs (design, step 4).
    this.#note({
      type: 'tool_started',
      turn,
      callId: call.id,
      name: call.name,
      where: granted.where,
    });
    this.#self.flush();
    const running: RunningCall = { abort: new AbortController(), where: granted.where };
    const onAbort = (): void => running.abort.abort(options.signal.reason);
    if (options.signal.aborted) onAbort();
    else options.signal.addEventListener('abort', onAbort, { once: true });
    this.#running.set(call.id, running);
    try {
      const result =
        granted.where === 'host'
          ? await this.#onHost(granted, call, { ...options, signal: running.abort.signal })
          : await this.#inThread(call, { ...options, signal: running.abort.signal });
      this.#complete(call, result);
    } finally {
      options.signal.removeEventListener('abort', onAbort);
      this.#running.delete(call.id);
    }
  }

  async #inThread(
    call: ToolUseBlock,
    { signal, runId }: { readonly signal: AbortSignal; readonly runId: string },
  ): Promise<ToolResult> {
    const tool = this.#threadTools.get(call.name);
    if (tool === undefined) {
      return errorResult(failure('unknown_tool', `the module of tool ${call.name} lost it`));
    }
    return callTool(tool, call.input, this.#context(call, signal, runId), {
      onAbandoned: (late) => this.#around.abandoned(late),
    });
  }

  async #onHost(
    tool: GrantedTool,
    call: ToolUseBlock,
    { signal, runId }: { readonly signal: AbortSignal; readonly runId: string },
  ): Promise<ToolResult> {
    let aborting: Promise<unknown> | null = null;
    const abort = (): void => {
      // The answer to an abort is the call's own end; a failure to deliver it means the life is over anyway.
      aborting = this.#around.callService('abort_tool', { callId: call.id }).catch(() => {});
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      const answered = this.#around.callService('host_tool', {
        callId: call.id,
        name: tool.name,
        input: call.input,
        runId,
      });
      // The host answers with a result as history holds it.
      return (await answered) as ToolResult;
    } catch (error) {
      return errorResult(toFailure(error, 'tool_failed'));
    } finally {
      signal.removeEventListener('abort', abort);
      // An abort still on its way when the life ends would count as a leftover and cost the thread.
      await aborting;
    }
  }

  #context(call: ToolUseBlock, signal: AbortSignal, runId: string): ToolContext {
    const { agent } = this.#args;
    const { workspace } = this.#args.plan;
    return {
      signal,
      interrupted: () => signal.aborted || this.#self.interrupted(),
      agent,
      progress: (fraction, note) => {
        checkProgress(fraction, note);
        this.#note({ type: 'tool_progress', callId: call.id, fraction, note });
        this.#self.flush();
      },
      heartbeat: () => this.#around.heartbeat(),
      touched: (path) => {
        checkTouched(path);
        this.#note({ type: 'touched', path });
      },
      workspace,
      delegate: async (tasks) => {
        const answer = await this.#around.callService('delegate', { callId: call.id, tasks });
        // The host answers with one outcome per task.
        return answer as readonly Outcome[];
      },
      callId: call.id,
      idempotencyKey: `${runId}:${call.id}`,
    };
  }

  #complete(call: ToolUseBlock, result: ToolResult): void {
    const why: Failure | undefined = result.failure;
    this.#results.set(call.id, {
      type: 'tool_result',
      tool_use_id: call.id,
      content: result.content,
      ...(result.isError ? { is_error: true } : {}),
    });
    const { isError } = result;
    const note: AgentNote = { type: 'tool_completed', callId: call.id, name: call.name, isError };
    this.#note(why === undefined ? note : { ...note, failure: why });
  }

  #resultOf(callId: string): ToolResultBlock {
    const result = this.#results.get(callId);
    if (result !== undefined) return result;
    throw new TroupeError('internal', `call ${callId} ended without a result`);
  }

  #note(note: AgentNote): void {
    this.#self.publish(note);
  }
}
