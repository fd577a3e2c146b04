// Owns which events there are, what each says, and what an event is. Emits none.
import type { Failure } from '../base/failures.ts';
import type { Outcome, OutcomeExitReason, Usage } from '../base/outcome.ts';
import type { NearLimit } from '../protocol/budget.ts';

/** What each type of event carries beside the common fields. */
export type EventPayloads = {
  /** An agent has its thread; `model` is the id of the model it uses. */
  agent_started: { readonly name: string; readonly model: string };
  /** A run gave its thread up while it waits, for its children or a person. */
  agent_parked: Record<never, never>;
  /** It goes on, or begins its next run, on a thread again. */
  agent_activated: Record<never, never>;
  /** A persistent agent uses no thread until its next run; `lost` means that it lost its last thread. */
  agent_passivated: { readonly reason: 'idle' | 'lost'; readonly failure?: Failure };
  /** The agent's actor has ended; `reason` is its exit reason. */
  agent_stopped: { readonly reason: string; readonly failure?: Failure };
  /** A killed agent did not end: its thread is inside a native call, and its slot stays in use until that returns. */
  agent_unresponsive: Record<never, never>;
  /**
   * What became of a steering message: at most once `queued`, then once `delivered` with the turn that reads it, or
   * `undelivered`.
   */
  steering_updated: {
    readonly steerId: string;
    readonly status: 'delivered' | 'queued' | 'undelivered';
    readonly turn?: number;
  };
  /** No waiting task starts until `supervisor_resumed`. */
  supervisor_paused: Record<never, never>;
  /** Waiting tasks start again. */
  supervisor_resumed: Record<never, never>;
  /** The task makes no model call after its current turn. */
  task_paused: Record<never, never>;
  /** The task goes on. */
  task_resumed: Record<never, never>;
  /** A task was accepted; `position` is the number of tasks that waited before it. */
  task_queued: {
    readonly goal: string;
    readonly position: number;
    /** Its place among the tasks of its call, from 0, and how many those are. */
    readonly index: number;
    readonly width: number;
    /** What it is called, or its agent's definition is; not there when neither has a name. */
    readonly name?: string;
  };
  /**
   * An earlier process had accepted the task, and it goes on: where it has started, after so many responses of its model, and
   * without a further `task_started`. `repeated`: tools whose calls are made again; `unknown`: tools whose calls may or may not
   * have taken effect.
   */
  task_recovered: {
    readonly goal: string;
    /** The key that it was given under. */
    readonly idempotencyKey?: string;
    /** As those of `task_queued`. */
    readonly index: number;
    readonly width: number;
    readonly isStarted: boolean;
    readonly turns: number;
    readonly repeated: readonly string[];
    readonly unknown: readonly string[];
  };
  /** The journal cannot write: no task is accepted, and none completes, until it can. */
  journal_failed: { readonly failure: Failure };
  /** The task's run begins. */
  task_started: Record<never, never>;
  /** Progress that a tool of the task reported; `fraction` is from 0 to 1. */
  task_progress: { readonly fraction: number; readonly note?: string };
  /** The task's run has failed and is to be run again from the start, as this attempt, after `delayMs`. */
  task_retried: {
    readonly attempt: number;
    readonly delayMs: number;
    readonly exitReason: OutcomeExitReason;
    readonly failure?: Failure;
  };
  /** The task has ended, with this outcome. */
  task_completed: { readonly outcome: Outcome };
  /** The run is about to call its model; turns count from 1. */
  turn_started: { readonly turn: number };
  /** A piece of a response as it streams; not stored for later readers. */
  model_delta: { readonly kind: 'text' | 'thinking'; readonly text: string };
  /** A response, or the results of its tool calls, is part of the run's history. */
  turn_committed: { readonly turn: number; readonly part: 'model_response' | 'tool_results' };
  /** A person is asked whether a tool may run; its `tool_completed` reports the result. */
  approval_requested: { readonly callId: string; readonly name: string };
  /** An agent asks its parent, or the program when it has none; its `tool_completed` reports the result. */
  question_asked: {
    readonly questionId: string;
    readonly question: string;
    readonly options?: readonly string[];
    readonly callId: string;
    readonly parentPath: string | null;
  };
  /** A tool call begins, in the agent's thread or on the host. */
  tool_started: {
    readonly turn: number;
    readonly callId: string;
    readonly name: string;
    readonly where: 'thread' | 'host';
    /** The beginning of the JSON that the model called it with, at most 200 characters, keys masked. */
    readonly inputPreview: string;
  };
  /** Progress of one call; `fraction` is from 0 to 1. */
  tool_progress: { readonly callId: string; readonly fraction: number; readonly note?: string };
  /** A tool call has ended; `failure` is why it is an error. */
  tool_completed: {
    readonly callId: string;
    readonly name: string;
    readonly isError: boolean;
    /** The beginning of the result that the model reads, at most 200 characters, keys masked. */
    readonly resultPreview: string;
    /** From its start, waits for people and children included. Missing for a call that was refused before it began. */
    readonly durationMs?: number;
    readonly failure?: Failure;
  };
  /** Tokens and cost of one response; `isEstimated` when the provider did not count them. */
  usage_recorded: { readonly turn: number; readonly usage: Usage; readonly isEstimated: boolean };
  /** Four fifths of a budget are spent: of a run, a task, a tree or a job; emitted once per limit. */
  budget_warning: NearLimit;
  /** An interrupt was sent to the agent at the path `target`. */
  interrupt_requested: { readonly scope: string; readonly reason: string; readonly target: string };
  /** All that an interrupt was for has ended; `receipts` is how many that were. */
  interrupt_completed: { readonly target: string; readonly receipts: number };
  /** `tools` are those whose calls are open; only where there are any. */
  idle_warning: {
    readonly idleMs: number;
    readonly limitMs: number;
    readonly tools?: readonly string[];
  };
  /** A time limit is over: the run, or with `tool` one call, is ended. `phase` is where the run stood. */
  timeout_fired: {
    readonly clock: 'idle' | 'total' | 'tool';
    readonly limitMs: number;
    readonly phase: string;
  };
  /** An entry was put on a session's board. */
  board_posted: {
    readonly entry: {
      readonly type: 'status' | 'message' | 'system';
      readonly sender: string;
      readonly target: string;
      readonly content: string;
      readonly timestamp: number;
    };
  };
  /** An agent goes on under another key of its pool; keys are named by their labels. */
  credential_rotated: {
    readonly endpoint: string;
    readonly from: string;
    readonly to: string;
    readonly reason: 'rate_limited' | 'auth' | 'billing' | 'limit_reached';
  };
  /** An agent goes on with the next model of its list; `failure` is what the one before failed with. */
  model_fallback: { readonly from: string; readonly to: string; readonly failure: Failure };
  /** A message was not processed; `to` is its receiver's path. */
  dead_letter: { readonly reason: string; readonly to: string };
  /** The reader missed these events, both ends included: it was too slow, or asked for events that are no longer kept. */
  events_dropped: { readonly missedFrom: number; readonly missedTo: number };
  /** A worker thread was added; `threads` is how many there are now. */
  thread_spawned: { readonly threads: number };
  /** A worker thread has ended; `threads` is how many are left; `failure` is why, unless the pool ended it. */
  thread_lost: { readonly threads: number; readonly failure?: Failure };
  /** What went wrong without ending anything, for people. */
  log: { readonly level: 'warn' | 'error'; readonly message: string; readonly failure?: Failure };
};

/** The name of an event. */
export type EventType = keyof EventPayloads;

/** Every type there is; the compiler keeps it complete. */
export const eventTypes: Readonly<Record<EventType, true>> = {
  agent_started: true,
  agent_parked: true,
  agent_activated: true,
  agent_passivated: true,
  agent_stopped: true,
  agent_unresponsive: true,
  steering_updated: true,
  supervisor_paused: true,
  supervisor_resumed: true,
  task_paused: true,
  task_resumed: true,
  task_queued: true,
  task_recovered: true,
  journal_failed: true,
  task_started: true,
  task_progress: true,
  task_retried: true,
  task_completed: true,
  turn_started: true,
  model_delta: true,
  turn_committed: true,
  approval_requested: true,
  question_asked: true,
  tool_started: true,
  tool_progress: true,
  tool_completed: true,
  usage_recorded: true,
  budget_warning: true,
  interrupt_requested: true,
  interrupt_completed: true,
  idle_warning: true,
  timeout_fired: true,
  board_posted: true,
  credential_rotated: true,
  model_fallback: true,
  dead_letter: true,
  events_dropped: true,
  thread_spawned: true,
  thread_lost: true,
  log: true,
};

/** The agent, task and session that an event is about. */
export type EventSubject = {
  readonly agentId?: string;
  readonly parentId?: string;
  readonly path?: string;
  readonly depth?: number;
  readonly sessionId?: string;
  readonly taskId?: string;
};

/** One event. `model_delta` has the sequence number of the event it follows, every other one of its own. */
export type TroupeEvent<Type extends EventType = EventType> = {
  [Each in Type]: {
    /** Its place among the events of the supervisor. */
    readonly seq: number;
    /** Milliseconds since 1970. */
    readonly at: number;
    /** Its name, which tells what else it carries. */
    readonly type: Each;
  } & EventSubject &
    EventPayloads[Each];
}[Type];

/** Which events a reader receives. */
export type EventFilter = {
  /** Only these types; all when left out. */
  readonly types?: readonly EventType[];
  /** Events after this sequence number; from now on when left out. */
  readonly afterSeq?: number;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
};
