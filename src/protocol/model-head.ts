// Owns what precedes a conversation with a model: the system prompt and the tools, as a model sees them. Types only.
import type { JsonSchema } from './tool-description.ts';

/** A tool as a model sees it. */
export type ToolSchema = {
  /** What the model calls it by. */
  readonly name: string;
  /** What it does and when to use it. */
  readonly description: string;
  /** JSON Schema of its input. */
  readonly inputSchema: JsonSchema;
};

/** What precedes a conversation and never changes in it, so that a provider can cache it. */
export type Head = { readonly system: string; readonly tools: readonly ToolSchema[] };
