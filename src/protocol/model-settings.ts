// Owns the settings of model calls besides the conversation.
import type { JsonSchema } from './tool-description.ts';

export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** How much a model thinks before it answers, in the terms of the APIs that have such a setting. */
export type Effort = (typeof efforts)[number];

/** Which tools a response may call: as the model likes, at least one, none, or the named one. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

/** The settings of a run's model calls besides the conversation. What is left out is the API's own default. */
export type ModelSettings = {
  /** Above 0 to 2, as far as the API takes it. */
  readonly temperature?: number;
  /** Above 0 to 1. */
  readonly topP?: number;
  /** How much the model thinks before it answers. */
  readonly effort?: Effort;
  /** Of a request that offers tools. */
  readonly toolChoice?: ToolChoice;
  /** The answer's text is JSON of this schema. */
  readonly outputFormat?: { readonly name: string; readonly schema: JsonSchema };
};
