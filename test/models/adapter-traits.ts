// What the adapter contract knows of an adapter: how to start it, and how to read what it sent. Asserts nothing.
import type { Model } from '#src/models/model.js';
import type { StopReason } from '#src/protocol/history.js';
import type { ModelSettings } from '#src/protocol/model-settings.js';
import type { StubReply } from '#src/testing.js';

/** A history as it went over a wire, in order. */
export type WireHistory = readonly (
  | { readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly call: string; readonly name: string; readonly input: unknown }
  | { readonly result: string; readonly text: string; readonly isError: boolean }
  | { readonly thinking: string }
)[];

type ConnectOptions = { readonly maxRetries?: number; readonly timeoutMs?: number };

/** An adapter and the far end it talks to. */
export interface AdapterUnderTest {
  /** A model that holds `contractKey` and does not retry unless told to. */
  connect(options?: ConnectOptions): Model;
  reply(...replies: readonly StubReply[]): void;
  /** What was sent so far, without keys. */
  requests(): readonly { readonly body: Readonly<Record<string, unknown>> }[];
  nextRequest(): Promise<unknown>;
  /** Resolves when the adapter has let go of an answer that was not complete. */
  nextCut(): Promise<void>;
  close(): Promise<void>;
}

type Body = Readonly<Record<string, unknown>>;

export type AdapterTraits = {
  start(): Promise<AdapterUnderTest>;
  /** What its server says when a response ends, and what that means to us. */
  readonly stopReasons: readonly (readonly [wire: string, reason: StopReason])[];
  /** False where the wire has no count of what was written to a cache. */
  readonly countsCacheWrites: boolean;
  /** Whether it has a socket of its own: its failures then are those of HTTP. */
  readonly isHttp: boolean;
  /** False where the wire has no place for a thought in a history. */
  readonly returnsThinking: boolean;
  /** Broken arguments that its library fails on before we see them. */
  readonly unreadable: readonly string[];
  readonly refused: readonly (keyof typeof everySetting)[];
  outputLimitIn(body: Body): unknown;
  settingsIn(body: Body): ModelSettings;
  toolChoiceIn(body: Body): unknown;
  historyIn(body: Body): WireHistory;
};

export const contractKey = 'sk-test-0123456789/abc';

/** All but the choice of tools, which only a request with tools has. */
export const everySetting: Required<Omit<ModelSettings, 'toolChoice'>> = {
  temperature: 0.5,
  topP: 0.9,
  effort: 'high',
  outputFormat: { name: 'answer', schema: { type: 'object', properties: {} } },
};
