// Owns the making of a task's handle: each call goes to the scheduler. Decides nothing.
import { copyData } from '../base/copy-data.ts';
import type { Outcome } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { TaskRecord } from '../tasks/state.ts';
import { responseSchema, type StreamItem, streamSchema } from '../tasks/stream-items.ts';
import type { TaskHandle, TaskStatus } from '../tasks/task.ts';
import { checkInterrupt } from './agent-ref.ts';
import type { SupervisorParts } from './build-supervisor.ts';
import { eventsOfTask } from './task-events.ts';
import { byteStream, SsePieces } from './task-response.ts';
import { TaskStream } from './task-stream.ts';

export function taskHandle(
  entry: TaskRecord,
  { scheduler, events }: Pick<SupervisorParts, 'scheduler' | 'events'>,
  fromSeq: number,
): TaskHandle {
  // The handle's own, and the same however often it is asked.
  let result: Promise<Outcome> | null = null;
  const streamed = <Shown>(
    reach: { readonly children?: boolean | undefined; readonly tools?: boolean },
    show: (item: StreamItem) => Shown,
  ): TaskStream<Shown> => {
    const { children = false, tools = false } = reach;
    return new TaskStream({ entry, events, fromSeq, children, tools }, show);
  };
  const leave =
    (interruptOnCancel = true) =>
    async (): Promise<void> => {
      if (!interruptOnCancel) return;
      await scheduler.interrupts.interrupt(entry, { reason: 'the reader of the stream left' });
    };
  const handle: TaskHandle = {
    id: entry.id,
    status: (): TaskStatus => entry.status(),
    result: () => {
      result ??= entry.result.then(copyData);
      return result;
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
      const { children } = parseOptions(streamSchema, options, 'stream');
      return children === true ? streamed({ children }, (item) => item) : streamed({}, textOf);
    }) as TaskHandle['stream'],
    toReadableStream: (options = {}) => {
      const { children, interruptOnCancel } = parseOptions(
        responseSchema,
        options,
        'toReadableStream',
      );
      return byteStream(streamed({ children }, textOf), leave(interruptOnCancel));
    },
    toSSEResponse: (options = {}) => {
      const { children, interruptOnCancel } = parseOptions(
        responseSchema,
        options,
        'toSSEResponse',
      );
      const items = streamed({ children, tools: true }, (item) => item);
      const pieces = new SsePieces(items, () => handle.result());
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
      return new Response(byteStream(pieces, leave(interruptOnCancel)), { headers });
    },
  };
  return handle;
}

function textOf(item: StreamItem): string {
  return item.type === 'text' ? item.text : '';
}
