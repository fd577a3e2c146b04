// Owns the definition of an agent as a user writes it, its aliases and its check. Plain data and references to tools.
import { z } from 'zod';
import { functionSchema } from '../base/function-schema.ts';
import type { ModelEndpoint } from '../models/endpoint.ts';
import type { Model } from '../models/model.ts';
import type { ModelName } from '../models/model-name.ts';
import type { AiSdkModel } from '../models/providers/ai-sdk.ts';
import type { Budget } from '../protocol/budget.ts';
import type { LoopSettings } from '../protocol/loop-settings.ts';
import type { MemoryLimits } from '../protocol/memory-limits.ts';
import { type Effort, efforts, type ToolChoice } from '../protocol/model-settings.ts';
import type { ToolSettings } from '../protocol/tool-settings.ts';
import { type ApprovalPolicy, approvalSchema } from '../tools/approval-policy.ts';
import { parsePattern } from '../tools/builtin/terminal/command-patterns.ts';
import { isTool } from '../tools/define-tool.ts';
import { isInputSchema } from '../tools/schema.ts';
import type { AnyTool, DelegationReach, InputSchema } from '../tools/tool.ts';
import type { ToolsetName } from '../tools/toolset-name.ts';
import { budgetSchema } from './budget-schema.ts';
import { absolutePath } from './folder-schema.ts';
import { storedMessageSchema } from './history-schema.ts';
import { hooksSchema } from './hook-schema.ts';
import type { HookReference } from './hooks.ts';
import { loopSettingsSchema } from './loop-settings.ts';
import { modelRefSchema } from './model-choice.ts';
import type { StoredMessage } from './prompt/preamble.ts';
import { type PromptSettings, promptSettingsSchema } from './prompt/settings.ts';
import { toolSettingFields } from './tool-settings.ts';

/** A tool by name, as an object of the service (host tool), or by the URL of a module (thread tools). */
export type ToolReference = string | AnyTool | URL;

/** What one model is chosen by: `anthropic:<id>`, `openai:<id>`, `offline`, an endpoint, a model of the AI SDK, or an object that answers. */
export type SingleModelRef = ModelName | ModelEndpoint | AiSdkModel | Model;

/**
 * What models are chosen by: one, or a list. Of a list the next is asked when one fails for good: it is limited, overloaded,
 * not reached, unknown, or takes no key. The run stays with that one. A list that has an object of the program is asked in the
 * program's own thread, whole; other lists in the thread of the model gateway.
 */
export type ModelRef = SingleModelRef | readonly SingleModelRef[];

/** What a run has to come up with beside a text. */
export type RequiredOutputs<Answer = unknown> = {
  /**
   * A schema of an object, such as `z.object({ … })`: the answer is given by the tool `generate_response`, judged by
   * it, and comes back as `Outcome.structured`. An answer that never fits ends the run `output_invalid`.
   */
  readonly outputSchema?: InputSchema<Answer>;
  /** Variables to emit, each with a description of its value; they come back as `Outcome.emitted`, texts all. */
  readonly outputs?: Readonly<Record<string, string>>;
};

const agentRoles = ['leaf', 'orchestrator'] as const;
/** Whether an agent may delegate. */
export type AgentRole = (typeof agentRoles)[number];

/** What a task can set of its run as its agent's definition can. */
export type RunOptions<Answer = unknown> = RequiredOutputs<Answer> & {
  /**
   * What the run may use together with all that it delegates: turns, tokens, dollars; what a task sets of it wins, limit by
   * limit. No call begins that could exceed it. A run that meets it fails, `budget` or `max_turns`. With `maxCostUsd` a model
   * without a price is refused, `model_price_missing`. Default: no limit of its own.
   */
  readonly budget?: Budget;
  /** How the loop of turns goes; what a task sets of it wins, setting by setting. */
  readonly loop?: LoopSettings;
  /** Parts of the prompt beside the definition's own text. Default: none. */
  readonly promptParts?: PromptSettings;
  /** Names of the supervisor's skills that this agent's prompt describes, and no others. */
  readonly skills?: readonly string[];
  /** Examples ahead of each run's prompt, after what the agent remembers. Messages of the system are left out. */
  readonly initialMessages?: readonly StoredMessage[];
  /** How much a persistent agent remembers from run to run. Default: everything. */
  readonly memory?: MemoryLimits;
  /**
   * Functions around the run, its turns and its tool calls. Those of the definition come first, then those of the
   * task; an array holds several. An object of them runs in the service's loop, a module in the agent's own thread.
   */
  readonly hooks?: HookReference | readonly HookReference[];
  /** 0 to 2. A model whose API refuses it refuses the run, `model_setting_refused`; likewise for the next two. */
  readonly temperature?: number;
  /** Above 0, at most 1. */
  readonly topP?: number;
  /** How much the model thinks before it answers. Default: the API's own. */
  readonly effort?: Effort;
  /**
   * Which tools each response may call. Default: as the model likes. A run whose model always has to call one ends by a
   * finishing tool, by its answer tool, or by a limit.
   */
  readonly toolChoice?: ToolChoice;
  /**
   * Tools that run only after a person approved the call, for this agent and all agents below it, beside those that its caller
   * and the supervisor require: what one level requires no other takes away. Default: those that declare it themselves.
   */
  readonly approval?: ApprovalPolicy;
  /**
   * Name of one of the supervisor's `profiles`: where its code runs, and what that may reach. Below an agent it has no right that
   * its caller lacks. A tool that it names and that the profile takes away refuses the task, `profile_denied`. Default: the
   * caller's, then `threads.profile`.
   */
  readonly profile?: string;
  /**
   * A `leaf` has no tool that delegates, whatever it is given. Default: what its tools allow; at the spawn depth's limit
   * every agent is one.
   */
  readonly role?: AgentRole;
};

/** What an agent has beside its definition. */
export type Equipment = {
  /** Beside the definition's own. */
  readonly ownTools?: readonly AnyTool[];
  /** Added to the system prompt after the definition's own. */
  readonly prompt?: string;
  /** Names of tools that it is not offered; agents below it may have them. */
  readonly withheldTools?: readonly string[];
};

/** `Answer` is what its `outputSchema` makes of an answer: the type of `Outcome.structured`. */
export type AgentDefinition<Answer = unknown> = ToolSettings & {
  /** Letters, digits, `_` and `-`; unique among a supervisor's agents. */
  readonly name: string;
  /** What it is for, as agents that may delegate to it read it. Default: nothing. */
  readonly description?: string;
  /** The system prompt. `systemPrompt` and `instructions` are other names for it. */
  readonly prompt?: string;
  /** Default: the supervisor's. */
  readonly model?: ModelRef;
  /**
   * Default: every tool registered on the supervisor, and no built-in toolset. Below an agent what is named here is granted
   * whatever the caller has, in a definition of the supervisor's `agents` or one that `defineAgent` made; a definition that a
   * tool puts together has of it what its caller may use. Left out: what the caller has, and for a definition that a
   * tool brings the caller's toolsets too.
   */
  readonly tools?: readonly ToolReference[];
  /**
   * Registered tools that it has although no task asks for them, and its caller may lack them. Taken from
   * definitions of the program only: a tool that delegates cannot grant.
   */
  readonly grantedTools?: readonly string[];
  /** The only tools it may have, by name, whatever grants it others. Default: no such bound. */
  readonly allowedTools?: readonly string[];
  /**
   * The only commands that its toolset `terminal` runs, for it and all agents below it: `git diff` is that command alone,
   * `npm test:*` also what follows it, as arguments of one simple command; what a shell would expand, join or redirect is
   * refused. What such a command starts itself (`find -exec`, `git -c`, a script) is not bounded by it, nor are other tools.
   * Default: any command.
   */
  readonly allowedCommands?: readonly string[];
  /**
   * Tools of the service that this agent has beside all others, and no other agent, its caller included: those of its own
   * MCP servers. Being code of the service, they come from the program only: also in a definition that its tool delegates to.
   */
  readonly ownTools?: readonly AnyTool[];
  /**
   * Tools and a part of the prompt that depend on when and where the agent runs: called when a task of it is accepted,
   * for a persistent agent when it is spawned, and by `Supervisor.validate`.
   */
  readonly equip?: (reach: DelegationReach) => Equipment;
  /** Wins over everything that grants, for this agent and all agents below it. Names, names with `*`, or `tag:…`. */
  readonly disallowedTools?: readonly string[];
  /** Names of toolsets that it has: `file`, `todo`, `terminal`, `web`, or one of the supervisor's. Default: none. */
  readonly toolsets?: readonly ToolsetName[];
  /** Names of the agents that its tools may delegate to by name; a delegation without a name is refused then. Default: any. */
  readonly delegates?: readonly string[];
  /** Responses of its model in one run. Default: the supervisor's `budget.maxTurns`, 50. */
  readonly maxTurns?: number;
  /** Tokens one response may have. Default: the model's own. */
  readonly maxOutputTokens?: number;
  /** Milliseconds without any activity. Default: the supervisor's, 600,000. */
  readonly idleTimeoutMs?: number;
  /** Milliseconds a run may take. Default: the supervisor's, which has none. */
  readonly totalTimeoutMs?: number;
  /** The folder its tools work in, absolute; it has to exist when a task starts. Default: the caller's, then the supervisor's. */
  readonly workspace?: string;
} & RunOptions<Answer>;

/** A definition as users write it, aliases included. */
export type AgentOptions<Answer = unknown> = AgentDefinition<Answer> & {
  /** Another name of `prompt`. */
  readonly systemPrompt?: string;
  /** Another name of `prompt`. */
  readonly instructions?: string;
};

const positive = z.number().positive();

export const toolReferenceSchema = z.union(
  [z.string().min(1), z.instanceof(URL), z.custom<AnyTool>(isTool)],
  "expected a tool's name, a tool made by defineTool, or a module as a URL object",
);

/** Variables by name, each with a description of its value. */
export const outputsSchema = z.record(
  z.string().regex(/^[\w.-]{1,64}$/, 'expected letters, digits, _, . and -, at most 64'),
  z.string(),
);

/** Fields that a definition and a task share. */
export const runFields = {
  model: modelRefSchema.optional(),
  tools: z.array(toolReferenceSchema).optional(),
  disallowedTools: z.array(z.string().min(1)).optional(),
  toolsets: z.array(z.string().min(1)).optional(),
  ...toolSettingFields,
  maxTurns: z.number().int().min(1).optional(),
  maxOutputTokens: z.number().int().min(1).optional(),
  idleTimeoutMs: positive.optional(),
  totalTimeoutMs: positive.optional(),
  outputSchema: z
    .custom<InputSchema>(isInputSchema, 'expected a schema such as z.object({ … })')
    .optional(),
  outputs: outputsSchema
    .refine((outputs) => Object.keys(outputs).length > 0, 'expected at least one variable')
    .optional(),
  budget: budgetSchema.optional(),
  loop: loopSettingsSchema.optional(),
  promptParts: promptSettingsSchema.optional(),
  skills: z.array(z.string().min(1)).optional(),
  initialMessages: z.array(storedMessageSchema).optional(),
  memory: z
    .strictObject({
      maxMessages: z.number().int().min(1).optional(),
      maxChars: z.number().int().min(1).optional(),
      maxResultChars: z.number().int().min(1).optional(),
    })
    .optional(),
  hooks: hooksSchema.optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().gt(0).max(1).optional(),
  effort: z.enum(efforts).optional(),
  toolChoice: z
    .union([z.enum(['auto', 'required', 'none']), z.strictObject({ tool: z.string().min(1) })])
    .optional(),
  role: z.enum(agentRoles).optional(),
  profile: z.string().min(1).optional(),
  approval: approvalSchema.optional(),
};

export const skillsSchema = z
  .array(
    z.strictObject({
      name: z.string().min(1),
      description: z.string().min(1),
      content: z.string().optional(),
      path: z.string().optional(),
      preload: z.boolean().optional(),
    }),
  )
  .refine(
    (skills) => new Set(skills.map(({ name }) => name)).size === skills.length,
    'two skills have one name',
  );

/** A command, or how it begins. */
const commandPattern = z.string().superRefine((pattern, context) => {
  const parsed = parsePattern(pattern);
  if (parsed.type !== 'invalid') return;
  context.addIssue({
    code: 'custom',
    message: `expected a command or a pattern such as npm test:*: ${parsed.why}`,
  });
});

export const agentSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected letters, digits, _ and -, at most 64'),
  description: z.string().optional(),
  prompt: z.string().optional(),
  systemPrompt: z.string().optional(),
  instructions: z.string().optional(),
  grantedTools: z.array(z.string().min(1)).optional(),
  allowedTools: z.array(z.string().min(1)).optional(),
  allowedCommands: z.array(commandPattern).optional(),
  delegates: z.array(z.string().min(1)).optional(),
  workspace: absolutePath.optional(),
  ownTools: z.array(z.custom<AnyTool>(isTool, 'expected a tool made by defineTool')).optional(),
  equip: functionSchema<AgentDefinition['equip']>().optional(),
  ...runFields,
});
