// Owns the conversation of one run in its thread. Publishes every change, which keeps the supervisor's copy equal.
import type { AgentArgs, RunRequest } from '../protocol/agent-args.ts';
import {
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
  toolCallsOf,
} from '../protocol/history.ts';
import type { Steer } from '../protocol/run-controls.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import { shorten, shortened } from './compaction.ts';
import { repair, runEndedFirst } from './history-repair.ts';
import { remembered } from './memory-window.ts';
import { noPreamble, openConversation } from './prompt/preamble.ts';
import { answersOf } from './tool-result-message.ts';
import { answerPrompt, isBlank } from './turn.ts';

export type ConversationOptions = {
  readonly args: AgentArgs;
  /** The conversation before the run; of a parked run, its own conversation too. */
  readonly memory: readonly Message[];
  readonly request: RunRequest;
  readonly publish: (event: RunEvent) => void;
};

type Response = Omit<Extract<RunEvent, { type: 'model_response' }>, 'type'>;

export class Conversation {
  readonly #spec: AgentArgs['spec'];
  readonly #publish: (event: RunEvent) => void;
  #messages: readonly Message[];
  #begins: number;
  #isShortened: boolean;

  constructor({ args, memory, request, publish }: ConversationOptions) {
    const { spec, resume } = args;
    this.#spec = spec;
    this.#publish = publish;
    // A parked run left its own prompt in the record it continues from.
    if (resume?.runId === request.runId) {
      this.#messages = memory;
      this.#begins = resume.begins;
      this.#isShortened = resume.isShortened;
      return;
    }
    const opened = openConversation(spec.opening ?? noPreamble, memory, request.messages);
    this.#messages = opened.messages;
    this.#begins = opened.begins;
    this.#isShortened = false;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** What the next run remembers. */
  get memory(): readonly Message[] {
    return remembered(this.#spec, repair(this.#messages, runEndedFirst), this.#begins);
  }

  /** The calls of the last response, while they wait for their results. */
  get openCalls(): readonly ToolUseBlock[] {
    const last = this.#messages.at(-1);
    return last?.role === 'assistant' ? toolCallsOf(last.content) : [];
  }

  /** The model has answered. */
  respond(response: Response): void {
    const { message } = response;
    if (message.role === 'assistant' && !isBlank(message.content)) this.#add(message);
    this.#publish({ type: 'model_response', ...response });
  }

  /** Adds the results of the open calls; does nothing when no call is open. */
  answer(turn: number, results: readonly ToolResultBlock[]): void {
    if (this.openCalls.length === 0) return;
    const message = answersOf(results, this.#spec.allFailedText);
    this.#add(message);
    this.#publish({ type: 'tool_results', turn, message });
  }

  /** Adds a user message of the loop itself. */
  say(turn: number, text: string): void {
    const message = userMessage(text);
    this.#add(message);
    this.#publish({ type: 'prompted', turn, message });
  }

  /** Asks for the answer to a reply of thoughts alone; false when that was just asked. */
  askAnswer(turn: number): boolean {
    const [last] = this.#messages.at(-1)?.content ?? [];
    if (last?.type === 'text' && last.text === answerPrompt) return false;
    this.say(turn, answerPrompt);
    return true;
  }

  /** Adds a steering message and confirms it by its id (M2). */
  take(turn: number, { id, text }: Steer): void {
    const message = userMessage(text);
    this.#add(message);
    this.#publish({ type: 'steered', turn, id, message });
  }

  /** Shortens it when the model's window is full, once in a run; false when that is no help any more. */
  makeSpace(turn: number, isCut: boolean): boolean {
    if (this.#isShortened) return false;
    const whole = { messages: this.#messages, begins: this.#begins };
    const shortening = shorten(whole, { opening: this.#spec.opening, isCut });
    if (shortening === null) return false;
    this.#isShortened = true;
    ({ messages: this.#messages, begins: this.#begins } = shortened(whole, shortening));
    this.#publish({ type: 'shortened', turn, shortening });
    return true;
  }

  #add(message: Message): void {
    this.#messages = [...this.#messages, message];
  }
}

function userMessage(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}
