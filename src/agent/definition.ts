// Owns what a user says about an agent: the definition, its aliases, its check. Plain data and references to tools.
import { z } from 'zod';
import type { Model } from '../models/model.ts';
import { isTool } from '../tools/define-tool.ts';
import type { AnyTool } from '../tools/tool.ts';
import { type ToolSettings, toolSettingFields } from './tool-settings.ts';

/** A tool by name, as an object of the service (host tool), or by the URL of a module (thread tools). */
export type ToolReference = string | AnyTool | URL;

/** What a model is chosen by: `anthropic:<id>`, `offline`, or an object that answers. */
export type ModelChoice = string | Model;

export type AgentDefinition = ToolSettings & {
  /** Letters, digits, `_` and `-`; unique among a supervisor's agents. */
  readonly name: string;
  readonly description?: string;
  /** The system prompt. `systemPrompt` and `instructions` are other names for it. */
  readonly prompt?: string;
  /** Default: the supervisor's. */
  readonly model?: ModelChoice;
  /** Default: every tool registered on the supervisor, and no built-in toolset. */
  readonly tools?: readonly ToolReference[];
  /** Wins over everything that grants. Names, or `tag:…`. */
  readonly disallowedTools?: readonly string[];
  readonly toolsets?: readonly string[];
  readonly maxTurns?: number;
  readonly idleTimeoutMs?: number;
  readonly totalTimeoutMs?: number;
};

/** A definition as users write it, aliases included. */
export type AgentOptions = AgentDefinition & {
  readonly systemPrompt?: string;
  readonly instructions?: string;
};

const positive = z.number().positive();

export const modelChoiceSchema = z.union([
  z.string().min(1),
  z.custom<Model>((value) => typeof value === 'object' && value !== null, 'expected a model'),
]);

export const toolReferenceSchema = z.union([
  z.string().min(1),
  z.instanceof(URL),
  z.custom<AnyTool>(isTool, 'expected a tool name, a tool made by defineTool, or a URL'),
]);

/** Fields that a definition and a task share. */
export const runFields = {
  model: modelChoiceSchema.optional(),
  tools: z.array(toolReferenceSchema).optional(),
  disallowedTools: z.array(z.string().min(1)).optional(),
  toolsets: z.array(z.string().min(1)).optional(),
  ...toolSettingFields,
  maxTurns: z.number().int().min(1).optional(),
  idleTimeoutMs: positive.optional(),
  totalTimeoutMs: positive.optional(),
};

export const agentSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected letters, digits, _ and -, at most 64'),
  description: z.string().optional(),
  prompt: z.string().optional(),
  systemPrompt: z.string().optional(),
  instructions: z.string().optional(),
  ...runFields,
});
