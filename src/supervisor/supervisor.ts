// Owns the programmatic face of a supervisor: every call checked, every promise settled, nothing decided here.

import type { LedgerSnapshot } from '../actor/ledger.ts';
import { alreadyDead, type InterruptOptions, type InterruptReceipt } from '../actor/ref.ts';
import type { AgentDefinition } from '../agent/definition.ts';
import { copyData } from '../base/copy-data.ts';
import { describe, TroupeError } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { EventFilter, EventType, TroupeEvent } from '../events/event-types.ts';
import { collectProgress, type ProgressOptions } from '../observe/progress-groups.ts';
import type { TreeOptions, TreeSnapshot } from '../observe/tree.ts';
import type { Message } from '../protocol/history.ts';
import type { SteerReceipt } from '../protocol/steer-receipt.ts';
import type { Session } from '../sessions/session.ts';
import type { Caller } from '../tasks/caller.ts';
import type { MapOptions } from '../tasks/fan-out.ts';
import type { RecoveredTask } from '../tasks/journal/recovery.ts';
import { steerById } from '../tasks/steer-by-id.ts';
import type { DelegateOptions, StartOptions, Task, TaskHandle } from '../tasks/task.ts';
import { AgentRef, checkInterrupt, type SpawnAgentOptions } from './agent-ref.ts';
import { awaitOutcomes } from './await-outcomes.ts';
import { buildSupervisor, type KernelBounds, type SupervisorParts } from './build-supervisor.ts';
import {
  type CloseOptions,
  closeSchema,
  delegateSchema,
  progressSchema,
  spawnSchema,
  startSchema,
  treeSchema,
} from './call-options.ts';
import { type DrainOptions, drain } from './drain.ts';
import { logOutput } from './log-output.ts';
import { type MapRun, type MapRunPort, mapRun } from './map-run.ts';
import { SessionRegistry } from './session-registry.ts';
import { correctionsOf, type SupervisorOptions, workspaceOf } from './supervisor-options.ts';
import { taskHandle } from './task-handle.ts';
import { countedIn, type Totals, totalsOfAll, totalsOfBranch } from './totals.ts';
import { transcriptOf } from './transcripts.ts';
import { snapshotTree } from './tree-snapshot.ts';

/**
 * Runs agents on worker threads, as one tree with limits, timeouts and budgets. `createSupervisor` makes one; `close` ends
 * it.
 */
export class Supervisor {
  readonly #system: SupervisorParts;
  readonly #sessions: SessionRegistry;
  readonly #counted: () => Pick<Totals, 'usage' | 'agents'>;

  constructor(options: SupervisorOptions, bounds: KernelBounds = {}) {
    this.#system = buildSupervisor(options, bounds);
    this.#sessions = new SessionRegistry({
      system: this.#system,
      workspace: workspaceOf(options),
      tools: options.tools ?? [],
    });
    this.#counted = countedIn(this.#system.events);
    logOutput(this.#system.events, options.logger, process.env);
    const { events, resolver } = this.#system;
    const warnings = [...correctionsOf(options), ...resolver.approvals.warnings];
    for (const message of warnings) events.emit('log', {}, { level: 'warn', message });
  }

  /**
   * Runs a task, or several at once, and resolves with their outcomes, in input order; what became of one never rejects
   * another. Rejects only for misuse: `invalid_task`, `unknown_agent`, `unknown_tool`, `tool_module_failed`, `closed`, …
   */
  delegate<Answer = unknown>(
    tasks: readonly Task<Answer>[],
    options?: DelegateOptions,
  ): Promise<readonly Outcome<Answer>[]>;
  delegate(tasks: readonly Task[], options?: DelegateOptions): Promise<readonly Outcome[]>;
  // Last, because the compiler reports a wrong task by the errors of the last overload.
  delegate<Answer = unknown>(
    task: Task<Answer>,
    options?: DelegateOptions,
  ): Promise<Outcome<Answer>>;
  async delegate(
    what: Task | readonly Task[],
    options: DelegateOptions = {},
  ): Promise<Outcome | readonly Outcome[]> {
    parseOptions(delegateSchema, options, 'delegate');
    const tasks: readonly Task[] = Array.isArray(what) ? what : [what];
    const { signal, budget } = options;
    const { scheduler } = this.#system;
    const job = this.#system.openJob(budget);
    try {
      const entries = await scheduler.submissions.submitAll(tasks, { signal, job: job.account });
      const outcomes = await awaitOutcomes(scheduler, entries, signal);
      const [first] = outcomes;
      return Array.isArray(what) || first === undefined ? outcomes : first;
    } finally {
      job.close();
    }
  }

  /** Throws what is wrong with a task, as far as it shows without loading a tool module; starts nothing. */
  validate(task: Task): void {
    this.#system.scheduler.submissions.validate(task);
  }

  /**
   * Hands a task over and returns its handle at once. Throws what is wrong with it, as `validate` does; a limit it meets and
   * a tool module that fails are its outcome, and so is a signal that has aborted.
   */
  start<Answer = unknown>(task: Task<Answer>, options: StartOptions = {}): TaskHandle<Answer> {
    parseOptions(startSchema, options, 'start');
    // Its answers are those that its schema let through.
    return this.#submit(task, 0, options) as TaskHandle<Answer>;
  }

  /** The handle of a task that runs or is kept, also by the journal. Rejects `unknown_task`, and `recovery_failed` for a damaged one. */
  async handle(taskId: string): Promise<TaskHandle> {
    const { scheduler, events } = this.#system;
    return taskHandle(await scheduler.earlier.withId(taskId), this.#system, events.lastSeq);
  }

  /** The tasks that an earlier process had accepted and that go on here, as they do; ends when no other goes on by itself. */
  recovered(): AsyncIterableIterator<RecoveredTask> {
    return this.#system.scheduler.recovery.recovered();
  }

  /**
   * Starts a persistent agent, or goes on with the one that an earlier process had under its name: it remembers from run to run,
   * and uses a thread and a slot while it runs. Resolves when it can be asked; while every slot is taken, or the supervisor is
   * paused, it is queued unless it is `lazy`. Rejects `unknown_agent`, `invalid_agent`, `tool_module_failed`, …, `name_taken`,
   * `recovery_failed`, a limit's name, and why it did not start.
   */
  async spawn<Answer = unknown>(
    agent: string | AgentDefinition<Answer>,
    options: SpawnAgentOptions = {},
  ): Promise<AgentRef<Answer>> {
    parseOptions(spawnSchema, options, 'spawn');
    const { persistent } = this.#system.scheduler;
    return new AgentRef(await persistent.spawn(agent, options), this.#system);
  }

  /** The persistent agent of this name, also of an earlier process on the journal. Rejects `unknown_agent`, `recovery_failed`. */
  async agent(name: string): Promise<AgentRef> {
    return new AgentRef(await this.#system.scheduler.earlierAgents.named(name), this.#system);
  }

  /**
   * The session of this id; the same object until it is reset, or forgotten because it was unused. The first call for one of an
   * earlier process reads it from the journal, about a millisecond. Throws `invalid_options`, then also `journal_failed`, `closed`.
   */
  session(id: string): Session {
    return this.#sessions.of(id);
  }

  /** Whether there is a session of this id: it was asked for, here or on the journal, and neither reset nor forgotten since. */
  hasSession(id: string): boolean {
    return this.#sessions.has(id);
  }

  /**
   * Runs the tasks of a lazy source, so many at a time, and yields their outcomes; `stream` and `toSSEResponse` of what it
   * returns yield their text as well. Leaving the loop ends what runs.
   */
  map<Answer = unknown>(
    source: AsyncIterable<Task<Answer>> | Iterable<Task<Answer>>,
    options: MapOptions = {},
  ): MapRun<Answer> {
    const submit: MapRunPort['submit'] = (task, index, job) => this.#submit(task, index, { job });
    // Their answers are those that their schema let through.
    return mapRun(source, options, { ...this.#system, submit }) as MapRun<Answer>;
  }

  /**
   * Ends a task or the run of an agent, by task id, agent id or path, and everything below it; resolves after the last
   * exit with a receipt per agent; `already_dead` for a forgotten id. Only the scope `agent` ends a persistent agent.
   */
  async interrupt(
    idOrPath: string,
    options: InterruptOptions = {},
  ): Promise<readonly InterruptReceipt[]> {
    checkInterrupt(options);
    const { registry, interrupts, persistent } = this.#system.scheduler;
    const found = registry.lookup(idOrPath);
    if (found.type === 'agent') return persistent.interrupt(found.agent, options);
    if (found.type === 'task') return interrupts.interrupt(found.task, options);
    const { outcome, branch } = found.ended;
    const background = branch === null ? [] : await interrupts.interruptBackground(branch, options);
    return [alreadyDead(outcome.agent), ...background];
  }

  /** As a handle's `steer`, by task id, agent id or path. An ended run: `undelivered`. Rejects `unknown_task` too. */
  async steer(idOrPath: string, text: string): Promise<SteerReceipt> {
    return steerById(this.#system.scheduler, idOrPath, text);
  }

  /** Answers a question of an agent (`question_asked`). Throws `unknown_question` when it was never asked or is over. */
  answer(questionId: string, text: string): void {
    this.#system.questions.answer(questionId, text);
  }

  /** Starts no further task until `resume`; what runs goes on, tasks of the program wait, delegation tools are refused. */
  pause(): void {
    this.#system.scheduler.dispatch({ type: 'pause' });
  }

  /** Starts waiting tasks again. */
  resume(): void {
    this.#system.scheduler.dispatch({ type: 'resume' });
  }

  /** Live agents and queued tasks below those that delegated them, roots first; `ended` adds kept ended ones. */
  tree(options: TreeOptions = {}): readonly TreeSnapshot[] {
    const { ended = false } = parseOptions(treeSchema, options, 'tree');
    return snapshotTree(this.#system.scheduler, ended);
  }

  /** Totals of everything, or of one agent or task and all that is and was below it. Throws `unknown_task`. */
  totals(id?: string): Totals {
    const { scheduler } = this.#system;
    if (id === undefined) return totalsOfAll(scheduler, this.#counted());
    return totalsOfBranch(scheduler.registry.lookup(id));
  }

  /** A copy of the conversation of a run's agent, by task id, agent id or path. Throws `unknown_task`. */
  transcript(id: string): readonly Message[] {
    return transcriptOf(this.#system.scheduler, id);
  }

  /**
   * Hands what tasks do to a callback, in groups, with a last one when a task ends, before its outcome. Returns
   * how to stop. Throws `invalid_options`, and `unknown_task` for a task that is not unfinished.
   */
  collectProgress(options: ProgressOptions): () => void {
    parseOptions(progressSchema, options, 'collectProgress');
    const { scheduler, events, clock } = this.#system;
    const { taskId } = options;
    if (taskId !== undefined && !scheduler.registry.tasks.has(taskId)) {
      throw new TroupeError('unknown_task', `no unfinished task is ${describe(taskId)}`);
    }
    return collectProgress({ events, clock }, options);
  }

  /** Calls `listener` for each event of a type; returns how to stop. A listener that fails is reported as `log`. */
  on<Type extends EventType>(
    type: Type,
    listener: (event: TroupeEvent<Type>) => unknown,
  ): () => void {
    const { events } = this.#system;
    if (typeof listener !== 'function') return events.on(type, listener);
    return events.on(type, (event) => listener(copyData(event)));
  }

  /** The events from now on, or after `afterSeq`. */
  events(filter: EventFilter = {}): AsyncIterableIterator<TroupeEvent> {
    return this.#system.events.read(filter);
  }

  /** The message ledger; it closes at every moment. */
  ledger(): LedgerSnapshot {
    return this.#system.kernel.ledger();
  }

  /**
   * Resolves when no task is unfinished. With `queued: 'return'` tasks that have not begun end `interrupted`, and it resolves
   * with them, oldest first, on a paused supervisor too. It waits for a run that is paused by its handle's `pause`.
   */
  async drain(options: DrainOptions = {}): Promise<readonly Task[]> {
    return drain(this.#system.scheduler, options);
  }

  /**
   * Interrupts what runs, ends every thread and timer, leaves nothing behind. Idempotent. With `force`, also in a second
   * call, the processes of toolsets are killed before it returns, for a program that exits without waiting for the rest.
   * A thread in a synchronous native call (`execSync`) cannot be ended. Its agent is `agent_unresponsive` 10 s after
   * its grace periods; 10 s later `close` resolves without it and emits a `log` event. Until that call returns the
   * process cannot exit: `process.exit()` waits too, only `process.kill(process.pid, 'SIGKILL')` does not.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const { force = false } = parseOptions(closeSchema, options, 'close');
    return this.#system.close(force);
  }

  /** Closes the supervisor, at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #submit(task: Task, index: number, caller: Pick<Caller, 'signal' | 'job'>): TaskHandle {
    const { scheduler, events } = this.#system;
    const { signal } = caller;
    const fromSeq = events.lastSeq;
    const entry = scheduler.submissions.submit(task, { parent: null, index, width: 1, ...caller });
    if (signal !== undefined) void awaitOutcomes(scheduler, [entry], signal);
    return taskHandle(entry, this.#system, fromSeq);
  }
}

/** Starts a supervisor. Throws `invalid_options`, `model_missing`, `model_unknown`, `model_key_missing`, `invalid_agent`. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  return new Supervisor(options);
}
