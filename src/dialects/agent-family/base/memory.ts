// Owns the short-term memory of an agent: its messages in order (D14). Does not decide what a model receives.
import { z } from 'zod';
import { copyData } from '../../../base/copy-data.ts';
import { TroupeError } from '../../../base/failures.ts';
import { parseOptions } from '../../../base/parse-options.ts';
import { copyMsg, type Msg, type MsgInput, msgSchema, msgsOf } from './msg.ts';
import { type StateDict, StateModule } from './state.ts';

const storedSchema = z.object({ messages: z.array(msgSchema) });

/** Messages in the order they were added; one that is there already, by its id, is not added again. */
export class Memory extends StateModule {
  #messages: readonly Msg[] = [];

  /** How many messages there are. */
  get size(): number {
    return this.#messages.length;
  }

  /** Copies: who changes one changes nothing here. */
  messages(): readonly Msg[] {
    return copyData(this.#messages);
  }

  /** Whether a message of this id is there. */
  has(id: string): boolean {
    return this.#messages.some((message) => message.id === id);
  }

  /** Adds copies of the messages, except those that are there already. Throws `invalid_options` for what is no message. */
  add(input: MsgInput): void {
    const known = new Set(this.#messages.map(({ id }) => id));
    const added = msgsOf(input).filter(({ id }) => !known.has(id) && known.add(id));
    if (added.length > 0) this.#messages = [...this.#messages, ...added];
  }

  /** Ids that are not there are no fault. Returns how many were taken out. */
  delete(ids: readonly string[]): number {
    const before = this.#messages.length;
    this.#messages = this.#messages.filter(({ id }) => !ids.includes(id));
    return before - this.#messages.length;
  }

  /** Adds to a message's metadata. Throws `invalid_options` when there is no such message. */
  annotate(id: string, metadata: Msg['metadata']): void {
    const at = this.#messages.findIndex((message) => message.id === id);
    const message = this.#messages[at];
    if (message === undefined) {
      throw new TroupeError('invalid_options', `the memory has no message ${id}`);
    }
    const annotated = copyMsg({ ...message, metadata: { ...message.metadata, ...metadata } });
    this.#messages = this.#messages.with(at, annotated);
  }

  /** Takes all messages out. */
  clear(): void {
    this.#messages = [];
  }

  override stateDict(): StateDict {
    return structuredClone({ messages: this.#messages });
  }

  /** Throws `invalid_options` for what is no stored memory. */
  override loadStateDict(state: StateDict): void {
    parseOptions(storedSchema, state, 'memory');
    // The schema mirrors the type; unknown fields of blocks are kept.
    this.#messages = structuredClone(state['messages']) as readonly Msg[];
  }
}
