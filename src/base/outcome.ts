// Owns the outcome of a task: its closed sets of names, its shape, and which status follows from which exit reason.
import type { ImageBlock } from '../protocol/history.ts';
import { type Failure, unreachable } from './failures.ts';

export const outcomeStatuses = ['completed', 'failed', 'interrupted', 'timeout'] as const;
/** How a task ended, as far as most callers care; `exitReason` has the cause. */
export type OutcomeStatus = (typeof outcomeStatuses)[number];

export const outcomeExitReasons = [
  'goal',
  'max_turns',
  'idle_timeout',
  'total_timeout',
  'budget',
  'interrupted',
  'killed',
  'crashed',
  'refused',
  'rejected',
  'error',
] as const;

/**
 * Why a run ended. `completed`: `goal`. `interrupted`: `interrupted`, and `killed` when it did not obey in time. `timeout`:
 * `idle_timeout`, `total_timeout`. `failed`: `max_turns` and `budget` were used up, its thread `crashed`, its model
 * `refused`, a limit `rejected` the task before it started, or an `error` of its model or its tools.
 */
export type OutcomeExitReason = (typeof outcomeExitReasons)[number];

/** Tokens, calls and cost; `costUsd` is null as soon as one call's price is unknown. */
export type Usage = {
  /** Input that was neither read from a cache nor written to one. */
  readonly inputTokens: number;
  /** Tokens of the responses, thinking included. */
  readonly outputTokens: number;
  /** Input that was read from a cache. */
  readonly cacheReadTokens: number;
  /** Input that was written to a cache. */
  readonly cacheWriteTokens: number;
  /** Calls of a model that tokens were counted for. */
  readonly modelCalls: number;
  /** US dollars; 0 for a free model. */
  readonly costUsd: number | null;
};

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  modelCalls: 0,
  costUsd: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    modelCalls: a.modelCalls + b.modelCalls,
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  };
}

/** One tool call as the supervisor saw it. */
export type ToolTrace = {
  /** The model's id of the call. */
  readonly callId: string;
  /** The name of the tool. */
  readonly name: string;
  /** The turn that asked for it, from 1. */
  readonly turn: number;
  /** `failed` when the model got an error as its result. */
  readonly status: 'running' | 'completed' | 'failed';
  /** Milliseconds from its start until the supervisor was notified of its end; absent while it runs. */
  readonly durationMs?: number;
};

/** What a run had when it did not reach its goal: nothing of it is lost with the thread. */
export type PartialResult = {
  /** The text of its responses so far. */
  readonly text: string;
  /** Its last tool calls, in order. */
  readonly toolTrace: readonly ToolTrace[];
  /** Model responses so far. */
  readonly turns: number;
  /** Where it stood: waiting for model, in tool, waiting for child, spinning, blocked, dead. */
  readonly phase: RunPhase;
  /** Variables it had emitted; only where there are any. */
  readonly emitted?: Readonly<Record<string, string>>;
};

const runPhases = [
  'queued',
  'starting',
  'waiting_for_model',
  'in_tool',
  'in_hook',
  'waiting_for_child',
  'waiting_for_approval',
  'waiting_for_answer',
  'spinning',
  'blocked',
  'between_turns',
  'paused',
  'between_runs',
  'dead',
] as const;
/** Where a run stood when it was looked at. */
export type RunPhase = (typeof runPhases)[number];

/**
 * The end of a task; every accepted task has exactly one, and it is never an exception. `Answer` is what the task's
 * `outputSchema` makes of an answer.
 */
export type Outcome<Answer = unknown> = {
  /** Follows from `exitReason`. */
  readonly status: OutcomeStatus;
  /** Why the run ended. */
  readonly exitReason: OutcomeExitReason;
  /** The agent's answer, or what text there was. */
  readonly text: string;
  /** The text of its last response alone; empty when that only called tools, or there was none. */
  readonly lastText: string;
  /** The images of its last response, in order; only where there are any. */
  readonly images?: readonly ImageBlock[];
  /** The answer as the task's `outputSchema` made it; only once the agent gave one that fits. */
  readonly structured?: Answer;
  /** What the agent emitted of the task's `outputs`; only for a task that declares some. */
  readonly emitted?: Readonly<Record<string, string>>;
  /** What the run had; for every end but `goal`. */
  readonly partial?: PartialResult;
  /** What went wrong, or which limit was met. */
  readonly error?: Failure;
  /** Of a timeout without one answer of the model: the file that reports what was known of the run. */
  readonly diagnosticFile?: string;
  /** Of the run itself, and of it with everything that it delegated. */
  readonly usage: { readonly own: Usage; readonly subtree: Usage };
  /** Model responses of the run itself. */
  readonly turns: number;
  /** Tool calls of the run itself. */
  readonly toolCalls: number;
  /** Its last tool calls, in order, at most 20; only where there are any. `toolCalls` counts all. */
  readonly toolTrace?: readonly ToolTrace[];
  /** Paths of the files that it and everything below it wrote, each once. */
  readonly filesTouched: readonly string[];
  /** Milliseconds from its start to its end; of a task that never started, from its acceptance. */
  readonly durationMs: number;
  /** Runs it took; only where a failed one was tried again. `usage`, `filesTouched` and `durationMs` are of all of them. */
  readonly attempts?: number;
  /** The id of the model that answered; of a task that was refused before it was resolved, empty. */
  readonly model: string;
  /** The task's own `metadata`; empty when it has none. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What its task asked for and did not have, such as a tool that its caller may not use; only where there is any. */
  readonly warnings?: readonly string[];
  /** Who performed it. */
  readonly agent: {
    /** Empty when the task never started. */
    readonly id: string;
    readonly name: string;
    /** Its place in the tree: `/lead/reader`. */
    readonly path: string;
    /** 0 for an agent that the program started, one more below each that delegates. */
    readonly depth: number;
    /** Null for an agent that the program started. */
    readonly parentId: string | null;
  };
  /** The task's id, `TaskHandle.id`. */
  readonly taskId: string;
  /** The task's place in its batch. */
  readonly index: number;
};

/** Total: every exit reason has one status. */
export function statusOf(exitReason: OutcomeExitReason): OutcomeStatus {
  switch (exitReason) {
    case 'goal':
      return 'completed';
    case 'interrupted':
    case 'killed':
      return 'interrupted';
    case 'idle_timeout':
    case 'total_timeout':
      return 'timeout';
    case 'max_turns':
    case 'budget':
    case 'crashed':
    case 'refused':
    case 'rejected':
    case 'error':
      return 'failed';
    default:
      return unreachable(exitReason);
  }
}
