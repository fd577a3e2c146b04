// Owns what a slot needs of the threads that it may have, whatever carries its messages: a port between two threads, or a pipe
// to another process. Types only.
import type { EventLoopUtilityFunction } from 'node:perf_hooks';
import type { MessagePort } from 'node:worker_threads';
import type { ToThread } from '../protocol/worker-messages.ts';

/** The host's end of what leads to the thread of a slot. */
export type SlotPort = {
  /** The thread may have begun and ended receives that the flags of its slot do not show yet. */
  readonly isBehind: boolean;
  /** Throws what cannot be cloned. */
  post(message: ToThread): void;
  /** Gives the thread a port to the gateway's thread. */
  sendGateway(port: MessagePort): void;
  /** Hands on what has come and was not read. */
  readRest(): void;
  close(): void;
};

export type SlotPortEvents = {
  readonly message: (message: unknown) => void;
  /** Something came that cannot be read. */
  readonly unreadable: (error: unknown) => void;
  /** The other end has closed it: nothing can be sent any more. */
  readonly closed: () => void;
};

/** What is known of a thread while it serves: a worker of this process has all of it. */
export type ServingThread = {
  readonly performance: { readonly eventLoopUtilization: EventLoopUtilityFunction };
  on(event: 'error', listener: (error: unknown) => void): unknown;
  once(event: 'exit', listener: (code: number) => void): unknown;
};

/** Where the slots of one profile get their threads. */
export type SlotThreads = {
  /** The heap that each of them may have, in MB. */
  readonly heapMb: number;
  /** Asks for a thread, which an abort of the signal ends; `over` rejects when it is gone, or none comes. */
  open(
    sharedFlags: Int32Array<SharedArrayBuffer>,
    events: SlotPortEvents,
    signal: AbortSignal,
  ): { readonly port: SlotPort; readonly over: Promise<unknown> };
  /** The thread that reported this number when it came online, and shares these flags. */
  serve(threadId: number, sharedFlags: Int32Array<SharedArrayBuffer>): ServingThread | null;
  /** Another number of runs waits for a thread. */
  needChanged(): void;
  /** Ends what is left. */
  destroy(): Promise<void>;
};
