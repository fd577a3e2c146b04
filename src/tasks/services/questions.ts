// Owns questions of agents: who is asked, for how long, what the answer means, clocks paused meanwhile (V8).
// Leaves out the tool (ask-parent.ts) and questions about tools (approvals.ts).
import type { Clock } from '../../base/clock.ts';
import { describe, failure, TroupeError } from '../../base/failures.ts';
import { toFault } from '../../base/stack.ts';
import { openController } from '../../base/when-aborted.ts';
import { abortablePromise } from '../../base/with-abort.ts';
import type { EventBus } from '../../events/events.ts';
import { suspendClocks } from '../run-clocks.ts';
import type { Run } from '../state.ts';
import type { Asked } from './ask-parent.ts';

/** A question of an agent to its parent, or to the program. */
export type Question = {
  /** What `supervisor.answer` takes. */
  readonly questionId: string;
  /** What the agent wants to know. */
  readonly question: string;
  /** Answers it suggests. */
  readonly options?: readonly string[];
  /** The model's id of the call that asks. */
  readonly callId: string;
  /** The agent that asks. */
  readonly agent: { readonly id: string; readonly name: string; readonly path: string };
  /** The path of the agent that waits for it; null below the program itself. */
  readonly parentPath: string | null;
  /** The task that the agent works on. */
  readonly taskId: string;
};

/**
 * Answers in the parent's stead; brought by the program. Undefined leaves the question to `supervisor.answer`. What it
 * throws counts as no answer. `signal` is aborted when the answer is of no use any more.
 */
export type OnQuestion = (
  question: Question,
  call: { readonly signal: AbortSignal },
) => string | undefined | Promise<string | undefined>;

export type QuestionOptions = {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly onQuestion: OnQuestion | undefined;
};

/** How a question ended. */
type End =
  | { readonly type: 'answered'; readonly text: string }
  | { readonly type: 'unanswered'; readonly why: string };

export class Questions {
  readonly #options: QuestionOptions;
  readonly #open = new Map<string, (end: End) => void>();
  #last = 0;

  constructor(options: QuestionOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the text for the model. Rejects `question_unanswered` without an answer and without a default, and
   * with the reason of `signal` when the call was given up.
   */
  async ask(run: Run, asked: Asked, signal: AbortSignal): Promise<string> {
    const { clock, events } = this.#options;
    const { callId, timeoutMs, defaultAnswer, options } = asked;
    signal.throwIfAborted();
    this.#last += 1;
    const questionId = `q${this.#last}`;
    const shown = {
      questionId,
      question: asked.question,
      ...(options === undefined ? {} : { options }),
      callId,
      parentPath: run.parent?.path ?? null,
    };
    const agent = { id: run.id, name: run.spec.name, path: run.path };
    const release = suspendClocks(run, callId);
    const abort = openController();
    const ended = abortablePromise<End>(signal, (resolve) => {
      this.#open.set(questionId, resolve);
      const why = `no answer came within ${timeoutMs} ms`;
      return clock.after(timeoutMs, () => resolve({ type: 'unanswered', why }));
    });
    try {
      events.emit('question_asked', run.subject, shown);
      // A listener of the event may have answered already.
      if (this.#open.has(questionId)) {
        void this.#consult({ ...shown, agent, taskId: run.task.id }, abort.signal);
      }
      const end = await ended;
      return end.type === 'answered' ? end.text : inItsStead(end.why, defaultAnswer);
    } finally {
      this.#open.delete(questionId);
      release();
      abort.abort(failure('aborted', 'the answer is of no use any more'));
    }
  }

  /** Answers an open question. Throws `unknown_question` for one that was never asked or is over, `invalid_options`. */
  answer(questionId: string, text: string): void {
    if (typeof text !== 'string') {
      throw new TroupeError('invalid_options', `answer: text is ${describe(text)}, not a text`);
    }
    if (this.#settle(questionId, { type: 'answered', text })) return;
    const why = `no question ${describe(questionId)} waits for an answer: it was never asked, or it is over`;
    throw new TroupeError('unknown_question', why);
  }

  /** False for a question that is not open. Taken at once: a second answer in the same breath is late already. */
  #settle(questionId: string, end: End): boolean {
    const settle = this.#open.get(questionId);
    this.#open.delete(questionId);
    settle?.(end);
    return settle !== undefined;
  }

  async #consult(question: Question, signal: AbortSignal): Promise<void> {
    const { questionId, agent, taskId } = question;
    try {
      const answer: unknown = await this.#options.onQuestion?.(question, { signal });
      if (answer === undefined) return;
      if (typeof answer === 'string') this.#settle(questionId, { type: 'answered', text: answer });
      else this.#giveUp(questionId, `the answer was ${describe(answer)}, no text`);
    } catch (error) {
      const fault = toFault(error, 'question_unanswered');
      const subject = { agentId: agent.id, path: agent.path, taskId };
      const message = 'a question could not be asked';
      this.#options.events.emit('log', subject, { level: 'error', message, failure: fault });
      this.#giveUp(questionId, `asking failed: ${fault.message}`);
    }
  }

  #giveUp(questionId: string, why: string): void {
    this.#settle(questionId, { type: 'unanswered', why });
  }
}

/** The text for the model instead of an answer: it must not take the default for one. */
function inItsStead(why: string, defaultAnswer: string | undefined): string {
  if (defaultAnswer !== undefined) {
    return `No answer: ${why}. Go on with this default, and say in your result that you did: ${defaultAnswer}`;
  }
  const text = `Your question has no answer: ${why}. Decide yourself, and say in your result what you assumed.`;
  throw new TroupeError('question_unanswered', text);
}
