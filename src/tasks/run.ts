// Owns one agent in the registry while it performs a task: its cell, its running copy, its clocks, its children.

import type { Cell } from '../actor/cell.ts';
import type { RunRecord } from '../agent/run-record.ts';
import { type Failure, TroupeError } from '../base/failures.ts';
import {
  addUsage,
  type Outcome,
  type OutcomeExitReason,
  type RunPhase,
  type Usage,
} from '../base/outcome.ts';
import { openController } from '../base/when-aborted.ts';
import type { EventSubject } from '../events/event-types.ts';
import type { Queued } from '../supervision/admission.ts';
import type { IdleClock } from '../supervision/idle-clock.ts';
import type { LivenessCheck } from './agent-runtime.ts';
import { Branch, type RunBelow } from './branch.ts';
import type { EndCause } from './end-cause.ts';
import type { PausableTimer } from './pausable-timer.ts';
import type { AgentSpec } from './resolve/agent-resolver.ts';
import type { Background } from './services/background.ts';
import type { HostHooks } from './services/host-hooks.ts';
import type { HostTools } from './services/host-tools.ts';
import { PendingWorkerCalls } from './services/pending-worker-calls.ts';
import type { ReplyWidth } from './services/reply-width.ts';
import type { SlotOwner, SlotState } from './slot.ts';
import type { Task } from './task.ts';

/** The time of one call: of its work, or of all of it. */
type ToolTimer = { readonly timer: PausableTimer; readonly counts: 'work' | 'everything' };

/** What a run knows of its task. */
export interface RunTask {
  readonly id: string;
  readonly task: Task;
  readonly depth: number;
  readonly sessionId: string | undefined;
  readonly origin: { readonly index: number };
  /** The spawned agent that was asked; null when the task gets an agent of its own. */
  readonly persistentAgent: { readonly branch: Branch } | null;
  readonly isPaused: boolean;
  readonly isEnded: boolean;
  readonly result: Promise<Outcome>;
  /** Null before it has started, and once it has ended. */
  readonly run: Run | null;
}

export class Run implements Queued, SlotOwner, RunBelow {
  readonly kind = 'parked';
  readonly cell: Cell;
  readonly task: RunTask;
  readonly spec: AgentSpec;
  readonly parent: Run | null;
  /** False for a run of a spawned agent, which waits for its next one. */
  readonly endsWithRun: boolean;
  readonly depth: number;
  readonly isRoot: boolean;
  /** The root of its tree; itself for a root. */
  readonly root: Run;
  readonly record: RunRecord;
  readonly startedAt: number;
  readonly branch: Branch;
  /** What it started and does not await; made when it first does. */
  background: Background | null = null;
  readonly subject: EventSubject;
  #pendingWorkerCalls: PendingWorkerCalls | null = null;
  #toolTimers: Map<string, ToolTimer> | null = null;
  hostTools: HostTools | null = null;
  hostHooks: HostHooks | null = null;
  idle: IdleClock | null = null;
  /** The total clock: its probe and its end. */
  total: readonly PausableTimer[] = [];
  cause: EndCause | null = null;
  /** The answer that its output schema made; null before there is one. */
  answer: { readonly value: unknown } | null = null;
  slot: SlotState = 'occupied';
  hasStarted = false;
  /** The newest question put to its thread; null before a clock put one. */
  probe: LivenessCheck | null = null;
  /** Position in the queue of runs whose answers came. */
  order = 0;
  /** Agents its tree has had or has let in; kept at the root. */
  treeTotal = 1;
  /** Of its calls that delegate; made when the first one does. */
  replyWidth: ReplyWidth | null = null;
  /** Made on first use: most agents have no host tools. */
  #ended: AbortController | null = null;
  /** Why its work is over, if it ended before any had begun: later work for it begins aborted. */
  #overFor: (() => TroupeError) | null = null;

  constructor(facts: {
    readonly cell: Cell;
    readonly task: RunTask;
    readonly spec: AgentSpec;
    readonly parent: Run | null;
    readonly record: RunRecord;
    readonly startedAt: number;
  }) {
    this.cell = facts.cell;
    this.task = facts.task;
    this.spec = facts.spec;
    this.parent = facts.parent;
    this.record = facts.record;
    this.startedAt = facts.startedAt;
    const { persistentAgent } = facts.task;
    this.endsWithRun = persistentAgent === null;
    this.branch = new Branch(facts.parent?.branch ?? persistentAgent?.branch ?? null);
    this.depth = facts.task.depth;
    this.isRoot = facts.parent === null;
    this.root = facts.parent?.root ?? this;
    this.subject = {
      agentId: facts.cell.address.id,
      path: facts.cell.address.path,
      depth: this.depth,
      taskId: facts.task.id,
      ...sessionOf(facts.task),
      ...(facts.parent === null ? {} : { parentId: facts.parent.cell.address.id }),
    };
  }

  get id(): string {
    return this.cell.address.id;
  }

  get path(): string {
    return this.cell.address.path;
  }

  /** The tree whose budget the run is under: one root task and all below it. */
  get tree(): string {
    return this.root.task.id;
  }

  /** The current run; a spawned agent has one only at times. */
  get run(): this {
    return this;
  }

  /** It has no thread while all its calls wait on the host (V7). */
  get isParked(): boolean {
    return this.slot === 'parked' || this.slot === 'ready';
  }

  /** Something happened in this agent or below it: counts as activity of every waiting ancestor (V8). */
  touch(): void {
    for (let at: Run | null = this; at !== null; at = at.parent) at.idle?.touch();
  }

  /** The phase of the run, children and a silent thread included (V9). */
  get phase(): RunPhase {
    return this.phaseBy(this.probe);
  }

  /** The same, by one probe's current view of the thread; a later call may give another phase. */
  phaseBy(probe: LivenessCheck | null): RunPhase {
    const verdict = probe?.verdict() ?? 'answers';
    if (verdict !== 'answers') return verdict;
    const { phase } = this.record;
    // A child in the background is nothing that it waits for.
    return phase === 'in_tool' && this.branch.children.size > 0 ? 'waiting_for_child' : phase;
  }

  /** Records why the supervisor ends the run; the first reason is kept. */
  endFor(exitReason: OutcomeExitReason, error: Failure, phase: RunPhase = this.phase): void {
    this.cause ??= { exitReason, error, phase };
  }

  /** Own usage and that of every descendant so far, live. */
  subtreeUsage(): Usage {
    return addUsage(this.record.usage, this.branch.usage());
  }

  /** It and every agent there is or was below it. */
  subtreeAgents(): number {
    return 1 + this.branch.agents();
  }

  /** Files that it or anything below it touched so far. */
  allFilesTouched(): readonly string[] {
    const { filesTouched } = this.record;
    const below = this.branch.files();
    return below === null ? filesTouched : [...new Set([...filesTouched, ...below])];
  }

  /** Replaces the timer of a call; a timer that counts only work is paused while the call waits. */
  setToolTimer(callId: string, timer: PausableTimer, counts: ToolTimer['counts']): void {
    this.#toolTimers?.get(callId)?.timer.cancel();
    this.#toolTimers ??= new Map();
    this.#toolTimers.set(callId, { timer, counts });
  }

  stopToolTimer(callId: string): void {
    this.#toolTimers?.get(callId)?.timer.cancel();
    this.#toolTimers?.delete(callId);
  }

  /** A call begins to wait for what the supervisor ends: children, a person. Returns how to end the wait. */
  beginWait(callId: string): () => void {
    const known = this.#toolTimers?.get(callId);
    if (known?.counts !== 'work') return () => {};
    known.timer.suspend();
    return () => known.timer.release();
  }

  /** Pauses the clocks of the run, and those of one call or of all waiting calls; returns how to resume them (V8). */
  suspendClocks(callId: string | null): () => void {
    const calls = callId === null ? this.#waitingCalls() : [callId];
    const timers = calls.flatMap((id) => this.#toolTimers?.get(id)?.timer ?? []);
    const paused = [...timers, ...this.total, ...(this.idle === null ? [] : [this.idle])];
    for (const each of paused) each.suspend();
    return () => {
      for (const each of paused) each.release();
    };
  }

  #waitingCalls(): readonly string[] {
    return [...this.record.openCalls.keys()].filter(
      (id) =>
        this.#pendingWorkerCalls?.has(id) === true || this.hostTools?.isSuspended([id]) === true,
    );
  }

  /** Every open call is a host tool that waits for children or an answer (V7). */
  get isParkable(): boolean {
    const { openCalls, phase } = this.record;
    if (this.slot !== 'occupied' || openCalls.size === 0 || this.hostTools === null) return false;
    if (phase !== 'in_tool') return false;
    for (const call of openCalls.values()) if (call.where !== 'host') return false;
    return this.hostTools.isSuspended(openCalls.keys());
  }

  /** True when it keeps its slot and can do nothing with it: every open call waits for children, one in its thread. */
  get isStuck(): boolean {
    if (this.slot !== 'occupied' || this.record.phase !== 'in_tool') return false;
    return (this.#pendingWorkerCalls?.size ?? 0) > 0 && this.onlyWaits;
  }

  /** Every open call waits for children, or for what else the supervisor ends. */
  get onlyWaits(): boolean {
    const { openCalls } = this.record;
    return openCalls.size > 0 && this.#waitingCalls().length === openCalls.size;
  }

  /** Its thread's calls that wait for children; made when the first one does. */
  get pendingWorkerCalls(): PendingWorkerCalls {
    this.#pendingWorkerCalls ??= new PendingWorkerCalls(this.signal, (callId) =>
      this.beginWait(callId),
    );
    return this.#pendingWorkerCalls;
  }

  /** Aborted when the agent is over: what the service does in its name ends then. */
  get signal(): AbortSignal {
    if (this.#ended === null) {
      this.#ended = openController();
      if (this.#overFor !== null) this.#ended.abort(this.#overFor());
    }
    return this.#ended.signal;
  }

  endWork(why?: TroupeError): void {
    // Most agents have nothing to end, and an error is dear to make.
    this.#overFor ??= () => why ?? new TroupeError('activation_ended', `${this.path} has ended`);
    this.#ended?.abort(this.#overFor());
  }

  /** No clock of it runs any more. */
  stopClocks(): void {
    this.idle?.stop();
    this.idle = null;
    for (const timer of this.total) timer.cancel();
    for (const { timer } of this.#toolTimers?.values() ?? []) timer.cancel();
    this.#toolTimers = null;
  }
}

/** The session that an entry's events name. */
export function sessionOf({ sessionId }: RunTask): { readonly sessionId?: string } {
  return sessionId === undefined ? {} : { sessionId };
}
