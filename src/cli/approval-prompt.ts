// Owns the question in the live view: the calls that wait for approval, one shown at a time, and the keys that answer it.
// Does not draw: the live view shows its lines below the tree.
import { whenAborted } from '../base/when-aborted.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../index.ts';
import type { Asking } from './approvals.ts';
import type { FrameSize } from './live-frame.ts';
import type { Paint } from './paint.ts';
import { clip, clipStart, oneLine, widthOf } from './text.ts';

/** What is read of standard input. */
export type KeyInput = Pick<
  NodeJS.ReadStream,
  'isTTY' | 'isRaw' | 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'
>;

export type PromptOptions = {
  readonly input: KeyInput;
  /** What the task of an agent is called on the screen; null for one that has no name. */
  labelOf(taskId: string): string | null;
  /** In raw mode Ctrl-C is a key. */
  onInterrupt(): void;
};

type Question = {
  readonly request: ApprovalRequest;
  readonly settle: (answer: ApprovalAnswer) => void;
};

const answers: Readonly<Record<string, ApprovalAnswer>> = {
  y: { allow: 'once' },
  r: { allow: 'run' },
  a: { allow: 'always' },
  n: 'deny',
};
/** What the keys mean; the first that fits is shown. */
const keys = ['y once  r this run  a always  n deny', 'y once r run a always n no', 'y r a n (no)'];
/** With less of it an agent is not told from another. */
const leastWho = 8;
const ctrlC = '\u0003';
const maxInputLines = 5;

export class ApprovalPrompt implements Asking {
  readonly #options: PromptOptions;
  readonly #waiting = new Set<Question>();
  /** The question on the screen: a key that was pressed before it was there answers nothing. */
  #shown: Question | null = null;
  /** Whether the terminal was raw before; null while no key is awaited. */
  #wasRaw: boolean | null = null;

  constructor(options: PromptOptions) {
    this.#options = options;
  }

  ask(request: ApprovalRequest): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      const { signal } = request;
      const question: Question = {
        request,
        settle: (answer) => {
          stop();
          this.#waiting.delete(question);
          if (this.#shown === question) this.#shown = null;
          if (this.#waiting.size === 0) this.release();
          resolve(answer);
        },
      };
      this.#waiting.add(question);
      const stop = whenAborted(signal, () => question.settle('deny'));
      if (signal.aborted) question.settle('deny');
      else this.#listen();
    });
  }

  /** The question to show now; none while no call waits. */
  lines({ columns, rows }: FrameSize, paint: Paint): readonly string[] {
    const [question] = this.#waiting;
    this.#shown = question ?? null;
    if (question === undefined) return [];
    const width = Math.max(20, columns - 1);
    const { agent, tool, input, taskId } = question.request;
    const label = this.#options.labelOf(taskId);
    const who = label === null ? agent.path : `${agent.path} (${label})`;
    const others = this.#waiting.size - 1;
    const more = others > 0 ? `  (${others} more to ask)` : '';
    const meanings = keys.find((each) => widthOf(each) <= width - 2) ?? '';
    const maxLines = Math.max(1, Math.min(maxInputLines, Math.floor(rows / 2) - 2));
    return [
      paint('yellow', titleOf(oneLine(who), oneLine(tool), width)),
      ...inputLines(input, width, maxLines),
      paint('bold', `  ${clip(`${meanings}${more}`, width - 2)}`),
    ];
  }

  /** Gives the terminal back as it was; a question that is open stays so. Idempotent. */
  release(): void {
    if (this.#wasRaw === null) return;
    const { input } = this.#options;
    input.off('data', this.#onData);
    input.setRawMode(this.#wasRaw);
    input.pause();
    this.#wasRaw = null;
  }

  #listen(): void {
    if (this.#wasRaw !== null) return;
    const { input } = this.#options;
    this.#wasRaw = input.isRaw;
    input.setRawMode(true);
    input.on('data', this.#onData);
    input.resume();
  }

  readonly #onData = (data: Buffer | string): void => {
    const text = String(data);
    if (text.includes(ctrlC)) {
      this.#options.onInterrupt();
      return;
    }
    // A key that sends more, such as an arrow, and what is pasted answers nothing.
    const answer = Object.hasOwn(answers, text) ? answers[text] : undefined;
    if (answer !== undefined) this.#shown?.settle(answer);
  };
}

/** What is to run is shown whole rather than who asks. */
function titleOf(who: string, tool: string, width: number): string {
  const end = ` wants to run ${tool}`;
  const room = width - widthOf(`? ${end}`);
  return room < leastWho ? clip(`? ${tool}`, width) : `? ${clipStart(who, room)}${end}`;
}

/** The arguments as JSON, in a few lines; what is left out is said. */
function inputLines(input: unknown, width: number, maxLines: number): readonly string[] {
  const text = visible(JSON.stringify(input) ?? 'nothing');
  const space = width - 2;
  // A wide sign may leave a column of its line free.
  const shown = clip(text, (space - 2) * maxLines);
  const lines: string[] = [];
  for (let rest = shown; rest !== '' && lines.length < maxLines; ) {
    const line = lineOf(rest, space);
    lines.push(`  ${line}`);
    rest = rest.slice(line.length);
  }
  return lines;
}

/** The beginning of a text, as long as fits. */
function lineOf(text: string, space: number): string {
  const clipped = clip(text, space);
  return clipped === text ? text : clipped.slice(0, -1) || text.slice(0, 1);
}

/** Signs that change the order of what is shown could make it look like another call. */
function visible(text: string): string {
  const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
  return text.replace(hidden, (sign) => `\\u${sign.codePointAt(0)?.toString(16).padStart(4, '0')}`);
}
