// Owns what a stream of tasks yields, and how it is asked for. Streams nothing.
import { z } from 'zod';
import type { Outcome } from '../base/outcome.ts';

/** What an agent of a task said, or a tool call of its own. */
export type StreamItem = {
  /** The task of the agent. */
  readonly taskId: string;
  /** The agent's path in the tree. */
  readonly path: string;
} & (
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_started';
      readonly callId: string;
      readonly name: string;
      /** The beginning of the JSON of the input, at most 200 characters. */
      readonly inputPreview: string;
    }
  | {
      readonly type: 'tool_completed';
      readonly callId: string;
      readonly name: string;
      readonly isError: boolean;
      /** The beginning of the result, at most 200 characters. */
      readonly resultPreview: string;
      /** Missing for a call that was refused before it began. */
      readonly durationMs?: number;
    }
);

/** A piece of text, and which agent said it. */
export type StreamedText = Extract<StreamItem, { type: 'text' }>;

/** What a `map` streams: pieces of its tasks, and each task's outcome after its last piece. */
export type MapStreamItem<Answer = unknown> = {
  /** The place of the task in the source, from 0; a piece of a descendant has that of the task it works for. */
  readonly index: number;
} & (StreamItem | { readonly type: 'outcome'; readonly outcome: Outcome<Answer> });

/** What a stream has beside the text of the tasks themselves. */
export type StreamOptions = {
  /** Include what their descendants say, and call. Default false. */
  readonly children?: boolean;
  /** Include tool calls: an item as each begins, and one as it ends. Default false. */
  readonly tools?: boolean;
};

/** What is sent over HTTP. */
export type MapResponseOptions = {
  /** Include what descendants say and call. Default false. */
  readonly children?: boolean;
  /**
   * Milliseconds of silence after which a comment is sent, so that no proxy takes the connection for a dead one. 0 sends
   * none. Default 15,000.
   */
  readonly heartbeatMs?: number;
};

/** A response of Node's `http`, or one made of it, as that of Express. */
export type NodeResponse = NodeJS.WritableStream & {
  /** True once its head is on its way. */
  readonly headersSent: boolean;
  /** Sets its head. */
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  /** Sends its head ahead of its body. */
  flushHeaders(): void;
};

/** A response that has a body. */
export type StreamResponse = Response & {
  /** The events, made as they are read. */
  readonly body: ReadableStream<Uint8Array>;
};

/** How a task is sent over HTTP. */
export type ResponseOptions = MapResponseOptions & {
  /** Interrupt the task, scope `run`, when the reader cancels, as when a client leaves. Default true. */
  readonly interruptOnCancel?: boolean;
};

/** How the text of a task is sent. */
export type TextStreamOptions = Omit<ResponseOptions, 'heartbeatMs'>;

export const streamSchema = z.strictObject({
  children: z.boolean().optional(),
  tools: z.boolean().optional(),
});

export const textStreamSchema = z.strictObject({
  children: z.boolean().optional(),
  interruptOnCancel: z.boolean().optional(),
});

const heartbeat = { heartbeatMs: z.number().int().min(0).optional() };

export const responseSchema = textStreamSchema.extend(heartbeat);

export const mapResponseSchema = z.strictObject({
  children: z.boolean().optional(),
  ...heartbeat,
});
