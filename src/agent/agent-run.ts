// Owns one run in its thread: the loop of turns, the conversation it grows, what it owes. Decisions are in turn.ts and owed.ts.
import type { Self } from '../actor/behavior.ts';
import { type Failure, failure, toFailure } from '../errors.ts';
import type { Message, ToolResultBlock, ToolUseBlock } from '../models/model.ts';
import { answersOf } from './failed-turn.ts';
import { HookRunner } from './hook-runner.ts';
import type { AgentKit } from './kit.ts';
import { repair, runEndedFirst } from './memory.ts';
import type { AgentArgs, AgentNote, RunEnd, RunRequest } from './notes.ts';
import { afterText, afterTools, noProgress, type RunProgress } from './owed.ts';
import { noOpening, openConversation } from './prompt/opening.ts';
import { remembered } from './remembering.ts';
import { runTools } from './run-tools.ts';
import type { AgentSurroundings, ModelAnswer } from './surroundings.ts';
import { ToolRunner } from './tool-runner.ts';
import {
  endAfterFailure,
  isBlank,
  outOfTurns,
  stepAfter,
  summaryWish,
  textOf,
  toolCallsOf,
  withoutSummary,
} from './turn.ts';

export type AgentRunOptions = {
  readonly args: AgentArgs;
  readonly kit: AgentKit;
  /** What was said before this run. */
  readonly memory: readonly Message[];
  readonly request: RunRequest;
  readonly around: AgentSurroundings;
  readonly self: Self;
};

export class AgentRun {
  readonly #args: AgentArgs;
  readonly #self: Self;
  readonly #around: AgentSurroundings;
  readonly #request: RunRequest;
  readonly #signal: AbortSignal;
  readonly runner: ToolRunner;
  readonly #hooks: HookRunner;
  #progress: RunProgress;
  #messages: readonly Message[];
  readonly #begins: number;
  #turn = 0;
  #text = '';

  constructor({ args, kit, memory, request, around, self }: AgentRunOptions) {
    this.#args = args;
    this.#around = around;
    this.#self = self;
    this.#request = request;
    this.#signal = self.signal;
    const { resume } = args;
    // A parked run left its own prompt in the record it continues from.
    const isResumed = resume?.runId === request.runId;
    if (isResumed) {
      this.#messages = memory;
      this.#begins = resume.begins;
    } else {
      const opening = args.plan.opening ?? noOpening;
      const opened = openConversation(opening, memory, request.messages);
      this.#messages = opened.messages;
      this.#begins = opened.begins;
    }
    this.#progress = isResumed ? resume.progress : noProgress;
    const tools = runTools(kit.tools, args.plan, (name, value) => this.#emitted(name, value));
    this.#hooks = new HookRunner({ args, runId: request.runId, kit, around, self });
    this.runner = new ToolRunner(args, around, { self, tools, hooks: this.#hooks });
  }

  get turn(): number {
    return this.#turn;
  }

  /** How far it is with what it owes. */
  get progress(): RunProgress {
    return this.#progress;
  }

  /** What the next run remembers. */
  get memory(): readonly Message[] {
    return remembered(this.#args.plan, repair(this.#messages, runEndedFirst), this.#begins);
  }

  async toEnd(): Promise<RunEnd> {
    const { resume } = this.#args;
    const isResumed = resume?.runId === this.#request.runId;
    const end = isResumed
      ? await this.#resumed(resume)
      : await this.#hooks.beforeRun(this.#messages);
    return this.#hooks.afterRun(end ?? (await this.#takeTurns()));
  }

  async #takeTurns(): Promise<RunEnd> {
    const { maxTurns } = this.#args.plan;
    for (;;) {
      if (this.#isInterrupted) return this.#interrupted();
      if (this.#turn >= maxTurns) return this.#outOfTurns();
      this.#turn += 1;
      const end = await this.#oneTurn();
      if (end !== null) return end;
    }
  }

  /** The end of a run that used its turns up, after a closing message where one is wanted (D18). */
  async #outOfTurns(): Promise<RunEnd> {
    const { maxTurns, summaryTurn } = this.#args.plan;
    const end = outOfTurns(maxTurns, this.#text);
    if (summaryTurn !== true) return end;
    this.#turn += 1;
    this.#say(summaryWish);
    this.#note({ type: 'turn_started', turn: this.#turn });
    const answer = await this.#ask();
    if (!('exitReason' in answer)) return { ...end, text: textOf(answer.content) || end.text };
    return this.#isInterrupted ? answer : withoutSummary(end, answer);
  }

  async #resumed(resume: NonNullable<AgentArgs['resume']>): Promise<RunEnd | null> {
    const { turn, interrupted: error } = resume;
    this.#turn = turn;
    const calls = lastCalls(this.#messages);
    const results =
      error === undefined
        ? await this.#hooks.afterParking(turn, calls, resume.results)
        : resume.results;
    this.#commitResults(results);
    if (error !== undefined) return { exitReason: 'interrupted', text: this.#text, error };
    return this.#hooks.failedEnd(this.#text) ?? this.#afterTools(calls, results);
  }

  /** One turn; null when another follows. */
  async #oneTurn(): Promise<RunEnd | null> {
    this.#note({ type: 'turn_started', turn: this.#turn });
    const answer = await this.#ask();
    if ('exitReason' in answer) return answer;
    const step = stepAfter(answer);
    switch (step.type) {
      case 'finish':
        return this.#afterText(step.end);
      case 'ask_again':
        return null;
      case 'run_tools':
        // Its time was over while the model answered: the calls of a late answer are not run (B23).
        return this.#isInterrupted ? this.#interrupted() : this.#runTools(step.calls);
    }
  }

  /** The model's answer to the conversation, committed; or how the run ends without one. */
  async #ask(): Promise<ModelAnswer | RunEnd> {
    const { maxOutputTokens } = this.#args.plan;
    const turn = this.#turn;
    let streamed = '';
    try {
      const answer = await this.#around.model.request(
        {
          turn,
          messages: await this.#hooks.beforeTurn(turn, this.#messages),
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
      const message = { role: 'assistant', content } as const;
      if (!isBlank(content)) this.#messages = [...this.#messages, message];
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
      await this.#hooks.afterTurn({ turn, message, usage, stopReason });
      return answer;
    } catch (error) {
      const why: Failure = this.#signal.aborted
        ? toFailure(this.#signal.reason, 'interrupted')
        : toFailure(error, 'model_failed');
      return endAfterFailure(why, streamed || this.#text);
    }
  }

  async #runTools(calls: readonly ToolUseBlock[]): Promise<RunEnd | null> {
    const { runId } = this.#request;
    const results = await this.runner.run(this.#turn, calls, { signal: this.#signal, runId });
    this.#commitResults(results);
    return this.#hooks.failedEnd(this.#text) ?? this.#afterTools(calls, results);
  }

  #afterTools(calls: readonly ToolUseBlock[], results: readonly ToolResultBlock[]): RunEnd | null {
    const turn = { calls, results, text: this.#text };
    const { progress, end } = afterTools(this.#args.plan, this.#progress, turn);
    this.#progress = progress;
    // Work that finished is kept: a run that reached its goal has done so, interrupted or not (S9).
    if (end !== null) return end;
    return this.#isInterrupted ? this.#interrupted() : null;
  }

  #afterText(end: RunEnd): RunEnd | null {
    const { progress, next } = afterText(this.#args.plan, this.#progress, end);
    this.#progress = progress;
    if (next.type === 'finish') return next.end;
    this.#say(next.text);
    return null;
  }

  #commitResults(results: readonly ToolResultBlock[]): void {
    if (lastCalls(this.#messages).length === 0) return;
    const message = answersOf(results, this.#args.plan.allFailedText);
    this.#messages = [...this.#messages, message];
    this.#note({ type: 'tool_results', turn: this.#turn, message });
  }

  /** A word of the loop itself to the model. */
  #say(text: string): void {
    const message: Message = { role: 'user', content: [{ type: 'text', text }] };
    this.#messages = [...this.#messages, message];
    this.#note({ type: 'prompted', turn: this.#turn, message });
  }

  /** Said at once: a value outlives the thread it was made in (S9). */
  #emitted(name: string, value: string): void {
    const { emitted } = this.#progress;
    if (!emitted.includes(name))
      this.#progress = { ...this.#progress, emitted: [...emitted, name] };
    this.#note({ type: 'emitted', name, value });
    this.#self.flush();
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

function lastCalls(messages: readonly Message[]): readonly ToolUseBlock[] {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? toolCallsOf(last.content) : [];
}
