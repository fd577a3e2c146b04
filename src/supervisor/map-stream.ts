// Owns the stream of a `map`: pieces of its tasks as they come, and each outcome after the last piece of its task.
import type { Outcome } from '../base/outcome.ts';
import type { MapStreamItem, StreamItem } from '../tasks/stream-items.ts';
import type { Route, StreamRouter } from './stream-router.ts';
import { wholeAnswer } from './task-stream.ts';
import { UnreadItems } from './unread-items.ts';

export type MapStreamRequest = Pick<Route, 'children' | 'tools'> & {
  readonly outcomes: AsyncGenerator<Outcome, void, undefined>;
  readonly router: StreamRouter;
  /** Interrupts what runs; the outcomes end soon after. */
  readonly abort: () => void;
};

/** A task that has no outcome yet. */
type Followed = { hasText: boolean; readonly stop: () => void };

/** Begins when it is first read; leaving it ends what runs. */
export class MapStream implements AsyncIterableIterator<MapStreamItem> {
  readonly #request: MapStreamRequest;
  readonly #followed = new Map<number, Followed>();
  readonly #unread: UnreadItems;
  #running: Promise<void> | null = null;

  constructor(request: MapStreamRequest) {
    this.#request = request;
    this.#unread = new UnreadItems(() => this.#leave());
  }

  /** A task was started. */
  follow(taskId: string, index: number, fromSeq: number): void {
    const { router, children, tools } = this.#request;
    const onItem = (item: StreamItem): void => {
      if (item.type === 'text' && item.taskId === taskId) followed.hasText = true;
      this.#unread.push({ index, item });
    };
    const stop = router.open({ taskId, fromSeq, children, tools, onItem });
    const followed: Followed = { hasText: false, stop };
    this.#followed.set(index, followed);
  }

  async next(): Promise<IteratorResult<MapStreamItem>> {
    this.#running ??= this.#run();
    const { value } = await this.#unread.next();
    if (value === undefined) return { done: true, value: undefined };
    return { done: false, value: { index: value.index, ...value.item } };
  }

  async return(): Promise<IteratorResult<MapStreamItem>> {
    this.#unread.leave();
    this.#leave();
    this.#running ??= this.#request.outcomes.return().then(() => {});
    await this.#running;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #run(): Promise<void> {
    try {
      for await (const outcome of this.#request.outcomes) {
        if (this.#unread.isEnded) break;
        this.#complete(outcome);
        // No outcome more is taken, and so no task more begun, than is read.
        await this.#unread.whenRead();
      }
      this.#unread.end();
    } catch (error) {
      this.#unread.end({ error });
    }
    this.#stop();
  }

  #complete(outcome: Outcome): void {
    const { index } = outcome;
    const followed = this.#followed.get(index);
    const whole = followed?.hasText === true ? null : wholeAnswer(outcome);
    if (whole !== null) this.#unread.push({ index, item: whole });
    this.#unread.push({ index, item: { type: 'outcome', outcome } });
    this.#followed.delete(index);
    followed?.stop();
  }

  #leave(): void {
    this.#stop();
    this.#request.abort();
  }

  #stop(): void {
    for (const { stop } of this.#followed.values()) stop();
    this.#followed.clear();
  }
}
