// Owns what a scope is made of: its five configurations and their check. Field names are those of the source.
import { z } from 'zod';
import {
  type ModelRef,
  outputsSchema,
  runFields,
  type ToolReference,
  toolReferenceSchema,
} from '../../agent/definition.ts';
import { modelRefSchema } from '../../agent/model-choice.ts';
import { parseOptions } from '../../base/parse-options.ts';

/** Exactly one of the two, judged when the run starts. */
export type PromptConfig = {
  /** A template: `${key}` is replaced by the context's value. */
  readonly systemPrompt?: string;
  /** Few-shot history instead of a system prompt. */
  readonly initialMessages?: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: string;
  }[];
};

/** The model of a scope, and how it samples. */
export type ModelConfig = {
  /** An id, an endpoint or a model object. */
  readonly model: ModelRef;
  /** 0 to 2. */
  readonly temp?: number;
  /** Above 0, at most 1. */
  readonly top_p?: number;
};

/** How long a scope may run. */
export type RunConfig = {
  /** Minutes, above 0; a scope that takes longer ends `TIMEOUT`. */
  readonly max_time_minutes: number;
  /** Without it only time ends a model that goes on and on. */
  readonly max_turns?: number;
};

/** Names of registered tools, and tools as objects. */
export type ToolConfig = {
  /** The tools that the scope may call. */
  readonly tools: readonly ToolReference[];
};

/** Variables the scope emits, each with its meaning; a name is 1 to 64 letters, digits, `_`, `.` and `-`. */
export type OutputConfig = {
  /** The meaning of each variable, for the model. */
  readonly outputs: Readonly<Record<string, string>>;
};

export type ScopeConfig = {
  readonly prompt: PromptConfig;
  readonly model: ModelConfig;
  readonly run: RunConfig;
  readonly tools?: ToolConfig | undefined;
  readonly outputs?: OutputConfig | undefined;
};

const configSchema = z.strictObject({
  prompt: z.strictObject({
    systemPrompt: z.string().optional(),
    initialMessages: z
      .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string().min(1) }))
      .optional(),
  }),
  model: z.strictObject({
    model: modelRefSchema,
    temp: runFields.temperature,
    top_p: runFields.topP,
  }),
  run: z.strictObject({
    max_time_minutes: z.number().positive(),
    max_turns: runFields.maxTurns,
  }),
  tools: z.strictObject({ tools: z.array(toolReferenceSchema) }).optional(),
  outputs: z.strictObject({ outputs: outputsSchema }).optional(),
});

const nameOfScope = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected letters, digits, _ and -, at most 64');

/** Throws `invalid_options` naming the field and the value seen. */
export function checkScope(name: string, config: ScopeConfig): void {
  parseOptions(nameOfScope, name, 'SubAgentScope.create: name');
  parseOptions(configSchema, config, 'SubAgentScope.create');
}
