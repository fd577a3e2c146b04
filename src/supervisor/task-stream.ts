// Owns the stream of one task: text and tool calls as they come, up to the task's end.
import type { Outcome } from '../base/outcome.ts';
import type { TaskRecord } from '../tasks/state.ts';
import type { StreamItem } from '../tasks/stream-items.ts';
import type { Route, StreamRouter } from './stream-router.ts';
import { UnreadItems } from './unread-items.ts';

export type StreamRequest = Omit<Route, 'taskId' | 'onItem'> & {
  readonly entry: TaskRecord;
  readonly router: StreamRouter;
};

/** Listens from its making to the end of the task, or of the iteration. */
export class TaskStream<Shown> implements AsyncIterableIterator<Shown> {
  readonly #taskId: string;
  readonly #show: (item: StreamItem) => Shown;
  readonly #unread = new UnreadItems(() => this.#stop());
  readonly #stop: () => void;
  #hasText = false;

  constructor({ entry, router, ...reach }: StreamRequest, show: (item: StreamItem) => Shown) {
    this.#taskId = entry.id;
    this.#show = show;
    const onItem = (item: StreamItem): void => this.#push(item);
    this.#stop = router.open({ ...reach, taskId: entry.id, onItem });
    void entry.result.then((outcome) => this.#complete(outcome));
  }

  async next(): Promise<IteratorResult<Shown>> {
    const { value } = await this.#unread.next();
    if (value === undefined || value.item.type === 'outcome') {
      return { done: true, value: undefined };
    }
    return { done: false, value: this.#show(value.item) };
  }

  async return(): Promise<IteratorResult<Shown>> {
    this.#unread.leave();
    this.#stop();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #push(item: StreamItem): void {
    if (item.type === 'text' && item.taskId === this.#taskId) this.#hasText = true;
    this.#unread.push({ index: 0, item });
  }

  #complete(outcome: Outcome): void {
    const whole = this.#hasText ? null : wholeAnswer(outcome);
    if (whole !== null) this.#push(whole);
    this.#unread.end();
    this.#stop();
  }
}

/** An answer that did not stream, or streamed before anybody listened, comes as one piece. */
export function wholeAnswer({ taskId, status, text, agent }: Outcome): StreamItem | null {
  if (status !== 'completed' || text === '') return null;
  return { type: 'text', taskId, path: agent.path, text };
}
