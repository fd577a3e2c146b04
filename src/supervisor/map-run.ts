// Owns what `map` returns: the outcomes of a lazy source, or all that its tasks say as a stream, in the program or over HTTP.
import type { Clock } from '../base/clock.ts';
import { TroupeError } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { EventBus } from '../events/events.ts';
import type { BudgetAccount } from '../protocol/budget.ts';
import { type FanOutPort, fanOut, type MapOptions } from '../tasks/fan-out.ts';
import {
  type MapResponseOptions,
  type MapStreamItem,
  mapResponseSchema,
  type NodeResponse,
  type StreamOptions,
  type StreamResponse,
  streamSchema,
} from '../tasks/stream-items.ts';
import type { Task, TaskHandle } from '../tasks/task.ts';
import { MapStream } from './map-stream.ts';
import { pipeResponse, SsePieces, sseResponse } from './stream-response.ts';
import type { StreamRouter } from './stream-router.ts';

/** The tasks of a `map`. It begins when it is first read, in one of three ways: as outcomes, as a stream, as a response. */
export interface MapRun<Answer = unknown> extends AsyncGenerator<Outcome<Answer>, void, undefined> {
  /**
   * What the tasks say as they say it, each piece with the `index` of its task, and the outcome of a task after its last
   * piece. An answer of which no text streamed comes as one piece. Leaving the loop ends what runs. Pieces are joined for a
   * slow reader; one that is 4 MiB of text behind gets `mailbox_full`. Throws `invalid_options` when it is streamed already.
   */
  stream(options?: StreamOptions): AsyncIterableIterator<MapStreamItem<Answer>>;
  /**
   * A response of server-sent events, their data JSON: `text`, `tool_started`, `tool_completed`, an `outcome` per task, and
   * last `end` with the number of outcomes, or `error`. Cancelling its body, as when a client leaves, ends what runs.
   */
  toSSEResponse(options?: MapResponseOptions): StreamResponse;
  /** Sends the same to a response of Node's `http`, as `TaskHandle.pipeSSE` does. */
  pipeSSE(response: NodeResponse, options?: MapResponseOptions): Promise<void>;
}

export type MapRunPort = Pick<FanOutPort, 'openJob'> & {
  readonly clock: Clock;
  readonly events: Pick<EventBus, 'lastSeq'>;
  readonly streams: StreamRouter;
  submit(task: Task, index: number, job: BudgetAccount | undefined): TaskHandle;
};

export function mapRun(
  source: AsyncIterable<Task> | Iterable<Task>,
  options: MapOptions,
  { clock, events, streams, openJob, submit }: MapRunPort,
): MapRun {
  const left = new AbortController();
  let stream: MapStream | null = null;
  const outcomes = fanOut(source, options, {
    openJob,
    left: left.signal,
    start: (task, index, job) => {
      const fromSeq = events.lastSeq;
      const handle = submit(task, index, job);
      stream?.follow(handle.id, index, fromSeq);
      return handle;
    },
  });
  const open = ({ children = false, tools = false }: StreamOptions): MapStream => {
    if (stream !== null) {
      throw new TroupeError('invalid_options', 'map: it is streamed already, and only once');
    }
    stream = new MapStream({
      outcomes,
      router: streams,
      children,
      tools,
      abort: () => left.abort(),
    });
    return stream;
  };
  const toSSEResponse = (options: MapResponseOptions = {}): StreamResponse => {
    parseOptions(mapResponseSchema, options, 'toSSEResponse');
    const { children = false, heartbeatMs } = options;
    let count = 0;
    const eventOf = ({ type, ...data }: MapStreamItem): { type: string; data: unknown } => {
      if (!('outcome' in data)) return { type, data };
      count += 1;
      return { type, data: data.outcome };
    };
    const last = async () => ({ type: 'end', data: { outcomes: count } });
    const items = open({ children, tools: true });
    return sseResponse(new SsePieces({ items, eventOf, last, clock, heartbeatMs }));
  };
  return Object.assign(outcomes, {
    stream: (options: StreamOptions = {}) => {
      parseOptions(streamSchema, options, 'stream');
      return open(options);
    },
    toSSEResponse,
    pipeSSE: (response: NodeResponse, options?: MapResponseOptions) =>
      pipeResponse(response, () => toSSEResponse(options)),
  });
}
