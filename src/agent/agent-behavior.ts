// Owns the agent loop: one receive is one run, from its prompt to its end. Runs in the agent's thread.
// Leaves out limits on time, the running copy and the outcome: those are the supervisor's.
import { type Behavior, behavior, next, type Self, stop } from '../actor/behavior.ts';
import { describe, type Failure, failure, TroupeError, toFailure } from '../errors.ts';
import type { Message, ToolResultBlock, ToolUseBlock } from '../models/model.ts';
import type { AgentKit } from './kit.ts';
import { repair, runEndedFirst } from './memory.ts';
import type { AgentArgs, AgentControl, AgentNote, RunEnd, RunRequest } from './notes.ts';
import type { AgentSurroundings } from './surroundings.ts';
import { ToolRunner } from './tool-runner.ts';
import { endAfterFailure, outOfTurns, stepAfter, textOf, toolCallsOf } from './turn.ts';

type AgentState = {
  readonly args: AgentArgs;
  readonly kit: AgentKit;
  readonly memory: readonly Message[];
};

/** What a control message can reach while a run is on. */
type CurrentRun = { runner: ToolRunner; turn: number };

/** The behaviour of an agent; one instance serves one life. */
export function agentBehavior(
  around: AgentSurroundings,
): Behavior<AgentState, RunRequest, AgentArgs> {
  let current: CurrentRun | null = null;
  /** The one run that was withdrawn before it came. */
  let withdrawn: { readonly runId: string; readonly reason: string } | null = null;
  return behavior<AgentState, RunRequest, AgentArgs>({
    start(args) {
      const { memory } = args;
      const kit = around.kitOf(args.plan);
      if (kit instanceof Promise) return kit.then((loaded) => ({ args, kit: loaded, memory }));
      return { args, kit, memory };
    },

    async receive(state, request, self) {
      if (request.type !== 'run') {
        throw new TroupeError('not_plain', `an agent is sent runs, it got ${describe(request)}`);
      }
      const { runId } = request;
      if (withdrawn?.runId === runId) {
        const error = failure('interrupted', withdrawn.reason);
        const end: RunEnd = { exitReason: 'interrupted', text: '', error };
        self.publish({ type: 'run_ended', runId, end } satisfies AgentNote);
        return next(state);
      }
      const runner = new ToolRunner(state.args, around, { self, tools: state.kit });
      current = { runner, turn: 0 };
      const run = new AgentRun({ state, self, around, request, current });
      const end = await run.toEnd();
      current = null;
      self.publish({ type: 'run_ended', runId, end } satisfies AgentNote);
      return state.args.endsWithRun ? stop() : next({ ...state, memory: run.memory });
    },

    control(message, self) {
      const control = message as AgentControl;
      if (control.type === 'withdraw') withdrawn = control;
      if (current === null) return;
      switch (control.type) {
        case 'withdraw':
          // It has begun already: the interrupt reaches it.
          break;
        case 'tool_timeout':
          current.runner.timeOut(control.callId, control.timeoutMs);
          break;
        case 'park': {
          const { turn, runner } = current;
          if (!runner.waitsForHostOnly) {
            self.publish({ type: 'park_refused' } satisfies AgentNote);
            break;
          }
          self.publish({ type: 'run_parked', turn, results: runner.finished } satisfies AgentNote);
          around.park();
          break;
        }
      }
    },
  });
}

/** One run: the loop of turns, and the conversation it grows. */
class AgentRun {
  readonly #state: AgentState;
  readonly #self: Self;
  readonly #around: AgentSurroundings;
  readonly #request: RunRequest;
  readonly #current: CurrentRun;
  readonly #signal: AbortSignal;
  #messages: readonly Message[];
  #text = '';

  constructor(options: {
    readonly state: AgentState;
    readonly self: Self;
    readonly around: AgentSurroundings;
    readonly request: RunRequest;
    readonly current: CurrentRun;
  }) {
    this.#state = options.state;
    this.#self = options.self;
    this.#around = options.around;
    this.#request = options.request;
    this.#current = options.current;
    this.#signal = options.self.signal;
    const { args, memory } = options.state;
    // A parked run left its own prompt in the record it continues from.
    const isResumed = args.resume?.runId === options.request.runId;
    this.#messages = isResumed ? memory : [...memory, ...options.request.messages];
  }

  /** The conversation, every call answered. */
  get memory(): readonly Message[] {
    return repair(this.#messages, runEndedFirst);
  }

  async toEnd(): Promise<RunEnd> {
    const { resume, plan } = this.#state.args;
    const { maxTurns } = plan;
    let turn = 0;
    if (resume !== undefined && resume.runId === this.#request.runId) {
      turn = resume.turn;
      this.#commitResults(turn, resume.results);
      const { interrupted: error } = resume;
      if (error !== undefined) return { exitReason: 'interrupted', text: this.#text, error };
    }
    for (;;) {
      if (this.#isInterrupted) return this.#interrupted();
      if (turn >= maxTurns) return outOfTurns(maxTurns, this.#text);
      turn += 1;
      this.#current.turn = turn;
      const end = await this.#turn(turn);
      if (end !== null) return end;
    }
  }

  /** One turn; null when another follows. */
  async #turn(turn: number): Promise<RunEnd | null> {
    this.#note({ type: 'turn_started', turn });
    const { maxOutputTokens } = this.#state.args.plan;
    let streamed = '';
    try {
      const answer = await this.#around.model.request(
        {
          turn,
          messages: this.#messages,
          ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
        },
        {
          signal: this.#signal,
          onDelta: (delta) => {
            if (delta.type === 'text') streamed += delta.text;
            this.#note({ type: 'model_delta', delta });
          },
        },
      );
      const { content, usage, isEstimated, costUsd, model, stopReason } = answer;
      const message: Message = { role: 'assistant', content };
      this.#messages = [...this.#messages, message];
      this.#text = textOf(content) || this.#text;
      this.#note({
        type: 'model_response',
        turn,
        message,
        usage,
        isEstimated,
        costUsd,
        model,
        stopReason,
      });
      const step = stepAfter(answer);
      switch (step.type) {
        case 'finish':
          return step.end;
        case 'ask_again':
          return null;
        case 'run_tools':
          return this.#runTools(turn, step.calls);
      }
    } catch (error) {
      const why: Failure = this.#signal.aborted
        ? toFailure(this.#signal.reason, 'interrupted')
        : toFailure(error, 'model_failed');
      return endAfterFailure(why, streamed || this.#text);
    }
  }

  async #runTools(turn: number, calls: readonly ToolUseBlock[]): Promise<RunEnd | null> {
    const { runId } = this.#request;
    const results = await this.#current.runner.run(turn, calls, { signal: this.#signal, runId });
    this.#commitResults(turn, results);
    return this.#isInterrupted ? this.#interrupted() : null;
  }

  #commitResults(turn: number, results: readonly ToolResultBlock[]): void {
    const last = this.#messages.at(-1);
    if (last?.role !== 'assistant' || toolCallsOf(last.content).length === 0) return;
    const message: Message = { role: 'user', content: results };
    this.#messages = [...this.#messages, message];
    this.#note({ type: 'tool_results', turn, message });
  }

  /** A tool that spun saw the word before the message that aborts the signal could arrive (S2). */
  get #isInterrupted(): boolean {
    return this.#signal.aborted || this.#self.interrupted();
  }

  #interrupted(): RunEnd {
    const why = this.#signal.aborted
      ? toFailure(this.#signal.reason, 'interrupted')
      : failure('interrupted', 'the run was interrupted');
    return endAfterFailure(why, this.#text);
  }

  #note(note: AgentNote): void {
    this.#self.publish(note);
  }
}
