// Owns the stream of one task: text and tool calls as they come, joined for a slow reader, up to the task's end.
import { TroupeError } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { TroupeEvent } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';
import type { TaskRecord } from '../tasks/state.ts';
import type { StreamItem } from '../tasks/stream-items.ts';

/** Characters that a reader may be behind; more fails its stream. */
const maxUnread = 4 * 1024 * 1024;
/** What an item counts beside its text. */
const itemSize = 256;

export type StreamRequest = {
  readonly entry: TaskRecord;
  readonly events: Pick<EventBus, 'on' | 'kept'>;
  /** The task was accepted after this event. */
  readonly fromSeq: number;
  readonly children: boolean;
  readonly tools: boolean;
};

/** Listens from its making to the end of the task, or of the iteration. */
export class TaskStream<Shown> implements AsyncIterableIterator<Shown> {
  readonly #request: StreamRequest;
  readonly #show: (item: StreamItem) => Shown;
  /** The agents of the task, for it is by them that those below are known. */
  readonly #agents = new Set<string>();
  #stops: (() => void)[] = [];
  #unread: StreamItem[] = [];
  #size = 0;
  #hasText = false;
  #isEnded = false;
  #failure: TroupeError | null = null;
  #waiting: (() => void)[] = [];

  constructor(request: StreamRequest, show: (item: StreamItem) => Shown) {
    this.#request = request;
    this.#show = show;
    const { entry, events, fromSeq, children, tools } = request;
    for (const event of events.kept()) if (event.seq > fromSeq) this.#isOurs(event);
    const add = (event: TroupeEvent<'model_delta' | 'tool_started' | 'tool_completed'>): void => {
      const item = this.#isOurs(event) ? itemOf(event) : null;
      if (item !== null) this.#push(item);
    };
    this.#stops.push(events.on('model_delta', add));
    if (children) this.#stops.push(events.on('task_started', (event) => this.#isOurs(event)));
    if (tools) this.#stops.push(events.on('tool_started', add), events.on('tool_completed', add));
    void entry.result.then((outcome) => this.#complete(outcome));
  }

  async next(): Promise<IteratorResult<Shown>> {
    for (;;) {
      if (this.#failure !== null) throw this.#failure;
      const item = this.#unread.shift();
      if (item !== undefined) {
        this.#size -= sizeOf(item);
        return { done: false, value: this.#show(item) };
      }
      if (this.#isEnded) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  async return(): Promise<IteratorResult<Shown>> {
    this.#unread = [];
    this.#end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #isOurs(event: TroupeEvent): boolean {
    const { agentId, parentId, taskId } = event;
    const { entry, children } = this.#request;
    const isBelow = children && parentId !== undefined && this.#agents.has(parentId);
    if (taskId !== entry.id && !isBelow) return false;
    if (agentId !== undefined) this.#agents.add(agentId);
    return true;
  }

  #push(item: StreamItem): void {
    if (this.#isEnded) return;
    const isOwn = item.taskId === this.#request.entry.id;
    if (item.type === 'text' && isOwn) this.#hasText = true;
    const last = this.#unread.at(-1);
    if (item.type === 'text' && last?.type === 'text' && last.taskId === item.taskId) {
      this.#unread.splice(-1, 1, { ...last, text: last.text + item.text });
      this.#size += item.text.length;
    } else {
      this.#unread.push(item);
      this.#size += sizeOf(item);
    }
    if (this.#size > maxUnread) this.#fail();
    this.#wake();
  }

  /** An answer that did not stream, or streamed before this did, comes as one piece. */
  #complete({ taskId, status, text, agent }: Outcome): void {
    if (status === 'completed' && text !== '' && !this.#hasText) {
      this.#push({ type: 'text', taskId, path: agent.path, text });
    }
    this.#end();
  }

  #fail(): void {
    const message = `the reader of a task's stream is more than ${maxUnread} characters behind`;
    this.#failure = new TroupeError('mailbox_full', message);
    this.#unread = [];
    this.#end();
  }

  #end(): void {
    this.#isEnded = true;
    for (const stop of this.#stops.splice(0)) stop();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function sizeOf(item: StreamItem): number {
  return item.type === 'text' ? itemSize + item.text.length : itemSize;
}

function itemOf(
  event: TroupeEvent<'model_delta' | 'tool_started' | 'tool_completed'>,
): StreamItem | null {
  const { taskId = '', path = '' } = event;
  if (event.type === 'model_delta') {
    return event.kind === 'text' ? { type: 'text', taskId, path, text: event.text } : null;
  }
  const { callId, name } = event;
  if (event.type === 'tool_started') return { type: 'tool_started', taskId, path, callId, name };
  return { type: 'tool_completed', taskId, path, callId, name, isError: event.isError };
}
