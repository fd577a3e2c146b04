// Owns the hooks of one run inside its thread: which are called, in which order, what their answers do to the run.
import type { Self } from '../actor/behavior.ts';
import { copyData } from '../base/copy-data.ts';
import { type Failure, failure, toFailure } from '../base/failures.ts';
import type { AgentArgs } from '../protocol/agent-args.ts';
import type { Message, ToolResult, ToolResultBlock, ToolUseBlock } from '../protocol/history.ts';
import type { HookName, PlannedHooks, ToolCallInfo } from '../protocol/hooks.ts';
import type { HostHookCall } from '../protocol/host-services.ts';
import type { RunEnd, RunEvent } from '../protocol/run-events.ts';
import { errorResult } from '../tools/call.ts';
import { cutText, defaultMaxResultChars } from '../tools/output.ts';
import { askHost } from './ask-host.ts';
import { callHook, type HookCall } from './hook-call.ts';
import { type HookAnswer, type HookPayloads, readAnswer, withAppended } from './hooks.ts';
import type { LoadedTools } from './loaded-tools.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

export type HookRunnerOptions = {
  readonly args: AgentArgs;
  readonly runId: string;
  readonly loaded: LoadedTools;
  readonly around: WorkerEnvironment;
  readonly self: Self;
};

const noHooks: readonly PlannedHooks[] = [];

/** Definition's hooks first, then the task's; without any, nothing is sent and nothing awaited for long. */
export class HookRunner {
  readonly #options: HookRunnerOptions;
  readonly #hooks: readonly PlannedHooks[];
  #failure: Failure | null = null;
  #lastId = 0;

  constructor(options: HookRunnerOptions) {
    this.#options = options;
    this.#hooks = options.args.spec.hooks ?? noHooks;
  }

  /** How the run ends because a hook around a tool failed; null when none did (D23). */
  failedEnd(text: string): RunEnd | null {
    const error = this.#failure;
    return error === null ? null : { exitReason: 'error', text, error };
  }

  /** How the run ends before it began; null when it may begin. */
  async beforeRun(messages: readonly Message[]): Promise<RunEnd | null> {
    if (!this.#has('beforeRun')) return null;
    const { signal } = this.#options.self;
    const call = { name: 'beforeRun', subject: { messages } } as const;
    try {
      for (const at of this.#with('beforeRun')) {
        const answer = await this.#call(at, call, signal);
        if (answer === null || !('deny' in answer)) continue;
        const error = failure('hook_denied', answer.deny);
        return { exitReason: 'refused', text: '', error };
      }
    } catch (thrown) {
      const error = toFailure(thrown, 'hook_failed');
      return {
        exitReason: error.code === 'hook_failed' ? 'error' : 'interrupted',
        text: '',
        error,
      };
    }
    return null;
  }

  /** The messages of this request; rejects `hook_failed` or with the signal's reason. */
  async beforeTurn(turn: number, messages: readonly Message[]): Promise<readonly Message[]> {
    if (!this.#has('beforeTurn')) return messages;
    const call = { name: 'beforeTurn', subject: { turn, messages } } as const;
    const texts: string[] = [];
    let shown = messages;
    for (const at of this.#with('beforeTurn')) {
      const answer = await this.#call(at, call, this.#options.self.signal);
      if (answer === null) continue;
      if ('messages' in answer) shown = answer.messages;
      if ('append' in answer && answer.append !== '') texts.push(answer.append);
    }
    return withAppended(shown, texts.join('\n\n'));
  }

  /** Rejects `hook_failed` or with the signal's reason. */
  async afterTurn(subject: HookPayloads['afterTurn']): Promise<void> {
    for (const at of this.#with('afterTurn')) {
      await this.#call(at, { name: 'afterTurn', subject }, this.#options.self.signal);
    }
  }

  get hasToolHooks(): boolean {
    return this.#has('beforeTool') || this.#has('afterTool');
  }

  /**
   * A tool call between its hooks; never rejects. `call` ends what is before the tool, the run's own signal what is
   * after it: a result that is there is kept (S9).
   */
  async aroundTool(
    call: ToolCallInfo,
    signal: AbortSignal,
    run: (input: unknown) => Promise<ToolResult>,
  ): Promise<ToolResult> {
    // A run that a hook has failed calls no further tool.
    if (this.#failure !== null) return errorResult(this.#failure);
    let { input } = call;
    try {
      for (const at of this.#with('beforeTool')) {
        const subject = { ...call, input };
        const answer = await this.#call(at, { name: 'beforeTool', subject }, signal);
        if (answer === null) continue;
        if ('deny' in answer) return errorResult(failure('hook_denied', answer.deny));
        if ('input' in answer) input = answer.input;
      }
      signal.throwIfAborted();
    } catch (error) {
      return errorResult(this.#failed(error, 'interrupted'));
    }
    return this.#afterTool({ ...call, input }, await run(input));
  }

  /** The results of a parked turn: calls `afterTool` hooks for the answers that arrived while it was parked (V7). */
  async afterParking(
    turn: number,
    calls: readonly ToolUseBlock[],
    results: readonly ToolResultBlock[],
  ): Promise<readonly ToolResultBlock[]> {
    const unreported = this.#options.args.resume?.answered ?? [];
    if (!this.#has('afterTool')) return results;
    const reported: ToolResultBlock[] = [];
    for (const block of results) {
      const call = calls.find(({ id }) => id === block.tool_use_id);
      if (call === undefined || !unreported.includes(call.id)) {
        reported.push(block);
        continue;
      }
      const { id: callId, name, input } = call;
      const result = { content: block.content, isError: block.is_error === true };
      const { content } = await this.#afterTool({ turn, callId, name, input }, result);
      reported.push({ ...block, content });
    }
    return reported;
  }

  /** Calls every hook with the end, which hooks cannot change; publishes what they throw as a run event. */
  async afterRun(end: RunEnd): Promise<RunEnd> {
    if (!this.#has('afterRun')) return end;
    const { signal } = this.#options.self;
    let first: Failure | null = null;
    for (const at of this.#with('afterRun')) {
      try {
        await this.#call(at, { name: 'afterRun', subject: end }, signal);
      } catch (thrown) {
        const why = toFailure(thrown, 'hook_failed');
        first ??= why;
        this.#options.self.publish({ type: 'hook_failed', failure: why } satisfies RunEvent);
      }
    }
    return first === null || end.error !== undefined ? end : { ...end, error: first };
  }

  async #afterTool(call: ToolCallInfo, result: ToolResult): Promise<ToolResult> {
    const { args, self } = this.#options;
    const { maxResultChars = defaultMaxResultChars } = args.spec.toolSettings;
    let shown = result;
    try {
      for (const at of this.#with('afterTool')) {
        if (self.signal.aborted || this.#failure !== null) break;
        const { content, isError, failure: why } = shown;
        const subject = { ...call, result: content, isError, failure: why };
        const answer = await this.#call(at, { name: 'afterTool', subject }, self.signal);
        if (answer === null || !('result' in answer)) continue;
        shown = { ...shown, content: cutText(answer.result, maxResultChars) };
      }
    } catch (error) {
      // The tool has run already: keep its result in the record, and end the run.
      this.#failed(error, 'interrupted');
    }
    return shown;
  }

  /** A failed hook ends the run once the turn's calls have ended; the part that aborts reports an abort (D20). */
  #failed(thrown: unknown, fallback: 'interrupted'): Failure {
    const why = toFailure(thrown, fallback);
    if (why.code === 'hook_failed') this.#failure ??= why;
    return why;
  }

  #has(name: HookName): boolean {
    return this.#hooks.some(({ names }) => names.includes(name));
  }

  #with(name: HookName): readonly number[] {
    return this.#hooks.flatMap(({ names }, at) => (names.includes(name) ? [at] : []));
  }

  #call(at: number, call: HookCall, signal: AbortSignal): Promise<HookAnswer> {
    const { loaded, args, runId, around } = this.#options;
    const module = this.#hooks[at]?.module;
    if (module === undefined) return this.#onHost(at, call, signal);
    const hooks = loaded.hooks.get(module) ?? {};
    const context = { agent: { ...args.agent }, runId, signal };
    // The hook receives a copy: changes that it makes to its payload have no effect.
    const reported = { ...call, subject: copyData(call.subject) } as HookCall;
    return around.runCode(() =>
      callHook(hooks, reported, context, (late) => around.abandoned(late)),
    );
  }

  async #onHost(at: number, { name, subject }: HookCall, signal: AbortSignal): Promise<HookAnswer> {
    const { around, self } = this.#options;
    this.#lastId += 1;
    const id = `h${this.#lastId}`;
    // The host passes the conversation to its hooks from its own record, which must be complete by then.
    self.flush();
    const reported = 'messages' in subject ? { ...subject, messages: undefined } : subject;
    // Name and subject come in pairs; TypeScript forgets it over a union.
    const asked = { id, at, name, subject: reported } as HostHookCall;
    const answer = await askHost(() => around.host.callHook(asked), {
      signal,
      abort: () => around.host.abortHook({ id }),
    });
    // Judged on the host already: what is no answer of this hook did not come from it.
    return readAnswer(name, answer);
  }
}
