// Owns how an agent's memory and a run of it keep to each other: what the run commits is remembered at once, and what others add
// to the memory, or take from it, meanwhile goes into the next request.

import { saysShortened } from '../../../agent/compaction.ts';
import { paired } from '../../../agent/history-repair.ts';
import { fromStored } from '../../../agent/prompt/preamble.ts';
import type { Message } from '../../../protocol/history.ts';
import type { Memory } from '../base/memory.ts';
import type { Msg, MsgOptions } from '../base/msg.ts';
import { asRequest, asTask, chatFormatter, type Formatter } from './formatter.ts';
import { goalIndex, remembered } from './history-mapping.ts';
import type { ReplyPrinter } from './reply-printer.ts';

export type RunMemoryOptions = {
  readonly memory: Memory;
  readonly formatter: Formatter;
  readonly speaker: Pick<MsgOptions, 'name' | 'clock'>;
  /** Knows under which ids the run's messages were printed. */
  readonly printer: Pick<ReplyPrinter, 'takePrinted'>;
};

/** What a run's conversation was made of. */
type Opened = ReturnType<typeof asTask> & { readonly messages: readonly Msg[] };

export class RunMemory {
  readonly #options: RunMemoryOptions;
  readonly #opened: Opened;
  /** The memory as it is when only the run has changed it since the run began. */
  #expected: readonly Msg[];
  /** Messages of the run after its goal that are remembered. */
  #followed = 0;
  #isShortened = false;
  #last: Msg | undefined;

  private constructor(options: RunMemoryOptions, opened: Opened) {
    this.#options = options;
    this.#opened = opened;
    this.#expected = opened.messages;
  }

  /** A run about the memory as it is now. Rejects what the formatter throws. */
  static async open(options: RunMemoryOptions): Promise<RunMemory> {
    const messages = options.memory.messages();
    const stored = await options.formatter(messages, { name: options.speaker.name });
    return new RunMemory(options, { ...asTask(stored), messages });
  }

  /** The task that the run is given. */
  get task(): ReturnType<typeof asTask> {
    return this.#opened;
  }

  /** The last message of the run that was remembered. */
  get last(): Msg | undefined {
    return this.#last;
  }

  /** Remembers the messages of the run that are new since the last call. */
  follow(transcript: readonly Message[]): void {
    const { memory, speaker, printer } = this.#options;
    const goalAt = goalIndex(transcript, this.#opened.goal);
    const after = goalAt === -1 ? [] : transcript.slice(goalAt + 1);
    if (!this.#isShortened && after.some(saysShortened)) this.#outgrown(after.length);
    const fresh = after.slice(this.#followed);
    this.#followed = after.length;
    if (fresh.length === 0) return;
    const added = remembered(fresh, { printed: printer.takePrinted(), speaker });
    memory.add(added);
    this.#expected = [...this.#expected, ...added];
    this.#last = added.at(-1);
  }

  /** The run's conversation was shortened, which happens before any further message in it: the memory stays whole. */
  #outgrown(length: number): void {
    this.#isShortened = true;
    this.#followed = length;
    const last = this.#last;
    if (last?.role !== 'assistant') return;
    // An answer that the full window cut off is asked for again.
    this.#options.memory.delete([last.id]);
    this.#expected = this.#expected.filter(({ id }) => id !== last.id);
    this.#last = undefined;
  }

  /**
   * The messages of the run's next request; null while the run's own conversation has the same content. A shortened
   * conversation is sent as it is, followed by the messages that others have added.
   */
  async request(transcript: readonly Message[]): Promise<readonly Message[] | null> {
    this.follow(transcript);
    const { memory, formatter, speaker } = this.#options;
    const messages = memory.messages();
    if (this.#isShortened) {
      // The whole memory would outgrow the model's window again.
      const known = new Set(this.#expected.map(({ id }) => id));
      const others = messages.filter(({ id }) => !known.has(id));
      if (others.length === 0) return null;
      const stored = await formatter(others, { name: speaker.name });
      return paired([...transcript, ...fromStored(stored)]);
    }
    // A formatter of the program may say other things of more messages than of each by itself.
    if (formatter === chatFormatter && isSame(messages, this.#expected)) return null;
    const { goal, initialMessages } = this.#opened;
    const goalAt = goalIndex(transcript, goal);
    const preamble = transcript.slice(0, Math.max(0, goalAt - initialMessages.length));
    const history = paired(fromStored(await formatter(messages, { name: speaker.name })));
    return [...preamble, ...asRequest(history)];
  }
}

/** No message changes once it is remembered. */
function isSame(messages: readonly Msg[], expected: readonly Msg[]): boolean {
  return (
    messages.length === expected.length && messages.every(({ id }, at) => id === expected[at]?.id)
  );
}
