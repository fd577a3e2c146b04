// Owns one task on the supervisor's books: its state, its agent, its one end.

import type { Outcome } from '../outcome.ts';
import type { Waiting } from '../supervision/admission.ts';
import type { AgentEntry } from './agent-entry.ts';
import type { AgentPlan } from './plan/catalog.ts';
import type { StandingAgent } from './standing-agent.ts';
import type { Task, TaskStatus } from './task.ts';

export type TaskState =
  /** Its tool modules are being described. */
  | { readonly status: 'preparing' }
  | { readonly status: 'queued' }
  | { readonly status: 'started'; readonly agent: AgentEntry }
  | { readonly status: 'ended'; readonly outcome: Outcome };

export type TaskOrigin = {
  /** Null for a task of the program. */
  readonly parent: AgentEntry | null;
  /** Asked by a tool of the program's own loop: limits on calls hold, and a pause refuses it. */
  readonly isToolCall?: true;
  readonly index: number;
  /** Tasks of the call it came in; with background tasks, how many its owner then has. */
  readonly width: number;
  /** The session in whose name a root was started; what is below it belongs there too. */
  readonly sessionId?: string | undefined;
  /** Of whoever waits for it: aborted before the task is admitted, it never starts (S8). */
  readonly signal?: AbortSignal | undefined;
};

/** What a task knows of whoever asked for it. */
export type Caller = Pick<TaskOrigin, 'sessionId' | 'signal'>;

export class TaskEntry implements Waiting {
  readonly kind = 'task';
  readonly id: string;
  readonly task: Task;
  readonly origin: TaskOrigin;
  readonly order: number;
  readonly acceptedAt: number;
  readonly result: Promise<Outcome>;
  /** The spawned agent that is asked; null when the task gets an agent of its own. */
  readonly home: StandingAgent | null;
  plan: AgentPlan | null = null;
  /** Paused by its owner: it is passed over in the line. */
  isHeld = false;
  /** Counted among the agents of its tree. */
  isCounted = false;
  state: TaskState = { status: 'preparing' };
  /** The number of the event that told its end. */
  endedSeq = Number.POSITIVE_INFINITY;
  #settle: (outcome: Outcome) => void = () => {};

  constructor(
    id: string,
    task: Task,
    facts: {
      readonly origin: TaskOrigin;
      readonly order: number;
      readonly acceptedAt: number;
      readonly home: StandingAgent | null;
    },
  ) {
    this.id = id;
    this.task = task;
    this.origin = facts.origin;
    this.order = facts.order;
    this.acceptedAt = facts.acceptedAt;
    this.home = facts.home;
    this.result = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** How far down the tree it is; a loop of the program that asks by a tool is the agent at depth 0 of its own tree. */
  get depth(): number {
    return depthOf(this.origin);
  }

  get sessionId(): string | undefined {
    return this.origin.parent?.task.sessionId ?? this.origin.sessionId;
  }

  get isRoot(): boolean {
    return this.origin.parent === null;
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
        return this.state.agent.cell.state.status === 'parked' ? 'parked' : 'running';
      case 'ended':
        return this.state.outcome.status;
    }
  }

  /** The one end. The event is out before this is called (O3). */
  end(outcome: Outcome): void {
    this.state = { status: 'ended', outcome };
    this.#settle(outcome);
  }
}

/** Where the plan of a task is made for. */
export function placeOf(origin: TaskOrigin): { parent: AgentPlan | undefined; depth: number } {
  return { parent: origin.parent?.plan, depth: depthOf(origin) };
}

function depthOf({ parent, isToolCall }: TaskOrigin): number {
  if (parent !== null) return parent.depth + 1;
  return isToolCall === true ? 1 : 0;
}
