// Owns one run in its thread: performs what the loop decides (run/advance.ts), and hands it what comes of that.
import type { Self } from '../actor/behavior.ts';
import { type Failure, failure, toFailure } from '../base/failures.ts';
import { whenAborted } from '../base/when-aborted.ts';
import type { AgentArgs, RunRequest } from '../protocol/agent-args.ts';
import type { Message } from '../protocol/history.ts';
import type { RunEnd } from '../protocol/run-end.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { ResumePoint } from '../protocol/saved-run.ts';
import { CommitGate } from './commit-gate.ts';
import type { HookCall } from './hook-call.ts';
import { HookRunner } from './hook-runner.ts';
import type { LoadedTools } from './loaded-tools.ts';
import { remembered } from './memory-window.ts';
import { advance } from './run/advance.ts';
import type { RunEffect, RunInput } from './run/run-effects.ts';
import { type EarlyControls, newRun, type RunState } from './run/run-state.ts';
import { revivedRun } from './run/saved-run.ts';
import { runTools } from './run-tools.ts';
import { ThreadLeave } from './thread-leave.ts';
import { ToolRunner } from './tool-runner.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

export type AgentRunOptions = {
  readonly args: AgentArgs;
  /** The conversation before the run; of a parked run, its own conversation too. */
  readonly memory: readonly Message[];
  readonly request: RunRequest;
  readonly loaded: LoadedTools;
  readonly around: WorkerEnvironment;
  readonly self: Self;
  /** Steering messages and a pause that arrived before the run. */
  readonly early: EarlyControls;
  /** So many of its commits are known to be durable. */
  readonly durable: number;
};

export class AgentRun {
  readonly state: RunState;
  readonly #args: AgentArgs;
  readonly #self: Self;
  readonly #signal: AbortSignal;
  readonly #around: WorkerEnvironment;
  /** Where it continues; null for one that begins. */
  readonly #resume: ResumePoint | null;
  readonly #tools: ToolRunner;
  readonly #hooks: HookRunner;
  readonly leave: ThreadLeave;
  /** Null where nothing is written down. */
  readonly #gate: CommitGate | null;
  #end: (end: RunEnd) => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor({ args, loaded, memory, request, around, self, early, durable }: AgentRunOptions) {
    const { runId } = request;
    this.#args = args;
    this.#around = around;
    this.#self = self;
    this.#signal = self.signal;
    this.#resume = args.resume?.runId === runId ? args.resume : null;
    this.state =
      this.#resume === null
        ? newRun(args.spec, memory, request, early)
        : revivedRun(memory, this.#resume, early);
    if (this.#resume !== null) {
      around.model.continueFrom(this.state.messages.slice(0, this.#resume.known));
    }
    const { commits = 0, durable: durableThen = 0 } = this.#resume ?? {};
    this.#gate =
      args.spec.isDurable === true ? new CommitGate(commits, Math.max(durable, durableThen)) : null;
    this.leave = new ThreadLeave(args.spec, this.state, around, { self, gate: this.#gate });
    const tools = runTools(loaded.tools, args.spec, (name, value) =>
      this.take({ type: 'emitted', name, value }),
    );
    this.#hooks = new HookRunner({ args, runId, loaded, around, self });
    this.#tools = new ToolRunner(args, around, { self, runId, tools });
  }

  /** What the next run remembers. */
  get memory(): readonly Message[] {
    const { messages, begins } = this.state;
    return remembered(this.#args.spec, messages, begins);
  }

  /**
   * Executes the run. With `withdrawn` it was interrupted before it arrived: a run that never began ends at once, a
   * parked run ends once its turn is answered (S5, S8). Either way its conversation is remembered.
   */
  async toEnd(withdrawn: Failure | null = null): Promise<RunEnd> {
    const resume = this.#resume;
    if (resume === null && withdrawn !== null) {
      return { exitReason: 'interrupted', text: '', error: withdrawn };
    }
    const ended = new Promise<RunEnd>((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    const unlink = whenAborted(this.#signal, () => this.#noticeInterrupt());
    const error = withdrawn ?? resume?.interrupted ?? null;
    if (error !== null) this.#perform({ type: 'interrupted', error });
    const answers = resume?.answers ?? [];
    // A run whose model call has failed does not ask again.
    if (answers[0]?.type !== 'model_failed') this.take({ type: 'continue' });
    for (const answer of answers) this.take(answer);
    try {
      return await ended;
    } finally {
      unlink();
    }
  }

  /** Something happened to the run: an answer arrived, or a control message. */
  take(input: RunInput): void {
    if (this.leave.hasLeft) return;
    // A tool in a busy loop sees the shared flag before the message that aborts the signal can arrive (S2).
    this.#noticeInterrupt();
    this.#perform(input);
  }

  /** A call took longer than its tool may: only that call ends (V8). */
  timeOut(callId: string, timeoutMs: number): void {
    this.#tools.timeOut(callId, timeoutMs);
  }

  /** So many of its commits are durable. */
  durable(commits: number): void {
    this.#gate?.reached(commits);
  }

  #noticeInterrupt(): void {
    if (this.#isInterrupted) return;
    // Reading the flag may abort the signal, whose listener comes here first.
    const isFlagged = this.#self.interrupted();
    if (this.#isInterrupted || !(isFlagged || this.#signal.aborted)) return;
    const error = this.#signal.aborted
      ? toFailure(this.#signal.reason, 'interrupted')
      : failure('interrupted', 'the run was interrupted');
    this.#perform({ type: 'interrupted', error });
  }

  get #isInterrupted(): boolean {
    return this.state.interrupted !== null;
  }

  /** What fails here is a fault of the loop: the run fails with it, wherever the input came from. */
  #perform(input: RunInput): void {
    try {
      for (const effect of advance(this.#args.spec, this.state, input)) this.#carryOut(effect);
      this.leave.offer();
    } catch (error) {
      this.#fail(error);
    }
  }

  #carryOut(effect: RunEffect): void {
    switch (effect.type) {
      case 'publish':
        this.#self.publish(this.#gate?.publish(effect.event, this.state) ?? effect.event);
        if (effect.isUrgent) this.#self.flush();
        break;
      case 'call_hook':
        this.#awaitInput(this.#callHook(effect));
        break;
      case 'ask_model':
        // Hooks have shown the model another conversation than the supervisor has.
        if (effect.messages === this.state.messages && this.leave.insteadOfAsking()) break;
        this.#awaitInput(this.#askModel(effect));
        break;
      case 'call_tool':
        this.#awaitInput(this.#callTool(effect));
        break;
      case 'ask_approval':
        this.#awaitInput(this.#approve(effect));
        break;
      case 'end':
        this.#end(effect.end);
        break;
    }
  }

  #awaitInput(coming: Promise<RunInput>): void {
    coming.then((input) => this.take(input)).catch((error: unknown) => this.#fail(error));
  }

  async #callHook({
    at,
    call,
    place,
  }: Extract<RunEffect, { type: 'call_hook' }>): Promise<RunInput> {
    if (call.name === 'beforeTool' && place !== null) return this.#beforeTool(at, call, place);
    try {
      // A result that is there is kept: what is after a tool ends with the run alone (S9).
      const answer = await this.#hooks.call({ at, place, call }, this.#signal);
      return { type: 'hook_answered', place, answer };
    } catch (error) {
      return { type: 'hook_failed', place, error: this.#hookFailure(error) };
    }
  }

  /** A hook before a tool ends with its call. */
  async #beforeTool(
    at: number,
    call: Extract<HookCall, { name: 'beforeTool' }>,
    place: number,
  ): Promise<RunInput> {
    const signal = this.#tools.signalOf(place, call.subject.callId);
    try {
      const answer = await this.#hooks.call({ at, place, call }, signal);
      const isDenied = answer !== null && 'deny' in answer;
      if (isDenied) this.#tools.close(place);
      else signal.throwIfAborted();
      return { type: 'hook_answered', place, answer };
    } catch (error) {
      this.#tools.close(place);
      return { type: 'hook_failed', place, error: this.#hookFailure(error) };
    }
  }

  #hookFailure(error: unknown): Failure {
    return toFailure(error, this.#signal.aborted ? 'interrupted' : 'hook_failed');
  }

  async #askModel({
    turn,
    messages,
    toolChoice,
  }: Extract<RunEffect, { type: 'ask_model' }>): Promise<RunInput> {
    let streamed = '';
    try {
      if (this.#gate !== null) await this.#gate.passed(this.#signal);
      // It was asked for its thread meanwhile: the supervisor asks.
      if (this.leave.hasLeft) return new Promise(() => {});
      const { response } = await this.#around.model.request(
        toolChoice === null ? { turn, messages } : { turn, messages, toolChoice },
        {
          signal: this.#signal,
          onBroken: (spent, text) => {
            streamed = text;
            if (spent !== null) {
              this.#self.publish({ type: 'model_broke_off', turn } satisfies RunEvent);
            }
          },
        },
      );
      return { type: 'model_answered', response };
    } catch (error) {
      if (toFailure(error).code === 'gateway_lost' && this.leave.leaveToAskAgain()) {
        return new Promise(() => {});
      }
      return { type: 'model_failed', error: toFailure(error, 'model_failed'), streamed };
    }
  }

  async #callTool(effect: Extract<RunEffect, { type: 'call_tool' }>): Promise<RunInput> {
    const { where, call, place } = effect;
    if (this.#gate !== null) await this.#gate.passed(this.#tools.signalOf(place, call.id));
    const result = await this.#tools.run(effect);
    if (result === null) return { type: 'approval_needed', place };
    const tool = this.#args.spec.tools.find(({ name }) => name === call.name);
    // Until now the call itself has kept the run in its thread.
    if (where === 'thread' && tool?.keepsThread === true) this.leave.pin();
    return { type: 'tool_ended', place, result };
  }

  async #approve({ place, call }: Extract<RunEffect, { type: 'ask_approval' }>): Promise<RunInput> {
    return { type: 'approval_answered', place, approval: await this.#tools.approve(place, call) };
  }
}
