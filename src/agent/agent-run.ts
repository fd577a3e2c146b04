// Owns one run in its thread: the loop of turns, the conversation it grows, what it owes. Decisions are in turn.ts and owed.ts.
import type { Self } from '../actor/behavior.ts';
import { type Failure, failure, toFailure } from '../errors.ts';
import type { Message, ToolResultBlock, ToolUseBlock } from '../models/model.ts';
import { answersOf } from './failed-turn.ts';
import type { AgentKit } from './kit.ts';
import { repair, runEndedFirst } from './memory.ts';
import type { AgentArgs, AgentNote, RunEnd, RunRequest } from './notes.ts';
import { afterText, afterTools, noProgress, type RunProgress } from './owed.ts';
import { noOpening, openConversation } from './prompt/opening.ts';
import { remembered } from './remembering.ts';
import { runTools } from './run-tools.ts';
import { shorten, shortened } from './shorten.ts';
import { goesOn, type Steering } from './steering.ts';
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
  /** What reaches it from outside. */
  readonly steering: Steering;
};

export class AgentRun {
  readonly #args: AgentArgs;
  readonly #self: Self;
  readonly #around: AgentSurroundings;
  readonly #request: RunRequest;
  readonly #signal: AbortSignal;
  readonly #steering: Steering;
  readonly runner: ToolRunner;
  #progress: RunProgress;
  #messages: readonly Message[];
  #begins: number;
  #isShortened: boolean;
  #turn = 0;
  #text = '';

  constructor({ args, kit, memory, request, around, self, steering }: AgentRunOptions) {
    this.#steering = steering;
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
    this.#isShortened = isResumed && resume.isShortened;
    this.#progress = isResumed ? resume.progress : noProgress;
    const tools = runTools(kit, args.plan, (name, value) => this.#emitted(name, value));
    this.runner = new ToolRunner(args, around, { self, tools });
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
    const { resume, plan } = this.#args;
    const { maxTurns } = plan;
    if (resume !== undefined && resume.runId === this.#request.runId) {
      const end = this.#resumed(resume);
      if (end !== null && !this.#goesOn(end)) return end;
    }
    for (;;) {
      if (this.#steering.isHeld) await this.#hold();
      if (this.#isInterrupted) return this.#interrupted();
      if (this.#turn >= maxTurns) return this.#outOfTurns();
      this.#turn += 1;
      this.#takeSteers();
      const end = await this.#oneTurn();
      if (end !== null && !this.#goesOn(end)) return end;
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

  #resumed(resume: NonNullable<AgentArgs['resume']>): RunEnd | null {
    this.#turn = resume.turn;
    const calls = lastCalls(this.#messages);
    this.#commitResults(resume.results);
    const { interrupted: error, results } = resume;
    if (error !== undefined) return { exitReason: 'interrupted', text: this.#text, error };
    return this.#afterTools(calls, results);
  }

  /** One turn; null when another follows. */
  async #oneTurn(): Promise<RunEnd | null> {
    this.#note({ type: 'turn_started', turn: this.#turn });
    const answer = await this.#ask();
    if ('exitReason' in answer) return answer;
    const step = stepAfter(answer);
    switch (step.type) {
      case 'finish': {
        const isFull = step.end.error?.code === 'model_window_exceeded';
        const isLast = this.#turn >= this.#args.plan.maxTurns;
        if (isFull && !isLast && this.#makeRoom(!isBlank(answer.content))) return null;
        return this.#afterText(step.end);
      }
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
      return answer;
    } catch (error) {
      const why: Failure = this.#signal.aborted
        ? toFailure(this.#signal.reason, 'interrupted')
        : toFailure(error, 'model_failed');
      // Nothing was answered: it is the same turn that is asked again.
      if (why.code === 'model_window_exceeded' && this.#makeRoom(false)) return this.#ask();
      return endAfterFailure(why, streamed || this.#text);
    }
  }

  async #runTools(calls: readonly ToolUseBlock[]): Promise<RunEnd | null> {
    const { runId } = this.#request;
    const results = await this.runner.run(this.#turn, calls, { signal: this.#signal, runId });
    this.#commitResults(results);
    return this.#afterTools(calls, results);
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

  /** Shortens the conversation when the model's window is full, once in a run; false when that is no help any more. */
  #makeRoom(isCut: boolean): boolean {
    if (this.#isShortened) return false;
    const conversation = { messages: this.#messages, begins: this.#begins };
    const { opening } = this.#args.plan;
    const shortening = shorten(conversation, { opening, isCut });
    if (shortening === null) return false;
    this.#isShortened = true;
    ({ messages: this.#messages, begins: this.#begins } = shortened(conversation, shortening));
    this.#note({ type: 'shortened', turn: this.#turn, shortening });
    return true;
  }

  /** A word of the loop itself to the model. */
  #say(text: string): void {
    const message: Message = { role: 'user', content: [{ type: 'text', text }] };
    this.#messages = [...this.#messages, message];
    this.#note({ type: 'prompted', turn: this.#turn, message });
  }

  /** What was said to it from outside stands in the conversation before its model is asked (M2). */
  #takeSteers(): void {
    for (const { id, text } of this.#steering.take()) {
      const message: Message = { role: 'user', content: [{ type: 'text', text }] };
      this.#messages = [...this.#messages, message];
      this.#note({ type: 'steered', turn: this.#turn, id, message });
    }
  }

  #goesOn(end: RunEnd): boolean {
    const { hasWords } = this.#steering;
    const { maxTurns } = this.#args.plan;
    const isInterrupted = this.#isInterrupted;
    return goesOn({ end, hasWords, turn: this.#turn, maxTurns, isInterrupted });
  }

  async #hold(): Promise<void> {
    this.#note({ type: 'held' });
    await this.#steering.released(this.#signal);
    this.#note({ type: 'went_on' });
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
