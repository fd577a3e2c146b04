// Owns one run in its thread: the loop of turns and its required outputs. turn.ts and required-outputs.ts decide.
import type { Self } from '../actor/behavior.ts';
import { type Failure, failure, TroupeError, toFailure } from '../base/failures.ts';
import type { AgentArgs, ResumePoint, RunRequest } from '../protocol/agent-args.ts';
import type { Message, ToolResultBlock, ToolUseBlock } from '../protocol/history.ts';
import type { ModelResponse } from '../protocol/model-messages.ts';
import type { RunProgress } from '../protocol/required-outputs.ts';
import type { RunEnd, RunEvent } from '../protocol/run-events.ts';
import { inToolLetters } from './called-names.ts';
import { Conversation, type ConversationOptions } from './conversation.ts';
import { HookRunner } from './hook-runner.ts';
import type { LoadedTools } from './loaded-tools.ts';
import { afterText, afterTools, noProgress, requiredOutputTools } from './required-outputs.ts';
import { goesOn, type RunControl } from './run-control.ts';
import { runTools } from './run-tools.ts';
import { ToolRunner } from './tool-runner.ts';
import {
  closingPrompt,
  endAfterFailure,
  isBlank,
  notRun,
  outOfTurns,
  stepAfter,
  textOf,
  withoutSummary,
} from './turn.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

export type AgentRunOptions = Omit<ConversationOptions, 'publish'> & {
  readonly loaded: LoadedTools;
  readonly around: WorkerEnvironment;
  readonly self: Self;
  /** Steering messages and pauses for this run. */
  readonly steering: RunControl;
};

export class AgentRun {
  readonly #args: AgentArgs;
  readonly #self: Self;
  readonly #around: WorkerEnvironment;
  readonly #request: RunRequest;
  /** Where it continues; null for one that begins. */
  readonly #resume: ResumePoint | null;
  readonly #signal: AbortSignal;
  readonly #steering: RunControl;
  readonly runner: ToolRunner;
  readonly #hooks: HookRunner;
  #progress: RunProgress;
  readonly #conversation: Conversation;
  #turn = 0;
  #text = '';

  constructor({ args, loaded, memory, request, around, self, steering }: AgentRunOptions) {
    this.#steering = steering;
    this.#args = args;
    this.#around = around;
    this.#self = self;
    this.#request = request;
    this.#signal = self.signal;
    this.#resume = args.resume?.runId === request.runId ? args.resume : null;
    const publish = (each: RunEvent): void => this.#publish(each);
    this.#conversation = new Conversation({ args, memory, request, publish });
    this.#progress = this.#resume?.progress ?? noProgress;
    const tools = runTools(loaded.tools, args.spec, (name, value) => this.#emitted(name, value));
    this.#hooks = new HookRunner({ args, runId: request.runId, loaded, around, self });
    this.runner = new ToolRunner(args, around, { self, tools, hooks: this.#hooks });
  }

  get turn(): number {
    return this.#turn;
  }

  /** How far the run is with its required outputs. */
  get progress(): RunProgress {
    return this.#progress;
  }

  /** What the next run remembers. */
  get memory(): readonly Message[] {
    return this.#conversation.memory;
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
    const end =
      resume === null
        ? await this.#hooks.beforeRun(this.#conversation.messages)
        : await this.#resumed(resume, withdrawn ?? resume.interrupted ?? null);
    const isOver = end !== null && !this.#goesOn(end);
    return this.#hooks.afterRun(isOver ? end : await this.#takeTurns());
  }

  async #takeTurns(): Promise<RunEnd> {
    const { maxTurns } = this.#args.spec;
    for (;;) {
      if (this.#steering.isPaused) await this.#waitWhilePaused();
      if (this.#isInterrupted) return this.#interrupted();
      if (this.#turn >= maxTurns) return this.#outOfTurns();
      this.#turn += 1;
      for (const steer of this.#steering.take()) this.#conversation.take(this.#turn, steer);
      const end = await this.#oneTurn();
      if (end !== null && !this.#goesOn(end)) return end;
    }
  }

  /** The end of a run that used its turns up, after a closing message where one is wanted (D18). */
  async #outOfTurns(): Promise<RunEnd> {
    const { maxTurns, summaryTurn } = this.#args.spec;
    const end = outOfTurns(maxTurns, this.#text);
    if (summaryTurn !== true) return end;
    // A model that calls what is not run any more, or gives no answer that fits, is asked once again.
    return (await this.#close(end)) ?? (await this.#close(end)) ?? { ...end, text: this.#text };
  }

  /** Asks for a closing message and takes required outputs from it; null when the model gives neither. */
  async #close(end: RunEnd): Promise<RunEnd | null> {
    const missing = requiredOutputTools(this.#args.spec, this.#progress);
    this.#turn += 1;
    this.#conversation.say(this.#turn, closingPrompt(missing));
    this.#publish({ type: 'turn_started', turn: this.#turn });
    const answer = await this.#ask(missing.length === 0 ? 'none' : 'auto');
    if ('exitReason' in answer) return this.#isInterrupted ? answer : withoutSummary(end, answer);
    const step = stepAfter(answer);
    if (step.type === 'run_tools') {
      if (this.#isInterrupted) return this.#interrupted();
      const late = step.calls.filter(({ name }) => !missing.includes(name));
      const closed = await this.#runTools(step.calls, late.map(notRun));
      if (closed !== null) return closed;
    }
    const text = textOf(answer.content);
    return missing.length > 0 || text.trim() === '' ? null : { ...end, text };
  }

  async #resumed(resume: ResumePoint, error: Failure | null): Promise<RunEnd | null> {
    const { turn, results } = resume;
    this.#turn = turn;
    const calls = this.#conversation.openCalls;
    if (error === null) {
      return this.#runTools(calls, await this.#hooks.afterParking(turn, calls, results));
    }
    const signal = AbortSignal.abort(TroupeError.from(error));
    await this.#resultsOf(calls, { signal, known: results });
    return { exitReason: 'interrupted', text: this.#text, error };
  }

  /** One turn; null when another follows. */
  async #oneTurn(): Promise<RunEnd | null> {
    this.#publish({ type: 'turn_started', turn: this.#turn });
    const answer = await this.#ask();
    if ('exitReason' in answer) return answer;
    const step = stepAfter(answer);
    switch (step.type) {
      case 'finish': {
        const isFull = step.end.error?.code === 'context_window_exceeded';
        const isLast = this.#turn >= this.#args.spec.maxTurns;
        if (isFull && !isLast && this.#conversation.makeSpace(this.#turn, !isBlank(answer.content)))
          return null;
        return this.#afterText(step.end);
      }
      case 'ask_again':
        return null;
      case 'ask_answer':
        return this.#askAnswer(step.end);
      case 'run_tools':
        // Its time was over while the model answered: the calls of a late answer are not run (B23).
        return this.#isInterrupted ? this.#interrupted() : this.#runTools(step.calls);
    }
  }

  /** The model's answer to the conversation, committed; or how the run ends without one. */
  async #ask(toolChoice?: 'auto' | 'none'): Promise<ModelResponse | RunEnd> {
    const turn = this.#turn;
    let streamed = '';
    try {
      const messages = await this.#hooks.beforeTurn(turn, this.#conversation.messages);
      // Hooks take their time: nothing is asked once the run is to end (S8).
      if (this.#isInterrupted) return this.#interrupted();
      const answer = await this.#around.model.request(
        toolChoice === undefined ? { turn, messages } : { turn, messages, toolChoice },
        {
          signal: this.#signal,
          onDelta: (delta) => {
            if (delta.type === 'text') streamed += delta.text;
            this.#publish({ type: 'model_delta', delta });
          },
          onSpent: () => this.#publish({ type: 'model_broke_off', turn }),
        },
      );
      const response = inToolLetters(answer.response);
      const { content, usage, model, stopReason } = response;
      const message = { role: 'assistant', content } as const;
      this.#text = textOf(content) || this.#text;
      this.#conversation.respond({ turn, message, model, stopReason });
      await this.#hooks.afterTurn({ turn, message, usage, stopReason });
      return response;
    } catch (error) {
      if (this.#isInterrupted) return this.#interrupted(streamed);
      const why = toFailure(error, 'model_failed');
      // Nothing was answered: it is the same turn that is asked again.
      if (why.code === 'context_window_exceeded' && this.#conversation.makeSpace(this.#turn, false))
        return this.#ask(toolChoice);
      return endAfterFailure(why, streamed || this.#text);
    }
  }

  /** `known` are results that calls had before their run was parked, or came meanwhile. */
  async #runTools(
    calls: readonly ToolUseBlock[],
    known: readonly ToolResultBlock[] = [],
  ): Promise<RunEnd | null> {
    const results = await this.#resultsOf(calls, { signal: this.#signal, known });
    return this.#hooks.failedEnd(this.#text) ?? this.#afterTools(calls, results);
  }

  async #resultsOf(
    calls: readonly ToolUseBlock[],
    { signal, known }: { readonly signal: AbortSignal; readonly known: readonly ToolResultBlock[] },
  ): Promise<readonly ToolResultBlock[]> {
    const { runId } = this.#request;
    const results = await this.runner.run(this.#turn, calls, { signal, runId }, known);
    this.#conversation.answer(this.#turn, results);
    return results;
  }

  #afterTools(calls: readonly ToolUseBlock[], results: readonly ToolResultBlock[]): RunEnd | null {
    const turn = { calls, results, text: this.#text };
    const { progress, end } = afterTools(this.#args.spec, this.#progress, turn);
    this.#progress = progress;
    // Work that finished is kept: a run that reached its goal has done so, interrupted or not (S9).
    if (end !== null) return end;
    return this.#isInterrupted ? this.#interrupted() : null;
  }

  #afterText(end: RunEnd): RunEnd | null {
    const { progress, next } = afterText(this.#args.spec, this.#progress, end);
    this.#progress = progress;
    if (next.type === 'finish') return next.end;
    this.#conversation.say(this.#turn, next.text);
    return null;
  }

  /** Asks once for the answer to a reply of thoughts alone, where a turn is left. */
  #askAnswer(end: RunEnd): RunEnd | null {
    const next = this.#afterText(end);
    const isLast = this.#turn >= this.#args.spec.maxTurns;
    return next === end && !isLast && this.#conversation.askAnswer(this.#turn) ? null : next;
  }

  #goesOn(end: RunEnd): boolean {
    const { hasSteers } = this.#steering;
    const { maxTurns } = this.#args.spec;
    const isInterrupted = this.#isInterrupted;
    return goesOn({ end, hasSteers, turn: this.#turn, maxTurns, isInterrupted });
  }

  async #waitWhilePaused(): Promise<void> {
    this.#publish({ type: 'paused' });
    await this.#steering.released(this.#signal);
    this.#publish({ type: 'went_on' });
  }

  /** Published at once: an emitted value survives the loss of its thread (S9). */
  #emitted(name: string, value: string): void {
    const { emitted } = this.#progress;
    if (!emitted.includes(name))
      this.#progress = { ...this.#progress, emitted: [...emitted, name] };
    this.#publish({ type: 'emitted', name, value });
    this.#self.flush();
  }

  /** A tool in a busy loop sees the shared flag before the message that aborts the signal can arrive (S2). */
  get #isInterrupted(): boolean {
    return this.#signal.aborted || this.#self.interrupted();
  }

  #interrupted(streamed = ''): RunEnd {
    const why = this.#signal.aborted
      ? toFailure(this.#signal.reason, 'interrupted')
      : failure('interrupted', 'the run was interrupted');
    return endAfterFailure(why, streamed || this.#text);
  }

  #publish(event: RunEvent): void {
    this.#self.publish(event);
  }
}
