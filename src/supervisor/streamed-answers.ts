// Owns what streams from the gateway on the host, until that gateway has done what it is about: a listener of a delta may
// interrupt the run that the answer is for.
import { nextTurn } from '../base/next-turn.ts';
import type { StreamedDelta } from '../protocol/model-messages.ts';

export class StreamedAnswers {
  readonly #onDelta: (conversation: string, delta: StreamedDelta) => void;
  readonly #unread: { readonly conversation: string; readonly delta: StreamedDelta }[] = [];

  constructor(onDelta: (conversation: string, delta: StreamedDelta) => void) {
    this.#onDelta = onDelta;
  }

  /** Is handed on in the next turn of the event loop, or when it is read. */
  add(conversation: string, delta: StreamedDelta): void {
    if (this.#unread.push({ conversation, delta }) === 1) void nextTurn().then(() => this.read());
  }

  /** Hands on what has come by now. */
  read(): void {
    for (let next = this.#unread.shift(); next !== undefined; next = this.#unread.shift()) {
      this.#onDelta(next.conversation, next.delta);
    }
  }

  /** Hands on what has come of one conversation, ahead of its answer. Of that alone: this may be in the middle of `read`. */
  readOf(conversation: string): void {
    for (;;) {
      const at = this.#unread.findIndex((unread) => unread.conversation === conversation);
      const [next] = at === -1 ? [] : this.#unread.splice(at, 1);
      if (next === undefined) return;
      this.#onDelta(conversation, next.delta);
    }
  }
}
