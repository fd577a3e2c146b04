// Owns the printing of one reply while its run goes on: pieces as they stream, each message whole at its end (D15).
import type { TroupeEvent } from '../../../events/event-types.ts';
import type { Message } from '../../../protocol/history.ts';
import { type ContentBlock, contentOf, createMsg, type Msg, type MsgOptions } from '../base/msg.ts';
import type { TaskRunner } from './runner.ts';

type Print = (message: Msg, isLast: boolean) => Promise<void>;

export type ReplyPrinterOptions = {
  readonly runner: TaskRunner;
  /** The name of the speaker, and its clock. */
  readonly speaker: Pick<MsgOptions, 'name' | 'clock'>;
  readonly print: Print;
  /** Called when the run has committed something, after its printing has begun. */
  readonly onCommitted: (transcript: readonly Message[]) => void;
};

type Growing = { readonly first: Msg; readonly thinking: string; readonly text: string };

/** Prints one after another; what a print throws is kept for `done`. */
export class ReplyPrinter {
  readonly #options: ReplyPrinterOptions;
  readonly #stops: readonly (() => void)[];
  #taskId: string | null = null;
  #growing: Growing | null = null;
  #isStreaming = false;
  #committed: Message | undefined;
  #last: Promise<void> = Promise.resolve();
  #printed: Msg[] = [];

  constructor(options: ReplyPrinterOptions) {
    this.#options = options;
    const { runner } = options;
    this.#stops = [
      runner.on('turn_started', (event) => this.#of(event, () => this.#begin())),
      runner.on('model_delta', (event) => this.#of(event, () => this.#grow(event))),
      runner.on('turn_committed', (event) => this.#of(event, () => this.#commit(event))),
    ];
  }

  /** Begins to follow a task; call it right after the start, so that no event of the task is missed. */
  follow(taskId: string): void {
    this.#taskId = taskId;
  }

  /** The messages of the model that were printed whole since the last call, in order. */
  takePrinted(): readonly Msg[] {
    return this.#printed.splice(0);
  }

  /** Prints a message of its own, after what is being printed. */
  say(message: Msg): void {
    this.#print(message, true);
  }

  /** Stops listening; rejects with what the first failed print threw. */
  async done(): Promise<void> {
    for (const stop of this.#stops) stop();
    // What streamed and was never committed ends here, so that nothing is kept of it.
    if (this.#growing !== null) this.#print(this.#grown(this.#growing), true);
    this.#growing = null;
    await this.#last;
  }

  #of(event: Pick<TroupeEvent, 'taskId'>, act: () => void): void {
    if (this.#taskId !== null && event.taskId === this.#taskId) act();
  }

  #begin(): void {
    this.#isStreaming = true;
  }

  #grow({ kind, text }: TroupeEvent<'model_delta'>): void {
    if (!this.#isStreaming) return;
    const { name, clock } = this.#options.speaker;
    const now = this.#growing ?? {
      first: createMsg({ name, role: 'assistant', content: '', ...(clock ? { clock } : {}) }),
      thinking: '',
      text: '',
    };
    this.#growing = { ...now, [kind]: now[kind] + text };
    this.#print(this.#grown(this.#growing), false);
  }

  #commit({ part, taskId }: TroupeEvent<'turn_committed'>): void {
    const transcript = this.#options.runner.transcript(taskId ?? '');
    this.#take(part, transcript.at(-1));
    this.#options.onCommitted(transcript);
  }

  #take(part: TroupeEvent<'turn_committed'>['part'], message: Message | undefined): void {
    // A blank response is not kept: the last message is one that was printed before.
    if (message === this.#committed) return;
    this.#committed = message;
    if (part === 'tool_results') {
      if (message?.role === 'user') this.#print(this.#msgOf(message), true);
      return;
    }
    this.#isStreaming = false;
    if (message?.role !== 'assistant') return;
    const made = this.#msgOf(message);
    const whole = { ...made, id: this.#growing?.first.id ?? made.id };
    this.#growing = null;
    this.#printed.push(whole);
    this.#print(whole, true);
  }

  #msgOf({ role, content }: Message): Msg {
    const { name, clock } = this.#options.speaker;
    return createMsg({
      name: role === 'assistant' ? name : 'system',
      role: role === 'assistant' ? 'assistant' : 'system',
      content: contentOf(content),
      ...(clock ? { clock } : {}),
    });
  }

  #grown({ first, thinking, text }: Growing): Msg {
    const content: ContentBlock[] = [];
    if (thinking !== '') content.push({ type: 'thinking', thinking, signature: '' });
    if (text !== '') content.push({ type: 'text', text });
    return { ...first, content: contentOf(content) };
  }

  #print(message: Msg, isLast: boolean): void {
    this.#last = this.#last.then(() => this.#options.print(message, isLast));
    // `done` rejects with this error; until then nothing awaits it.
    this.#last.catch(() => {});
  }
}
