// Owns the replies of the stub model server, in terms common to all wires, and what a wire is. Opens no socket.
import type { StopReason } from '../protocol/history.ts';

/** One scripted reply of the stub server. */
export type StubReply =
  | {
      readonly type: 'message';
      readonly thinking?: string;
      /** Pieces are streamed one by one. */
      readonly text?: string | readonly string[];
      readonly toolCalls?: readonly {
        readonly id: string;
        readonly name: string;
        readonly input: unknown;
        /** Sent instead of the input's JSON, to be as wrong as a model can be. */
        readonly rawInput?: string;
      }[];
      /** Any text: servers know reasons that clients do not. */
      readonly stopReason?: StopReason | (string & {});
      /** Why a `refusal` was one, on wires that say so. */
      readonly refusalCategory?: string;
      readonly usage?: StubUsage;
    }
  | {
      readonly type: 'error';
      readonly status: number;
      readonly message?: string;
      /** A stable name of the cause, on wires that have one. */
      readonly code?: string;
      /** Sent as the header `retry-after`. */
      readonly retryAfterSeconds?: number;
    }
  /** An error event after the stream began, with status 200. */
  | { readonly type: 'stream_error'; readonly errorType: string; readonly message: string }
  /** Streams the text, then cuts the connection. */
  | { readonly type: 'disconnect'; readonly text?: string }
  /** Streams the text, then ends the response properly, but without `message_stop`. */
  | { readonly type: 'unfinished'; readonly text?: string }
  /** Answers with what is no JSON. */
  | { readonly type: 'malformed' }
  /** Sends the client elsewhere, status 307. */
  | { readonly type: 'redirect'; readonly location: string }
  /** Never answers; `text` is streamed first when given. */
  | { readonly type: 'silence'; readonly text?: string };

/** Token counts, by the names of Anthropic's wire; the others say the same in theirs. */
export type StubUsage = {
  /** Input that was neither read from a cache nor written to one. */
  readonly input_tokens: number;
  /** Tokens of the reply. */
  readonly output_tokens: number;
  /** Input read from a cache. Default 0. */
  readonly cache_read_input_tokens?: number;
  /** Input written to a cache. Default 0. */
  readonly cache_creation_input_tokens?: number;
};

export type StubMessage = Extract<StubReply, { readonly type: 'message' }>;
export type StubError = Extract<StubReply, { readonly type: 'error' }>;

/** What one answer is about: made up by the server, echoed by every wire. */
export type StubAnswer = { readonly id: string; readonly model: string };

/** How one API encodes a reply. */
export type StubWire = {
  /** The JSON of a reply that is not streamed. */
  body(reply: StubMessage, answer: StubAnswer): string;
  /** The events of a streamed reply, in order. */
  events(reply: StubMessage, answer: StubAnswer): readonly string[];
  /** The events of a text that goes no further. */
  opening(text: string, answer: StubAnswer): readonly string[];
  error(error: StubError): string;
  /** An error event in a stream that has begun. */
  streamError(errorType: string, message: string): string;
  /** An event that is no JSON. */
  readonly malformed: string;
};

/** What is counted when a reply does not say. */
export const defaultUsage: StubUsage = { input_tokens: 10, output_tokens: 5 };

/** The pieces of a text, as they are streamed. */
export function piecesOf(text: StubMessage['text']): readonly string[] {
  if (text === undefined) return [];
  return typeof text === 'string' ? [text] : text;
}

/** The arguments of a call as they go over the wire. */
export function argumentsOf(call: { readonly input: unknown; readonly rawInput?: string }): string {
  return call.rawInput ?? JSON.stringify(call.input);
}

export function stopReasonOf({ stopReason, toolCalls = [] }: StubMessage): string {
  return stopReason ?? (toolCalls.length > 0 ? 'tool_use' : 'end_turn');
}
