// Owns the options of a supervisor: their shape, and the defaults that depend on where it runs.
import { join, resolve } from 'node:path';
import type { AgentDefinition, ModelRef } from '../agent/definition.ts';
import type { Skill } from '../agent/prompt/skills.ts';
import type { Clock } from '../base/clock.ts';
import type { JournalSettings } from '../journal/sqlite.ts';
import type { CredentialPool } from '../models/keys/credentials.ts';
import { defaultStart } from '../models/keys/rate-limiter.ts';
import type { Budget } from '../protocol/budget.ts';
import type { ModelPrice } from '../protocol/price.ts';
import type { AgentProfile, WorkerProfile } from '../protocol/worker-profile.ts';
import { defaultLimits, type Limits } from '../supervision/admission.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { ToolOptions } from './tool-options.ts';

/** What happened, for people; shaped like pino's. */
export type Logger = {
  /** Something that may need attention, such as a setting that was corrected. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Something failed that should not have. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
};

/** The options of `createSupervisor`; only `model` is required. */
export type SupervisorOptions = ToolOptions & {
  /**
   * `anthropic:<model id>`, `openai:<model id>`, `offline`, an endpoint, a model of the AI SDK, or an object that answers, such
   * as `scripted(…)`. Of a list the next is asked when one fails. There is no default.
   */
  readonly model: ModelRef;
  /** How many agents there may be, and what becomes of a task beyond that. */
  readonly limits?: Partial<Limits> & {
    /**
     * Model calls out at once under one key before its provider has answered one; each answer doubles them, a 429 begins
     * again at one. Default: `maxLiveAgents`, at most 8.
     */
    readonly initialModelCalls?: number;
  };
  /** Milliseconds that runs, tools, answers and ends may take. */
  readonly timeouts?: {
    /**
     * A run without activity for this long ends `idle_timeout`. A call of a tool with its own `timeoutMs` (as MCP tools
     * have) and a terminal command are activity until their time is over. A silent tool in a thread goes on, with a
     * warning, until `toolTimeoutMs` or `totalTimeoutMs`; without either six times as long. Default 600,000.
     */
    readonly idleTimeoutMs?: number;
    /** A run that takes longer ends `total_timeout`. Default: none. */
    readonly totalTimeoutMs?: number;
    /** Per tool call; paused while it waits for children or a person. None for the tag `delegation`. Default: none. */
    readonly toolTimeoutMs?: number;
    /**
     * For a module of tools or hooks to load in a thread, to learn what it exports; an agent that loads it, with many
     * others perhaps, has six times as long. Then a task that needs it fails `tool_module_failed`. Default 30,000.
     */
    readonly loadTimeoutMs?: number;
    /** For a person's answer, while the clocks of the run stand still. Default 3,600,000. */
    readonly approvalTimeoutMs?: number;
    /** From an interrupt to a stop. Default 2,000. */
    readonly interruptGraceMs?: number;
    /** From a stop to a kill. Default 2,000. */
    readonly stopGraceMs?: number;
  };
  /** What one run and one tree of runs may use; a run that meets a limit ends `max_turns` or `budget`. */
  readonly budget?: Budget & {
    /** Model responses of one run. Default 50. */
    readonly maxTurns?: number;
    /** The same for a root task and everything below it. */
    readonly perTree?: Budget;
  };
  /**
   * How a call of a model is tried again, whatever the model is: after 408, 409, 429, a 5xx, no connection and no answer
   * in time, unless a part of the answer has arrived. A wait that the provider asks for (`Retry-After`) is kept, up to 5
   * minutes. An answer without text and calls is asked for once more. What fails for good is the outcome of its run, or
   * goes to the next model of its list. Where there is a next one, no call waits for a provider longer than `maxDelayMs`,
   * and a 429 is tried again as often as the rest.
   */
  readonly modelRetry?: {
    /** Calls for one answer, the first included; 1 tries nothing again. A 429 is tried at least 10 times more. Default 3. */
    readonly attempts?: number;
    /** Milliseconds of the longest wait that the provider does not ask for: 500, then twice as long each time. Default 8,000. */
    readonly maxDelayMs?: number;
    /**
     * Milliseconds that calls wait together for a provider that answers 5xx or cannot be reached, once a call has been
     * tried as often as `attempts` says: 5 s, then twice as long each time up to a minute, and one call tries after each.
     * Idle limits stand still, an interrupt ends the wait, a `log` event reports its beginning and its end. A provider
     * that stays down for longer fails its calls until it answers one. Default 0: no wait.
     */
    readonly maxOutageMs?: number;
  };
  /**
   * What models cost, by the name or id that outcomes call them by (`my-model`, `custom:my-model`), in US dollars per
   * million tokens, or `0`: for your own, local and proxied models. It wins over a model's own `price`. Default: that,
   * else the table of the package `@pydantic/genai-prices`. With `maxCostUsd` a model without a price is refused,
   * `model_price_missing`: the supervisor's and its agents' by `createSupervisor`, a task's before the task starts.
   */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /**
   * Keys of providers, in pools: agents lease them, and go on under another when one is limited or refused. An
   * endpoint without a key of its own is asked under the pool for its `baseUrl`; of a provider with several addresses the
   * first pool is the one that a bare `anthropic:…` uses. Default: the environment's.
   */
  readonly credentials?: readonly CredentialPool[];
  /** Definitions that tasks and delegating agents may name. */
  readonly agents?: readonly AgentDefinition[];
  /** What definitions and tasks may name in `skills`; an agent's prompt lists those that are assigned to it. */
  readonly skills?: readonly Skill[];
  /** An object is a host tool and runs in this loop; what a URL exports runs in the agent's own thread. */
  readonly tools?: readonly (AnyTool | URL)[];
  /** The folder that agents work in; it has to be there. A relative one is meant from the current directory, the default. */
  readonly workspace?: string;
  /**
   * Where the runtime puts files for its operator: one per run that timed out without an answer of its model, of
   * which the last 1,000 are kept. `false` for none. Default: `.troupe/logs` in the workspace; created when needed.
   */
  readonly logDirectory?: string | false;
  /**
   * Writes the messages of each run while it goes on: one file `<task id>.jsonl` per task, a line of JSON per
   * message. An existing file is left unchanged: the next is `<task id>-2.jsonl`. Default: none.
   */
  readonly transcripts?: { readonly directory: string };
  /**
   * Where tasks are written down, `sqlite('./troupe.db')`: those that were accepted go on after the process has ended, however
   * it ended, with a supervisor on the same file. One process has it at a time. Default: nothing is written down.
   */
  readonly journal?: JournalSettings;
  /**
   * Receives warnings and errors that end nothing, and errors in your code: a listener, a hook, a model that throws.
   * `failure.detail.stack` has the place. Default: a line each on standard error; `TROUPE_DEBUG=1` in the environment
   * adds stacks, and what tools threw. `false` for none.
   */
  readonly logger?: Logger | false;
  /** What timeouts and delays are measured on. Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Chance, for the jitter of backoffs. */
  readonly random?: () => number;
  /** Keeps the process alive until `close`. Default false: only unfinished work does. */
  readonly keepAlive?: boolean;
  /**
   * What agents and tasks can name as their `profile`, each over `threads.profile`: code that you do not trust gets a process of its
   * own and few rights. Default: none.
   */
  readonly profiles?: Readonly<Record<string, AgentProfile>>;
  /** The worker threads that agents run on. */
  readonly threads?: {
    /** Threads opened at once, ahead of need. Default 0. */
    readonly prewarm?: number;
    /** Maximum number of agents whose code runs at a time; the others wait, and need none. Default 64, of processes 8. */
    readonly max?: number;
    /**
     * When an agent that waits leaves its thread: `when-needed`, for another that is ready, or `always`, which shows in tests
     * what a tool keeps in its thread. Default: `TROUPE_PARKING` of the environment, else `when-needed`.
     */
    readonly parking?: 'when-needed' | 'always';
    /** `warm` reuses a thread for one agent after another; `single-use` gives each a fresh one. Default `warm`. */
    readonly reuse?: 'warm' | 'single-use';
    /** After which an idle thread is given up. Default 30,000. */
    readonly idleMs?: number;
    /**
     * After which an idle persistent agent releases its thread until its next run; at once when its slot is needed.
     * Its open toolsets (a shell) are not closed. Default 30,000.
     */
    readonly passivateAfterMs?: number;
    /** Isolation, memory, environment and flags of the threads. Default: those of `WorkerProfile`. */
    readonly profile?: WorkerProfile;
    /**
     * The entry of every thread and process, for a service that is bundled: the file that `troupe/worker` became, as an entry of the
     * bundle, or `new URL(import.meta.resolve('troupe/worker'))`. `piscina` must be installed beside a bundle;
     * esbuild's ES modules need a banner that defines `require` for `web_fetch`. Default: the files of this package.
     */
    readonly workerUrl?: URL;
  };
};

/** Absolute: the current directory may change while agents work. */
export function workspaceOf({ workspace = '.' }: SupervisorOptions): string {
  return resolve(workspace);
}

/** What was changed of its tools so that models take them. */
export function correctionsOf({ tools = [] }: SupervisorOptions): readonly string[] {
  return tools.flatMap((tool) => (tool instanceof URL ? [] : (tool.corrections ?? [])));
}

/** Null for no files. */
export function logDirectoryOf(options: SupervisorOptions): string | null {
  const { logDirectory = join(workspaceOf(options), '.troupe', 'logs') } = options;
  return logDirectory === false ? null : logDirectory;
}

/** An option that is not given is read from the environment; without a valid value there, the default applies. */
export function limitsOf(
  options: SupervisorOptions,
  env: Readonly<Record<string, string | undefined>>,
): Limits & { readonly initialModelCalls: number } {
  const width = widthOf(env['DELEGATION_MAX_CONCURRENT_CHILDREN']);
  const limits = {
    ...defaultLimits,
    ...(width === null ? {} : { maxConcurrentChildren: width }),
    ...options.limits,
  };
  return { initialModelCalls: Math.min(limits.maxLiveAgents, defaultStart), ...limits };
}

/** Whether agents leave their threads at every wait. */
export function parksAlways(
  { threads }: SupervisorOptions,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return (threads?.parking ?? env['TROUPE_PARKING']) === 'always';
}

/** A number below 1 acts as 1; what is not a whole number is ignored. */
function widthOf(text: string | undefined): number | null {
  const width = Number(text?.trim() || Number.NaN);
  return Number.isInteger(width) ? Math.max(1, width) : null;
}
