// Owns the making of a task's handle: each call goes to the scheduler. Decides nothing.
import { copyData } from '../base/copy-data.ts';
import type { Outcome } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { TaskRecord } from '../tasks/state.ts';
import {
  responseSchema,
  type StreamItem,
  type StreamOptions,
  streamSchema,
  textStreamSchema,
} from '../tasks/stream-items.ts';
import type { TaskHandle, TaskStatus } from '../tasks/task.ts';
import { checkInterrupt } from './agent-ref.ts';
import type { SupervisorParts } from './build-supervisor.ts';
import { byteStream, pipeResponse, SsePieces, sseResponse } from './stream-response.ts';
import { eventsOfTask } from './task-events.ts';
import { TaskStream } from './task-stream.ts';

type HandleParts = Pick<SupervisorParts, 'scheduler' | 'events' | 'streams' | 'clock'>;

export function taskHandle(
  entry: TaskRecord,
  { scheduler, events, streams, clock }: HandleParts,
  fromSeq: number,
): TaskHandle {
  // The handle's own, and the same however often it is asked.
  let result: Promise<Outcome> | null = null;
  const streamed = <Shown>(
    { children = false, tools = false }: StreamOptions,
    show: (item: StreamItem) => Shown,
  ): TaskStream<Shown> =>
    new TaskStream({ entry, router: streams, fromSeq, children, tools }, show);
  const leave =
    (interruptOnCancel = true) =>
    async (): Promise<void> => {
      if (!interruptOnCancel) return;
      await scheduler.interrupts.interrupt(entry, { reason: 'the reader of the stream left' });
    };
  const handle: TaskHandle = {
    id: entry.id,
    accepted: () => entry.written.accepted(),
    status: (): TaskStatus => entry.status(),
    result: () => {
      result ??= entry.result.then(copyData);
      return result;
    },
    acknowledge: async () => {
      await entry.result;
      await new Promise<void>((resolve, reject) => {
        const waiter = { resolve, reject };
        scheduler.dispatch({ type: 'acknowledged', taskId: entry.id, waiter });
      });
    },
    interrupt: async (options = {}) => {
      checkInterrupt(options);
      return scheduler.interrupts.interrupt(entry, options);
    },
    pause: () => scheduler.dispatch({ type: 'pause_task', task: entry }),
    resume: () => scheduler.dispatch({ type: 'resume_task', task: entry }),
    steer: (text) => scheduler.steering.steer(entry, text),
    events: () => eventsOfTask(entry, () => events.read({ afterSeq: fromSeq })),
    stream: ((options = {}) => {
      parseOptions(streamSchema, options, 'stream');
      const { children = false, tools = false } = options;
      return children || tools ? streamed(options, (item) => item) : streamed({}, textOf);
    }) as TaskHandle['stream'],
    toReadableStream: (options = {}) => {
      parseOptions(textStreamSchema, options, 'toReadableStream');
      const { children = false, interruptOnCancel } = options;
      return byteStream(streamed({ children }, textOf), leave(interruptOnCancel));
    },
    toSSEResponse: (options = {}) => {
      parseOptions(responseSchema, options, 'toSSEResponse');
      const { children = false, interruptOnCancel, heartbeatMs } = options;
      const items = streamed({ children, tools: true }, (item) => item);
      const eventOf = ({ type, ...data }: StreamItem) => ({ type, data });
      const last = async () => ({ type: 'outcome', data: await handle.result() });
      const pieces = new SsePieces({ items, eventOf, last, clock, heartbeatMs });
      return sseResponse(pieces, leave(interruptOnCancel));
    },
    pipeSSE: (response, options) => pipeResponse(response, () => handle.toSSEResponse(options)),
  };
  return handle;
}

function textOf(item: StreamItem): string {
  return item.type === 'text' ? item.text : '';
}
