// Owns one task in the registry: its state, its agent, its one end.

import type { Outcome } from '../base/outcome.ts';
import type { EventSubject } from '../events/event-types.ts';
import type { Queued } from '../supervision/admission.ts';
import type { ChildScope } from '../supervision/child-spec.ts';
import type { Branch, TaskBelow } from './branch.ts';
import type { AgentSpec } from './resolve/agent-resolver.ts';
import type { Run, RunTask } from './run.ts';
import type { Task, TaskStatus } from './task.ts';

export type TaskState =
  /** Its tool modules are being described. */
  | { readonly status: 'preparing' }
  | { readonly status: 'queued' }
  | { readonly status: 'started'; readonly run: Run }
  /** `branch` is what it had left in the background; null when it never had an agent. */
  | { readonly status: 'ended'; readonly outcome: Outcome; readonly branch: Branch | null };

export type TaskOrigin = {
  /** Null for a task of the program. */
  readonly parent: Run | null;
  /** Requested by a tool of the program's own loop: limits on calls apply, and a pause refuses it. */
  readonly isToolCall?: true;
  /** How long it may run: with the run that asked for it, the default, or with its session (X5). */
  readonly scope?: ChildScope;
  readonly index: number;
  /** Tasks of the call it came in; with background tasks, how many its owner then has. */
  readonly width: number;
  /** Tasks of the model's reply the call is of, this call's included; of an agent only. */
  readonly ofReply?: number;
  /** What the tool that asks was limited to. */
  readonly maxWidth?: number | undefined;
  /** The session in whose name a root was started; what is below it belongs there too. That of a background task is its own. */
  readonly sessionId?: string | undefined;
  /** The caller's signal: aborted before the task is admitted, the task never starts (S8). */
  readonly signal?: AbortSignal | undefined;
};

/** What a task knows of its caller. */
export type Caller = Pick<TaskOrigin, 'sessionId' | 'signal'>;

/** What it knows of the tool call that it came in. */
export type ToolCallFacts = Caller & Partial<Pick<TaskOrigin, 'width' | 'ofReply' | 'maxWidth'>>;

/** The spawned agent that a task was asked of, as far as the task is concerned. */
export interface AskedAgent {
  readonly id: string;
  readonly path: string;
  readonly subject: EventSubject;
  /** Its ended runs, with what they delegated. */
  readonly branch: Branch;
  /** Tasks whose runs have not begun, in their order. */
  readonly waiting: Set<TaskRecord>;
}

export class TaskRecord implements Queued, TaskBelow, RunTask {
  readonly kind = 'task';
  readonly id: string;
  readonly task: Task;
  origin: TaskOrigin;
  readonly scope: ChildScope;
  /** How far down the tree it is; a loop of the program that asks by a tool is the agent at depth 0 of its own tree. */
  readonly depth: number;
  readonly sessionId: string | undefined;
  readonly isRoot: boolean;
  readonly order: number;
  readonly acceptedAt: number;
  /** The one outcome, which the archive and the events have as well: each reader gets a copy. */
  readonly result: Promise<Outcome>;
  /** The spawned agent that is asked; null when the task gets an agent of its own. */
  readonly persistentAgent: AskedAgent | null;
  spec: AgentSpec | null = null;
  /** Paused by its owner: the slot queue skips it. */
  isPaused = false;
  /** Counted among the agents of its tree. */
  isCounted = false;
  state: TaskState = { status: 'preparing' };
  /** The sequence number of the event that reported its end. */
  endedSeq = Number.POSITIVE_INFINITY;
  #settle: (outcome: Outcome) => void = () => {};

  constructor(
    id: string,
    task: Task,
    facts: {
      readonly origin: TaskOrigin;
      readonly order: number;
      readonly acceptedAt: number;
      readonly persistentAgent: AskedAgent | null;
    },
  ) {
    this.id = id;
    this.task = task;
    const { origin } = facts;
    const { parent, scope = 'run', sessionId } = origin;
    this.origin = origin;
    this.scope = scope;
    this.depth = depthOf(origin);
    this.sessionId = scope === 'session' ? sessionId : (parent?.task.sessionId ?? sessionId);
    this.isRoot = parent === null;
    this.order = facts.order;
    this.acceptedAt = facts.acceptedAt;
    this.persistentAgent = facts.persistentAgent;
    this.result = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Null before it has started, and once it has ended. */
  get run(): Run | null {
    return this.state.status === 'started' ? this.state.run : null;
  }

  get isEnded(): boolean {
    return this.state.status === 'ended';
  }

  status(): TaskStatus {
    switch (this.state.status) {
      case 'preparing':
      case 'queued':
        return 'queued';
      case 'started':
        return this.state.run.cell.state.status === 'parked' ? 'parked' : 'running';
      case 'ended':
        return this.state.outcome.status;
    }
  }

  /** The one end. The event is out before this is called (O3). */
  end(outcome: Outcome): void {
    this.state = { status: 'ended', outcome, branch: this.run?.branch ?? null };
    // A kept outcome must not keep its caller's conversation.
    this.origin = { ...this.origin, parent: null };
    this.#settle(outcome);
  }
}

/** How far down the tree a task of this origin is. */
export function depthOf({ parent, isToolCall }: TaskOrigin): number {
  if (parent !== null) return parent.depth + 1;
  return isToolCall === true ? 1 : 0;
}
