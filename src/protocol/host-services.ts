// Owns what an agent's thread may call on its host: one interface, which the host implements and the thread calls. Types,
// and the names.
import type { Failure } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Approval } from './approval.ts';
import type { AssistantBlock, StopReason, ToolResult } from './history.ts';
import type { HookName, ToolCallInfo } from './hooks.ts';
import type { RunEnd } from './run-end.ts';
import type { SteerReceipt } from './steer-receipt.ts';

/** A call of a tool that runs on the host. */
export type HostToolCall = {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  readonly runId: string;
  readonly promptId: string;
};

/** What a thread reports to each hook. Neither conversations nor usage: the host has its own record. */
type HookReports = {
  readonly beforeRun: Readonly<Record<never, never>>;
  readonly beforeTurn: { readonly turn: number };
  readonly afterTurn: {
    readonly turn: number;
    readonly message: { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] };
    readonly stopReason: StopReason;
  };
  readonly beforeTool: ToolCallInfo;
  readonly afterTool: ToolCallInfo & {
    readonly result: ToolResult['content'];
    readonly isError: boolean;
    readonly failure?: Failure | undefined;
  };
  readonly afterRun: RunEnd;
};

/** A hook by name, and what its thread reports to it. */
export type HookReport = {
  [Name in keyof HookReports]: { readonly name: Name; readonly subject: HookReports[Name] };
}[keyof HookReports];

/**
 * Which hook of the host is open for a run: `at` is its place in the agent spec, `place` that of the tool call in its turn, or
 * null for a hook around the run or a turn. No two are open at once.
 */
export type HookKey = {
  readonly name: HookName;
  readonly at: number;
  readonly place: number | null;
};

/** A call of a hook that runs on the host. */
export type HostHookCall = HookKey & HookReport;

/** The current state of a background task: it runs, or its result is not acknowledged yet. */
export type BackgroundTask = {
  /** What `wait` and `stop` take. */
  readonly taskId: string;
  /** The agent's name. */
  readonly name: string;
  /** What the agent is to do. */
  readonly goal: string;
  /** `queued`, `ready`, `running`, `waiting`, or the status of its outcome. */
  readonly status: string;
};

/**
 * A call is given up when `signal` aborts: the activation that made it is over. Those of `callsOfRuns` go on, for the run that
 * left its thread. `callId` is that of the tool call it is for.
 */
export interface HostServices {
  /** Resolves with no result when the agent has no tools on the host. */
  callTool(call: HostToolCall, signal: AbortSignal): Promise<ToolResult | undefined>;
  /** Gives up all that the tool call has open here. */
  abortTool(call: { readonly callId: string }, signal: AbortSignal): Promise<void>;
  /** Asks a person for a tool that runs in the thread. */
  approve(
    call: { readonly callId: string; readonly name: string; readonly input: unknown },
    signal: AbortSignal,
  ): Promise<Approval>;
  /** Calls a hook of the service; resolves with the hook's answer, or null. */
  callHook(call: HostHookCall, signal: AbortSignal): Promise<unknown>;
  abortHook(call: HookKey, signal: AbortSignal): Promise<void>;
  /** Resolves with one outcome per task. */
  delegate(
    call: { readonly callId: string; readonly tasks: readonly unknown[] },
    signal: AbortSignal,
  ): Promise<readonly Outcome[]>;
  /** Resolves with the id of the task. */
  startTask(
    call: { readonly callId: string; readonly task: unknown },
    signal: AbortSignal,
  ): Promise<string>;
  listTasks(
    call: Readonly<Record<string, never>>,
    signal: AbortSignal,
  ): Promise<readonly BackgroundTask[]>;
  /** Null when `timeoutMs` is over first. */
  waitForTask(
    call: {
      readonly callId: string;
      readonly taskId: string;
      readonly timeoutMs?: number | undefined;
    },
    signal: AbortSignal,
  ): Promise<Outcome | null>;
  stopTask(
    call: { readonly callId: string; readonly taskId: string },
    signal: AbortSignal,
  ): Promise<Outcome>;
  steerTask(
    call: { readonly taskId: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<SteerReceipt>;
  pauseTask(
    call: { readonly taskId: string; readonly isPaused: boolean },
    signal: AbortSignal,
  ): Promise<void>;
  /** Resolves with whether the run receives it. */
  notify(call: { readonly text: string }, signal: AbortSignal): Promise<boolean>;
}

export type ServiceName = keyof HostServices;

export type ServiceInput<Name extends ServiceName> = Parameters<HostServices[Name]>[0];

/** The same services, as the thread calls them. */
export type HostServiceCalls = {
  readonly [Name in ServiceName]: (input: ServiceInput<Name>) => ReturnType<HostServices[Name]>;
};

const names: Readonly<Record<ServiceName, true>> = {
  callTool: true,
  abortTool: true,
  approve: true,
  callHook: true,
  abortHook: true,
  delegate: true,
  startTask: true,
  listTasks: true,
  waitForTask: true,
  stopTask: true,
  steerTask: true,
  pauseTask: true,
  notify: true,
};

// The keys of a record of all of them, and nothing else.
export const serviceNames = Object.keys(names) as readonly ServiceName[];

/** The services by which a run waits for what is done on the host: answered wherever it continues. */
export const callsOfRuns: ReadonlySet<string> = new Set<ServiceName>([
  'callTool',
  'abortTool',
  'approve',
  'callHook',
  'abortHook',
]);

/** What every service call is answered with: services never throw across the boundary. */
export type ServiceAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: Failure };
