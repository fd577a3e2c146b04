// Owns what a program sets of `delegate_task`: the options, their check, and what out-of-range values become (C10, C26).
import { z } from 'zod';
import { type ModelRef, type ToolReference, toolReferenceSchema } from '../../agent/definition.ts';
import { modelRefSchema } from '../../agent/model-choice.ts';
import { parseOptions } from '../../base/parse-options.ts';
import { timeoutSchema } from '../../tools/timeout-schema.ts';
import type { ToolsetName } from '../../tools/toolset-name.ts';

/** Options of `delegateTaskTool`. The supervisor's `limits` apply in any case: these can only be narrower. */
export type DelegateTaskOptions = {
  /** Tasks of one call. Below 1 acts as 1. Default: the supervisor's `limits.maxConcurrentChildren`. */
  readonly maxConcurrentChildren?: number;
  /** Levels of delegation, 1 to 3; what is outside becomes the nearest. Default: the supervisor's `limits.maxSpawnDepth`. */
  readonly maxSpawnDepth?: number;
  /** Turns of a child, never more than the supervisor's `budget.maxTurns`. A call may ask for fewer. Default 50. */
  readonly maxIterations?: number;
  /** Whether a call may ask for more than `maxIterations`, up to the supervisor's limit. Default false. */
  readonly mayRaiseIterations?: boolean;
  /** Milliseconds without any activity after which a child is stopped. Default: the supervisor's `idleTimeoutMs`. */
  readonly childTimeoutMs?: number;
  /** Milliseconds a whole call may take; then its children are stopped, and it answers with what they came to. Default: none. */
  readonly timeoutMs?: number;
  /** False makes every child a leaf. Default true. */
  readonly orchestratorEnabled?: boolean;
  /**
   * Tools that every child has beside its toolsets, whatever its caller has. Default: those of its caller, less the blocked
   * ones; in a loop of the program those that are registered.
   */
  readonly tools?: readonly ToolReference[];
  /**
   * The toolsets of a child whose call names none, whatever its caller has; a call can name no others. Default: none with
   * `tools`; else those of its caller, in a loop of the program `file` and `web`, and a call may name any that its caller
   * has, in a loop any but `terminal`.
   */
  readonly toolsets?: readonly ToolsetName[];
  /** What children think with. Default: their caller's model. */
  readonly model?: ModelRef;
  /** Characters a result may have; longer summaries are cut, their full text is in a file. Default 40,000. */
  readonly maxResultChars?: number;
  /** Called with each correction of these options. Default: each is a `log` event of the supervisor or session given the tool. */
  readonly onWarning?: (message: string) => void;
};

const schema = z.strictObject({
  maxConcurrentChildren: z.number().int().optional(),
  maxSpawnDepth: z.number().int().optional(),
  maxIterations: z.number().int().min(1).optional(),
  mayRaiseIterations: z.boolean().optional(),
  childTimeoutMs: z.number().positive().optional(),
  timeoutMs: timeoutSchema.optional(),
  orchestratorEnabled: z.boolean().optional(),
  tools: z.array(toolReferenceSchema).optional(),
  toolsets: z.array(z.string().min(1)).optional(),
  model: modelRefSchema.optional(),
  maxResultChars: z.number().int().min(1_000).optional(),
  onWarning: z
    .custom<(message: string) => void>(
      (value) => typeof value === 'function',
      'expected a function',
    )
    .optional(),
});

/** Options with their defaults. For an undefined limit the supervisor's applies. */
export type Settings = {
  readonly maxConcurrentChildren: number | undefined;
  readonly maxSpawnDepth: number | undefined;
  readonly maxIterations: number;
  readonly mayRaiseIterations: boolean;
  readonly childTimeoutMs: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly orchestratorEnabled: boolean;
  /** Undefined for those of the caller. */
  readonly tools: readonly ToolReference[] | undefined;
  /** What a call can name; undefined where only its caller's rights bound it. */
  readonly toolsets: readonly string[] | undefined;
  readonly model: ModelRef | undefined;
  readonly maxResultChars: number;
  /** What was corrected in the options. */
  readonly corrections: readonly string[];
};

const minDepth = 1;
const maxDepth = 3;

type Limits = Pick<DelegateTaskOptions, 'maxConcurrentChildren' | 'maxSpawnDepth'>;

/** What limits act as. */
export function nearestLimits({
  maxConcurrentChildren: width,
  maxSpawnDepth: depth,
}: {
  readonly [Name in keyof Limits]: Limits[Name] | undefined;
}) {
  return {
    maxConcurrentChildren: width === undefined ? undefined : Math.max(1, width),
    maxSpawnDepth: depth === undefined ? undefined : Math.min(maxDepth, Math.max(minDepth, depth)),
  };
}

/** Throws `invalid_options`. */
export function settingsOf(options: DelegateTaskOptions): Settings {
  parseOptions(schema, options, 'delegateTaskTool');
  const { maxConcurrentChildren: width, maxSpawnDepth: depth } = options;
  const corrections: string[] = [];
  const { maxConcurrentChildren: nearestWidth, maxSpawnDepth: nearestDepth } =
    nearestLimits(options);
  if (nearestWidth !== width) {
    corrections.push(`delegate_task: maxConcurrentChildren ${width} acts as ${nearestWidth}`);
  }
  if (nearestDepth !== depth) {
    corrections.push(
      `delegate_task: maxSpawnDepth ${depth} is not ${minDepth} to ${maxDepth}, ${nearestDepth} is used`,
    );
  }
  return {
    maxConcurrentChildren: nearestWidth,
    maxSpawnDepth: nearestDepth,
    maxIterations: options.maxIterations ?? 50,
    mayRaiseIterations: options.mayRaiseIterations ?? false,
    childTimeoutMs: options.childTimeoutMs,
    timeoutMs: options.timeoutMs,
    orchestratorEnabled: options.orchestratorEnabled ?? true,
    tools: options.tools,
    toolsets: options.toolsets ?? (options.tools === undefined ? undefined : []),
    model: options.model,
    maxResultChars: options.maxResultChars ?? 40_000,
    corrections,
  };
}
