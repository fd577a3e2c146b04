// Owns the check of a supervisor's options, and the defaults of those that are numbers. Leaves out their shape, and credentials.
import { z } from 'zod';
import { budgetFields, budgetSchema } from '../agent/budget-schema.ts';
import { agentSchema, skillsSchema } from '../agent/definition.ts';
import { isFolder } from '../agent/folder-schema.ts';
import { modelPriceSchema, modelRefSchema } from '../agent/model-choice.ts';
import type { Clock } from '../base/clock.ts';
import { TroupeError } from '../base/failures.ts';
import { functionSchema } from '../base/function-schema.ts';
import { isRecord } from '../base/is-record.ts';
import { withHints } from '../base/option-faults.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { JournalSettings } from '../journal/sqlite.ts';
import { defaultRetryPolicy } from '../models/retry.ts';
import {
  agentProfileSchema,
  isolationOf,
  workerProfileSchema,
} from '../protocol/worker-profile.ts';
import { defaultGracePeriods } from '../supervision/termination.ts';
import { checkHeaders } from '../tools/builtin/web/headers.ts';
import { isTool } from '../tools/define-tool.ts';
import { checkUniqueNames } from '../tools/grants.ts';
import type { AnyTool } from '../tools/tool.ts';
import { isModulePath, moduleHint } from '../tools/tool-names.ts';
import type { Logger, SupervisorOptions } from './supervisor-options.ts';
import { toolOptionFields } from './tool-options.ts';

const whole = z.number().int();
const ms = z.number().positive();

/** For what is no tool: a module's path, or the name of a toolset. */
function hint(value: unknown): string {
  if (typeof value !== 'string') return '';
  if (isModulePath(value)) return `; ${moduleHint(value)}`;
  return '; a toolset is named by an agent or a task, as toolsets: ["file"]';
}

/** True for an object with these methods. */
function has(...methods: readonly string[]): (value: unknown) => boolean {
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    methods.every((name) => typeof Reflect.get(value, name) === 'function');
}

const promptHint = 'a system prompt is that of an agent: agents: [{ name, prompt }]';

/** Slots: a process of its own takes ten times the memory of a thread. */
function defaultMax(profile: Parameters<typeof isolationOf>[0]): number {
  return isolationOf(profile) === 'process' ? 8 : 64;
}

const schema = z.strictObject(
  {
    model: modelRefSchema.optional(),
    limits: z
      .strictObject({
        maxSpawnDepth: whole.min(0).optional(),
        maxConcurrentChildren: whole.min(1).optional(),
        maxLiveAgents: whole.min(1).optional(),
        maxQueued: whole.min(0).optional(),
        maxTotalAgents: whole.min(1).optional(),
        overflow: z.enum(['queue', 'reject']).optional(),
        initialModelCalls: whole.min(1).optional(),
      })
      .optional(),
    timeouts: z
      .strictObject({
        idleTimeoutMs: ms.default(600_000),
        totalTimeoutMs: ms.optional(),
        toolTimeoutMs: ms.optional(),
        loadTimeoutMs: ms.default(30_000),
        // A person has an hour.
        approvalTimeoutMs: ms.default(3_600_000),
        interruptGraceMs: z.number().min(0).default(defaultGracePeriods.interruptGraceMs),
        stopGraceMs: z.number().min(0).default(defaultGracePeriods.stopGraceMs),
      })
      .prefault({}),
    budget: z
      .strictObject({
        ...budgetFields,
        maxTurns: whole.min(1).default(50),
        perTree: budgetSchema.optional(),
      })
      .prefault({}),
    modelRetry: z
      .strictObject({
        attempts: whole.min(1).default(defaultRetryPolicy.attempts),
        maxDelayMs: z.number().min(0).default(defaultRetryPolicy.maxDelayMs),
        maxOutageMs: z.number().min(0).default(defaultRetryPolicy.maxOutageMs),
      })
      .prefault({}),
    prices: z.record(z.string().min(1), modelPriceSchema).optional(),
    // Checked by credential-options.ts: an error here would show the value, and with it the keys.
    credentials: z.unknown().optional(),
    agents: z.array(agentSchema).optional(),
    skills: skillsSchema.optional(),
    tools: z
      .array(
        z.union([z.instanceof(URL), z.custom<AnyTool>(isTool)], {
          error: ({ input }) =>
            `expected a tool made by defineTool, or the URL of a module${hint(input)}`,
        }),
      )
      .optional(),
    workspace: z.string().min(1).refine(isFolder, 'expected a folder that exists').optional(),
    ...toolOptionFields,
    journal: z
      .custom<JournalSettings>(
        (value) =>
          isRecord(value) && value['kind'] === 'sqlite' && typeof value['path'] === 'string',
        'expected what sqlite(path) returns',
      )
      .optional(),
    profiles: z.record(z.string().min(1), agentProfileSchema).optional(),
    transcripts: z.strictObject({ directory: z.string().min(1) }).optional(),
    logDirectory: z.union([z.string().min(1), z.literal(false)]).optional(),
    logger: z
      .custom<Logger | false>(
        (value) => value === false || has('warn', 'error')(value),
        'expected an object with warn and error, or false',
      )
      .optional(),
    clock: z
      .custom<Clock>(
        has('now', 'wallTime', 'after'),
        'expected a clock with now, wallTime and after',
      )
      .optional(),
    random: functionSchema<() => number>().optional(),
    keepAlive: z.boolean().optional(),
    threads: z
      .strictObject({
        prewarm: whole.min(0).default(0),
        max: whole.min(1).optional(),
        parking: z.enum(['when-needed', 'always']).optional(),
        reuse: z.enum(['warm', 'single-use']).default('warm'),
        idleMs: z.number().min(0).optional(),
        passivateAfterMs: z.number().min(0).default(30_000),
        profile: workerProfileSchema.optional(),
        workerUrl: z.instanceof(URL).optional(),
      })
      .transform((threads) => ({
        ...threads,
        max: threads.max ?? defaultMax(threads.profile ?? {}),
      }))
      .prefault({}),
  },
  withHints({
    apiKey: 'a key stands in `credentials`, or in an endpoint: model: { provider, model, apiKey }',
    goal: 'a goal is given to `delegate`',
    hooks: 'hooks are given to an agent or a task',
    mcpServers: 'connectMcp({ mcpServers }) connects them; its tools are given in `tools`',
    prompt: promptHint,
    systemPrompt: promptHint,
    instructions: promptHint,
  }),
);

/**
 * The options that are numbers, with their defaults. Throws `invalid_options` naming the field and the value seen,
 * `invalid_tool` for two of one name, or `model_missing`.
 */
export function checkSupervisorOptions(
  options: SupervisorOptions,
): Pick<z.output<typeof schema>, 'timeouts' | 'budget' | 'threads' | 'modelRetry'> {
  const checked = parseOptions(schema, options, 'createSupervisor');
  if (options.web?.headers !== undefined) checkHeaders(options.web.headers);
  checkUniqueNames(options.tools?.filter(isTool) ?? [], 'tools');
  if (options.model === undefined) {
    throw new TroupeError(
      'model_missing',
      "createSupervisor: model is missing; give 'anthropic:<model id>', a model object, or 'offline' to try without a key",
    );
  }
  return checked;
}
