// Owns the data of the scheduler: tasks, the agents that perform them, their runs, and what is below each. Decides nothing.
import type { Cell } from '../actor/cell.ts';
import type { RunRecord } from '../agent/run/record.ts';
import type { Failure } from '../base/failures.ts';
import { LazySet } from '../base/lazy-set.ts';
import {
  noUsage,
  type Outcome,
  type OutcomeExitReason,
  type RunPhase,
  type Usage,
} from '../base/outcome.ts';
import type { EventSubject } from '../events/event-types.ts';
import type { BudgetAccount } from '../protocol/budget.ts';
import type { Message } from '../protocol/history.ts';
import type { Queued } from '../supervision/admission-order.ts';
import type { ChildScope } from '../supervision/child-spec.ts';
import type { LivenessCheck } from './agent-runtime.ts';
import type { AgentStatus, Over, SlotState } from './agent-status.ts';
import type { CallAnswers } from './call-answers.ts';
import type { OpenDelivery } from './delivery.ts';
import type { EndCause } from './end-cause.ts';
import { EndSignal } from './end-signal.ts';
import type { Below } from './journal/stored-task.ts';
import type { WrittenAgent } from './journal/written-agent.ts';
import { WrittenTask } from './journal/written-task.ts';
import { OpenCalls } from './open-calls.ts';
import type { AgentSpec } from './resolve/agent-spec.ts';
import type { EarlierAttempts } from './retry-task.ts';
import type { RunBudget } from './run-budget.ts';
import { RunTimers } from './run-timers.ts';
import type { Background } from './services/background.ts';
import type { HostHooks } from './services/host-hooks.ts';
import type { HostTools } from './services/host-tools.ts';
import type { ReplyWidth } from './services/reply-width.ts';
import type { Task, TaskStatus } from './task.ts';
import { ThreadUse } from './thread-use.ts';
import { phaseOf, statusOf } from './waits.ts';

export type TaskOrigin = {
  /** Null for a task of the program. */
  readonly parent: Run | null;
  /** The budget of the call that it came in. */
  readonly job?: BudgetAccount | undefined;
  /** Requested by a tool of the program's own loop: limits on calls apply, and a pause refuses it. */
  readonly isToolCall?: true;
  /** Its caller does not wait for it, and receives its end later. */
  readonly isBackground?: true;
  /** What it was below in an earlier process, where nothing that is kept says so. */
  readonly was?: Below;
  /** How long it may run: with the run that asked for it, the default, or with its session (X5). */
  readonly scope?: ChildScope;
  readonly index: number;
  /** Tasks of the call it came in; with background tasks, how many its owner then has. */
  readonly width: number;
  /** Tasks of the model's reply the call is of, this call's included; of an agent only. */
  readonly ofReply?: number;
  /** What the tool that asks was limited to. */
  readonly maxWidth?: number | undefined;
  /** Where it is found again among what its parent's calls delegated: the same call asks for it there. */
  readonly place?: string;
  /** The session in whose name a root was started; what is below it belongs there too. That of a background task is its own. */
  readonly sessionId?: string | undefined;
  /** The caller's signal: aborted before the task is admitted, the task never starts (S8). */
  readonly signal?: AbortSignal | undefined;
};

/** What is and was below an agent or a run; branch.ts adds it up. */
export class Branch {
  up: Branch | null;
  /** Unfinished tasks that were asked for there. */
  readonly children = new LazySet<TaskRecord>();
  /** Of ended runs, whose background tasks go on. Made when there is one: most branches have none. */
  left: Set<Branch> | null = null;
  /** Of what has ended below. */
  usage: Usage = noUsage;
  files: Set<string> | null = null;
  agents = 0;
  /** Its agent, or its run, has ended. */
  isOver = false;

  constructor(up: Branch | null) {
    this.up = up;
  }
}

/** A task that was accepted: it waits, runs, or has its one end. */
export class TaskRecord {
  readonly id: string;
  readonly task: Task;
  origin: TaskOrigin;
  readonly scope: ChildScope;
  /** How far down the tree it is; a loop of the program that asks by a tool is the agent at depth 0 of its own tree. */
  readonly depth: number;
  readonly sessionId: string | undefined;
  readonly acceptedAt: number;
  /** The one outcome, which the archive and the events have as well: each reader gets a copy. */
  readonly result: Promise<Outcome>;
  /** Who performs it: the persistent agent that was asked, or one of its own once it is admitted; null when it has ended. */
  agent: Agent | null;
  /** Null while its tool modules are being described. */
  spec: AgentSpec | null = null;
  /** Paused by its owner: it does not start. */
  isPaused = false;
  /** Counted among the agents of its tree. */
  isCounted = false;
  /** Null before it has started, and once it has ended. */
  run: Run | null = null;
  /** Its failed runs that were tried again, null for none; the branch is below them, and below the next one. */
  earlier: (EarlierAttempts & { readonly branch: Branch }) | null = null;
  /** What it had left in the background when it ended; null when it never ran. */
  branch: Branch | null = null;
  outcome: Outcome | null = null;
  /** What it has to do with the journal. */
  readonly written = new WrittenTask();
  /** Messages from outside that its run has not confirmed; made with the first. */
  steers: OpenDelivery[] | null = null;
  /** Resumes the clocks that its pause has suspended; null when none are. */
  resumeClocks: (() => void) | null = null;
  /** The sequence number of the event that reported its end. */
  endedSeq = Number.POSITIVE_INFINITY;
  #resolve: (outcome: Outcome) => void = () => {};

  constructor(facts: {
    readonly id: string;
    readonly task: Task;
    readonly origin: TaskOrigin;
    readonly acceptedAt: number;
    readonly agent: Agent | null;
  }) {
    const { origin, agent } = facts;
    const { parent, scope = 'run', sessionId } = origin;
    this.id = facts.id;
    this.task = facts.task;
    this.origin = origin;
    this.scope = scope;
    this.depth = depthOf(origin);
    this.sessionId = scope === 'session' ? sessionId : (parent?.task.sessionId ?? sessionId);
    this.acceptedAt = facts.acceptedAt;
    this.agent = agent;
    this.spec = agent?.spec ?? null;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isEnded(): boolean {
    return this.outcome !== null;
  }

  status(): TaskStatus {
    if (this.outcome !== null) return this.outcome.status;
    return this.run === null ? 'queued' : statusOf(this.run);
  }

  end(outcome: Outcome): void {
    this.outcome = outcome;
    this.branch = this.run?.branch ?? this.earlier?.branch ?? null;
    this.run = null;
    // A kept outcome must not keep its caller's conversation, which its agent leads to as well.
    this.origin = { ...this.origin, parent: null };
    this.agent = null;
  }

  /** The event of the end is out (O3); `seq` is its number. */
  settle(outcome: Outcome, seq: number): void {
    this.endedSeq = seq;
    this.#resolve(outcome);
  }
}

/** How far down the tree a task of this origin is. */
export function depthOf({ parent, isToolCall, was }: TaskOrigin): number {
  if (parent !== null) return parent.agent.depth + 1;
  return was?.depth ?? (isToolCall === true ? 1 : 0);
}

/** An agent: one run at a time, its tasks in their order. It ends with its one task, or waits for the next. */
export class Agent implements Queued {
  readonly spec: AgentSpec;
  /** Its name among its siblings; undefined for its id. */
  readonly name: string | undefined;
  /** `task`: it ends with its one run. `persistent`: it waits for the next. */
  readonly lifetime: 'task' | 'persistent';
  readonly parent: Run | null;
  readonly depth: number;
  /** A lost activation, by a crash or a kill of its run, leaves it passivated. */
  readonly survivesCrash: boolean;
  /** Tasks whose runs have not begun, in their order. */
  readonly queue = new LazySet<TaskRecord>();
  /** Its ended runs, what they delegated, and what they left in the background. */
  branch: Branch;
  status: AgentStatus = 'queued';
  slot: SlotState = 'released';
  /** Null before its first slot. */
  cell: Cell | null = null;
  /** The run that is on. */
  run: Run | null = null;
  /** The conversation of the runs that are over; null while only the journal has it. */
  memory: readonly Message[] | null = [];
  /** What the journal has of it; null for one that is not written down. */
  written: WrittenAgent | null = null;
  /** Its start was published, so its end has to be. */
  hasStarted = false;
  /** It could not give its thread up: it is not asked again before its next run. */
  hasStayed = false;
  /** The task whose budget is being opened: its run begins then. */
  opening: TaskRecord | null = null;
  /** It has lost its thread in the middle of a run, which ends once its calls have reported; null before. */
  over: Over | null = null;
  /** How to report to the caller of `spawn` that it can be asked, or why it never will. */
  onReady: ((why: Failure | null) => void) | null = null;

  constructor(
    facts: Pick<Agent, 'spec' | 'name' | 'lifetime' | 'parent' | 'depth' | 'survivesCrash'>,
  ) {
    this.spec = facts.spec;
    this.name = facts.name;
    this.lifetime = facts.lifetime;
    this.parent = facts.parent;
    this.depth = facts.depth;
    this.survivesCrash = facts.survivesCrash;
    this.branch = new Branch(facts.parent?.branch ?? null);
  }

  get id(): string {
    return this.cell?.address.id ?? '';
  }

  get path(): string {
    return this.cell?.address.path ?? `${this.parent?.path ?? ''}/${this.name ?? this.spec.name}`;
  }

  get isRoot(): boolean {
    return this.parent === null;
  }

  /** It waits for a place to go on with its run. */
  get isReady(): boolean {
    return this.slot === 'ready';
  }

  /** Its run goes on, and has no thread (W1). */
  get isParked(): boolean {
    return this.cell?.state.status === 'parked';
  }

  get isLive(): boolean {
    return this.slot === 'occupied';
  }

  /** Its one task is paused before it has begun. */
  get isPaused(): boolean {
    const [next] = this.queue;
    return this.lifetime === 'task' && next?.isPaused === true;
  }

  get subject(): EventSubject {
    return { agentId: this.id, path: this.path, depth: this.depth };
  }

  /** It may be asked: a run waits until the agent is free. */
  get isTaking(): boolean {
    return this.status === 'starting' || this.status === 'live';
  }
}

/** One task while its agent performs it. */
export class Run {
  readonly agent: Agent;
  readonly cell: Cell;
  readonly task: TaskRecord;
  readonly spec: AgentSpec;
  readonly parent: Run | null;
  readonly depth: number;
  /** The root of its tree; itself for a root. */
  readonly root: Run;
  readonly record: RunRecord;
  readonly startedAt: number;
  readonly branch: Branch;
  readonly subject: EventSubject;
  readonly timers = new RunTimers();
  readonly thread = new ThreadUse();
  /** Aborted when the run is over: what the host does in its name ends then. */
  readonly over: EndSignal;
  /** What the host does for its calls. */
  readonly calls: OpenCalls;
  /** What those of its turn have come to; made with the first. */
  answers: CallAnswers | null = null;
  hostTools: HostTools | null = null;
  hostHooks: HostHooks | null = null;
  /** What it started and does not await; made when it first does. */
  background: Background | null = null;
  /** Tasks in its background whose ends it has received since its last turn. */
  readonly received: string[] = [];
  /** How many tasks its calls have delegated, by turn and call. */
  delegated: Map<string, number> | null = null;
  /** Of its calls that delegate; made when the first one does. */
  replyWidth: ReplyWidth | null = null;
  cause: EndCause | null = null;
  /** The answer that its output schema made; null before there is one. */
  answer: { readonly value: unknown } | null = null;
  /** The newest question put to its thread; null before a clock put one. */
  probe: LivenessCheck | null = null;
  /** What its calls, and those of the runs below it, are counted under. */
  readonly budget: RunBudget;
  /** Agents its tree has had or has let in; kept at the root. */
  treeTotal = 1;

  constructor(facts: {
    readonly agent: Agent;
    readonly cell: Cell;
    readonly task: TaskRecord;
    readonly record: RunRecord;
    readonly budget: RunBudget;
    readonly startedAt: number;
  }) {
    const { agent, cell, task } = facts;
    this.agent = agent;
    this.cell = cell;
    this.task = task;
    this.spec = agent.spec;
    this.parent = agent.parent;
    this.depth = agent.depth;
    this.root = agent.parent?.root ?? this;
    this.record = facts.record;
    this.budget = facts.budget;
    this.startedAt = facts.startedAt;
    this.branch = agent.lifetime === 'task' ? agent.branch : new Branch(agent.branch);
    this.subject = subjectOf(task, agent);
    this.over = new EndSignal(this.path);
    this.calls = new OpenCalls(this.timers);
  }

  get id(): string {
    return this.cell.address.id;
  }

  get path(): string {
    return this.cell.address.path;
  }

  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** Something happened in this run or below it: counts as activity of every waiting ancestor (V8). */
  touch(): void {
    for (let at: Run | null = this; at !== null; at = at.parent) at.timers.idle?.touch();
  }

  /** The phase of the run, children and a silent thread included (V9). */
  get phase(): RunPhase {
    return this.phaseBy(this.probe);
  }

  /** The same, by one probe's current view of the thread; a later call may give another phase. */
  phaseBy(probe: LivenessCheck | null): RunPhase {
    const verdict = probe?.verdict() ?? 'answers';
    return verdict === 'answers' ? phaseOf(this) : verdict;
  }

  /** Records why the supervisor ends the run; the first reason is kept. */
  endFor(exitReason: OutcomeExitReason, error: Failure, phase: RunPhase = this.phase): void {
    this.cause ??= { exitReason, error, phase };
  }
}

/** What the events of a task are about; the agent is there once it has a cell. */
export function subjectOf(task: TaskRecord, agent: Agent | null = task.agent): EventSubject {
  const { id: taskId, depth, sessionId } = task;
  const { parent } = task.origin;
  const subject: { -readonly [Key in keyof EventSubject]: EventSubject[Key] } =
    agent === null || agent.cell === null
      ? { depth, taskId }
      : { agentId: agent.id, path: agent.path, depth, taskId };
  if (sessionId !== undefined) subject.sessionId = sessionId;
  if (parent !== null) subject.parentId = parent.id;
  return subject;
}
