// Owns how a conversation was shortened, in places and characters. Types only.
import type { Message } from './history.ts';

/** Messages by their places in the conversation, `to` not among them. */
export type Span = { readonly from: number; readonly to: number };

/** What is done to a conversation: both copies of it, the thread's and the supervisor's, become the same by it. */
export type Shortening = {
  /** Characters of one tool's result; a longer one is cut and marked as cut. */
  readonly maxResultChars: number;
  readonly leftOut: readonly Span[];
  /** The place that `summary` goes to, counted before anything is left out. */
  readonly at: number;
  /** The message that informs the model. */
  readonly summary: Message;
};
