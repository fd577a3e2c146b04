// Owns which events there are, what each says, and what an event is. Emits none.
import type { Failure } from '../base/failures.ts';
import type { Outcome, Usage } from '../base/outcome.ts';

/** What each type of event carries beside the common fields. */
export type EventPayloads = {
  agent_started: { readonly name: string; readonly model: string };
  agent_parked: Record<never, never>;
  /** It goes on, or begins its next run, on a thread again. */
  agent_activated: Record<never, never>;
  /** A spawned agent uses no thread until its next run; `lost` means that it lost its last thread. */
  agent_passivated: { readonly reason: 'idle' | 'lost'; readonly failure?: Failure };
  agent_stopped: { readonly reason: string; readonly failure?: Failure };
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
  supervisor_paused: Record<never, never>;
  supervisor_resumed: Record<never, never>;
  task_paused: Record<never, never>;
  task_resumed: Record<never, never>;
  task_queued: {
    readonly goal: string;
    readonly position: number;
    /** Its place among the tasks of its call, from 0, and how many those are. */
    readonly index: number;
    readonly width: number;
    /** What it is called, or its agent's definition is; not there when neither has a name. */
    readonly name?: string;
  };
  task_started: Record<never, never>;
  task_progress: { readonly fraction: number; readonly note?: string };
  task_completed: { readonly outcome: Outcome };
  turn_started: { readonly turn: number };
  model_delta: { readonly kind: 'text' | 'thinking'; readonly text: string };
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
  tool_started: {
    readonly turn: number;
    readonly callId: string;
    readonly name: string;
    readonly where: 'thread' | 'host';
  };
  tool_progress: { readonly callId: string; readonly fraction: number; readonly note?: string };
  tool_completed: {
    readonly callId: string;
    readonly name: string;
    readonly isError: boolean;
    readonly failure?: Failure;
  };
  usage_recorded: { readonly turn: number; readonly usage: Usage; readonly isEstimated: boolean };
  /** Four fifths of a budget are spent, of the agent's own or of its tree's; emitted once per limit. */
  budget_warning: {
    readonly scope: 'agent' | 'tree';
    readonly limit: 'maxTurns' | 'maxTokens' | 'maxCostUsd';
    readonly used: number;
    readonly max: number;
  };
  interrupt_requested: { readonly scope: string; readonly reason: string; readonly target: string };
  interrupt_completed: { readonly target: string; readonly receipts: number };
  /** `tools` are those whose calls are open; only where there are any. */
  idle_warning: {
    readonly idleMs: number;
    readonly limitMs: number;
    readonly tools?: readonly string[];
  };
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
  dead_letter: { readonly reason: string; readonly to: string };
  events_dropped: { readonly missedFrom: number; readonly missedTo: number };
  thread_spawned: { readonly threads: number };
  thread_lost: { readonly threads: number; readonly failure?: Failure };
  log: { readonly level: 'warn' | 'error'; readonly message: string; readonly failure?: Failure };
};

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
  task_started: true,
  task_progress: true,
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
    readonly seq: number;
    /** Milliseconds since 1970. */
    readonly at: number;
    readonly type: Each;
  } & EventSubject &
    EventPayloads[Each];
}[Type];

export type EventFilter = {
  /** Only these types; all when left out. */
  readonly types?: readonly EventType[];
  /** Events after this sequence number; from now on when left out. */
  readonly afterSeq?: number;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
};
