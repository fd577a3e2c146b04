// Owns what a thread keeps of the starts of its activations, as its host knows it. Sends nothing.
import type { SharedPart, StartMessage } from '../protocol/worker-messages.ts';
import { KeptConversations, limitsOf } from './kept-conversations.ts';

/** Shared values one thread keeps. */
const maxShared = 32;

/** Start arguments that a thread may have already. */
export type StartParts = {
  /** Those that many activations have in common, under a key that is theirs alone. */
  readonly shared?: { readonly key: string; readonly value: unknown };
  /** What an agent remembers. */
  readonly conversation?: () => readonly unknown[];
};

/** A thread keeps what it is told to until it is told to forget it: all else crosses once. */
export class KeptParts {
  readonly conversations: KeptConversations;
  /** Keys of the shared values, the least recently used first. */
  readonly #sharedKeys = new Set<string>();

  constructor(heapMb: number) {
    this.conversations = new KeptConversations(limitsOf(heapMb));
  }

  /** What to send of what the thread may have already; it is kept from now on. */
  partsOf(
    actor: string,
    { shared, conversation }: StartParts,
  ): Pick<StartMessage, 'shared' | 'conversation'> {
    return {
      shared: shared === undefined ? null : this.#share(shared),
      conversation:
        conversation === undefined ? null : this.conversations.send(actor, conversation()),
    };
  }

  #share({ key, value }: { readonly key: string; readonly value: unknown }): SharedPart {
    const isThere = this.#sharedKeys.delete(key);
    this.#sharedKeys.add(key);
    if (isThere) return { key };
    if (this.#sharedKeys.size <= maxShared) return { key, value };
    const [oldest = ''] = this.#sharedKeys;
    this.#sharedKeys.delete(oldest);
    return { key, value, forget: oldest };
  }
}
