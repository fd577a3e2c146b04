// Owns what a thread keeps of the conversations it was sent, so that only what is new crosses again. Decides, and sends nothing.
import { measure } from '../actor/serializable.ts';
import type { ConversationPart } from '../protocol/worker-messages.ts';

type Kept = { readonly messages: readonly unknown[]; readonly bytes: number };

/** A bound on what one thread keeps. */
export type KeptLimits = { readonly count: number; readonly bytes: number };

const mebibyte = 1_024 * 1_024;
const maxKept = 256;
const maxMb = 8;
/** Of a small heap the runs need the most. */
const heapShare = 1 / 16;

/** What a thread with such a heap may keep. */
export function limitsOf(heapMb: number): KeptLimits {
  return { count: maxKept, bytes: Math.min(maxMb, heapMb * heapShare) * mebibyte };
}

const nothing: Kept = { messages: [], bytes: 0 };

/** The conversations that one thread has, as its host knows them: the thread keeps and forgets what it is told to. */
export class KeptConversations {
  readonly #limits: KeptLimits;
  /** By the actor; the least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  /** Those that the thread is told to forget with what it is sent next. */
  #forgotten: string[] = [];

  constructor(limits: KeptLimits) {
    this.#limits = limits;
  }

  has(actor: string): boolean {
    return this.#kept.has(actor);
  }

  /**
   * What to send of a conversation. Messages are never changed in place, so identity shows how far it agrees with what
   * the thread keeps.
   */
  send(actor: string, messages: readonly unknown[]): ConversationPart {
    const known = this.#take(actor) ?? nothing;
    const from = sharedLength(known.messages, messages);
    const fresh = messages.slice(from);
    const isLonger = from === known.messages.length;
    const bytes = isLonger ? known.bytes + measure(fresh) : measure(messages);
    const isKept = bytes <= this.#limits.bytes;
    if (isKept) {
      this.#kept.set(actor, { messages, bytes });
      this.#bytes += bytes;
      this.#makeSpace();
    } else if (known !== nothing) this.#forgotten.push(actor);
    const forget = this.#forgotten;
    this.#forgotten = [];
    return { key: actor, from, messages: fresh, isKept, forget };
  }

  /** The actor needs it no more. */
  drop(actor: string): void {
    if (this.#take(actor) !== null) this.#forgotten.push(actor);
  }

  #makeSpace(): void {
    for (const actor of this.#kept.keys()) {
      if (this.#kept.size <= this.#limits.count && this.#bytes <= this.#limits.bytes) return;
      this.drop(actor);
    }
  }

  #take(actor: string): Kept | null {
    const kept = this.#kept.get(actor);
    if (kept === undefined) return null;
    this.#kept.delete(actor);
    this.#bytes -= kept.bytes;
    return kept;
  }
}

function sharedLength(known: readonly unknown[], messages: readonly unknown[]): number {
  let length = 0;
  while (length < known.length && known[length] === messages[length]) length += 1;
  return length;
}
