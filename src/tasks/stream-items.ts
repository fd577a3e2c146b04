// Owns what a task's stream yields, and how it is asked for. Streams nothing.
import { z } from 'zod';

/** What an agent of a task said, or a tool call of its own. */
export type StreamItem = {
  /** The task of the agent. */
  readonly taskId: string;
  /** The agent's path in the tree. */
  readonly path: string;
} & (
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_started'; readonly callId: string; readonly name: string }
  | {
      readonly type: 'tool_completed';
      readonly callId: string;
      readonly name: string;
      readonly isError: boolean;
    }
);

/** A piece of text, and which agent said it. */
export type StreamedText = Extract<StreamItem, { type: 'text' }>;

/** How a task is sent over HTTP. */
export type ResponseOptions = {
  /** Include what its descendants say and call. Default false. */
  readonly children?: boolean;
  /** Interrupt the task, scope `run`, when the reader cancels, as when a client leaves. Default true. */
  readonly interruptOnCancel?: boolean;
};

export const streamSchema = z.strictObject({ children: z.boolean().optional() });

export const responseSchema = z.strictObject({
  children: z.boolean().optional(),
  interruptOnCancel: z.boolean().optional(),
});
