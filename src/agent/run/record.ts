// Owns the running copy of one run on the supervisor's side: what is there when the thread is not (decision 2).
// Its conversation and its state are those of the last commit; the rest is what only the supervisor counts.
import {
  addUsage,
  noUsage,
  type PartialResult,
  type RunPhase,
  type ToolTrace,
  type Usage,
} from '../../base/outcome.ts';
import type { Message, TokenCounts, ToolUseBlock } from '../../protocol/history.ts';
import type { RunEnd } from '../../protocol/run-end.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { Digest, SavedCall, SavedRun } from '../../protocol/saved-run.ts';
import { TouchedFiles } from '../../tools/touched-files.ts';
import type { Conversation } from '../compaction.ts';
import { openCallsOf } from '../history-repair.ts';
import { textOf } from '../turn.ts';
import { afterCommit, type Commit } from './conversation.ts';
import { digestOf, emptyDigest } from './digest.ts';
import { textOfRun } from './saved-run.ts';
import { type OpenCall, TracedCalls } from './traced-calls.ts';

/** Folds an agent's run events. Bounded by the run itself: deltas are kept only until their response is committed. */
export class RunRecord {
  readonly files = new TouchedFiles();
  /** Folded from the events: a thread is not believed about what the supervisor knows. */
  #conversation: Conversation;
  #digest: Digest = emptyDigest;
  #saved: SavedRun;
  #isParked = false;
  #known = 0;
  #isAsked = false;
  #streamed = '';
  /** The call that it is of; null once the same is asked by the supervisor, which numbers calls for itself. */
  #streamedCall: number | null = null;
  #isAnswering = false;
  #lastText = '';
  #turns = 0;
  #usage: Usage = noUsage;
  #lastSpent: Usage = noUsage;
  #model: string | null = null;
  readonly #calls = new TracedCalls();
  #phase: RunPhase = 'starting';
  #phaseAt = 0;
  #end: RunEnd | null = null;
  #emitted: Map<string, string> | null = null;

  constructor(messages: readonly Message[], begins = 0) {
    this.#conversation = { messages, begins };
    this.#saved = { turn: 0, step: { type: 'new' } };
  }

  get messages(): readonly Message[] {
    return this.#conversation.messages;
  }

  /** Where the run's own messages begin among those it was opened with. */
  get begins(): number {
    return this.#conversation.begins;
  }
  /** Of its own messages. */
  get digest(): Digest {
    this.#digest = digestOf(this.#conversation, this.#digest);
    return this.#digest;
  }
  /** Its state at its last commit. */
  get saved(): SavedRun {
    return this.#saved;
  }
  /** Its state is what it left when it gave its thread up: it has committed nothing since. */
  get isParked(): boolean {
    return this.#isParked;
  }

  /** How many messages of its conversation its model's gateway has. */
  get known(): number {
    return this.#known;
  }
  /** Its model has been asked by the thread that it left, and has not answered there. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** The supervisor asks its model with the conversation as it is. */
  asked(): void {
    this.#streamedCall = null;
    this.#known = this.#conversation.messages.length;
    this.#isAsked = true;
  }

  /** The text of the answer that is arriving. */
  get streamed(): string {
    return this.#streamed;
  }

  /** The tool that last ran in its thread; null before any did. */
  get lastThreadTool(): string | null {
    return this.#calls.lastInThread;
  }

  /** The calls of its turn as its thread left them; none of a run that is not parked. */
  get parkedCalls(): readonly SavedCall[] {
    const { step } = this.#saved;
    return this.#isParked && step?.type === 'in_tools' ? step.calls : [];
  }

  /** How long a call took; undefined for one that is open, or never began. */
  durationOf(callId: string): number | undefined {
    return this.#calls.durationOf(callId);
  }

  get turns(): number {
    return this.#turns;
  }
  get usage(): Usage {
    return this.#usage;
  }

  /** The tokens of the last call that was counted. */
  get lastTokens(): TokenCounts {
    const { modelCalls: _, costUsd: _costUsd, ...tokens } = this.#lastSpent;
    return tokens;
  }

  /** The model that answered last; null before the first response. */
  get model(): string | null {
    return this.#model;
  }

  get toolCalls(): number {
    return this.#calls.all.length;
  }

  /** The last ones, for the outcome. */
  get lastCalls(): readonly ToolTrace[] {
    return this.#calls.last;
  }

  get filesTouched(): readonly string[] {
    return this.files.paths;
  }

  /** Variables that were emitted so far, the last value of each (B22, S9). */
  get emitted(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#emitted ?? []);
  }

  get phase(): RunPhase {
    return this.#phase;
  }
  /** When the phase began, in milliseconds of the supervisor's clock. */
  get phaseAt(): number {
    return this.#phaseAt;
  }
  /** How the run ended; null until its thread has reported that. */
  get end(): RunEnd | null {
    return this.#end;
  }

  get openCalls(): ReadonlyMap<string, OpenCall> {
    return this.#calls.open;
  }
  /** The tool that runs now, for people. */
  get currentTool(): string | null {
    return this.#calls.current;
  }

  /** The text of the last response, which may be empty. */
  get lastText(): string {
    return this.#lastText;
  }

  get text(): string {
    return this.#streamed || textOfRun(this.#saved, this.#conversation, this.digest);
  }

  partial(phase: RunPhase = this.#phase): PartialResult {
    const partial = { text: this.text, toolTrace: [...this.#calls.all], turns: this.#turns, phase };
    return this.#emitted === null ? partial : { ...partial, emitted: this.emitted };
  }

  /** The answer of the model that it waits for has begun to arrive. */
  get isAnswering(): boolean {
    return this.#isAnswering && this.#phase === 'waiting_for_model';
  }

  /** What earlier runs of the same task took counts as its own. */
  carry(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
  }

  /** Adds the usage of model calls; hooks receive the last usage added. */
  spend(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#lastSpent = usage;
  }

  /** Folds one more run event; `now` is when it arrived, in milliseconds of the supervisor's clock. */
  apply(event: RunEvent, now?: number): void {
    const before = this.#phase;
    this.#fold(event, now);
    if (this.#phase !== before || event.type === 'turn_started')
      this.#phaseAt = now ?? this.#phaseAt;
  }

  #fold(event: RunEvent, now: number | undefined): void {
    switch (event.type) {
      case 'turn_started':
        this.#turns = event.turn;
        this.#phase = 'waiting_for_model';
        this.#isAnswering = false;
        break;
      case 'model_delta':
        this.#isAnswering = true;
        // The same was asked once more: its answer begins anew.
        if (event.callId !== this.#streamedCall) this.#streamed = '';
        this.#streamedCall = event.callId;
        if (event.delta.type === 'text') this.#streamed += event.delta.text;
        break;
      case 'model_response':
        this.#commit(event);
        this.#streamed = '';
        if (event.message.role === 'assistant') this.#lastText = textOf(event.message.content);
        this.#model = event.model;
        this.#phase = 'between_turns';
        break;
      case 'tool_started':
        this.#calls.begin(event, now);
        this.#phase = 'in_tool';
        break;
      case 'model_broke_off':
        this.#isAnswering = false;
        break;
      case 'tool_progress':
        break;
      case 'tool_completed':
        this.#calls.complete(event, { turn: this.#turns, now });
        if (this.openCalls.size === 0) this.#phase = 'between_turns';
        break;
      case 'touched':
        this.files.add(event.path);
        break;
      case 'tool_results':
        this.#commit(event);
        this.#phase = 'between_turns';
        break;
      case 'prompted':
      case 'steered':
        this.#commit(event);
        break;
      case 'paused':
        this.#phase = 'paused';
        break;
      case 'went_on':
        this.#phase = 'between_turns';
        break;
      case 'shortened':
        this.#commit(event);
        this.#known = 0;
        this.#digest = emptyDigest;
        break;
      case 'emitted':
        this.#emitted ??= new Map();
        this.#emitted.set(event.name, event.value);
        break;
      case 'run_parked':
        this.#saved = event.state;
        this.#isParked = true;
        this.#known = event.known;
        this.#isAsked = event.isAsked;
        break;
      case 'park_refused':
      case 'hook_failed':
        break;
      case 'run_ended':
        this.#end = this.#withStreamed(event.end);
        break;
    }
  }

  /** The thread of a run whose gateway was lost does not know what had arrived. */
  #withStreamed(end: RunEnd): RunEnd {
    const isBroken = end.error !== undefined && this.#streamed !== '';
    return isBroken ? { ...end, text: this.#streamed } : end;
  }

  /** The calls of the last response, while they wait for their results. */
  get callsOfTurn(): readonly ToolUseBlock[] {
    return openCallsOf(this.messages);
  }

  #commit(event: Commit & { readonly state: SavedRun }): void {
    this.#conversation = afterCommit(this.#conversation, event);
    this.#saved = event.state;
    this.#isParked = false;
  }
}
