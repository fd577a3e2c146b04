// Owns delegated tasks from acceptance to their agents' reports: admission, starts, run events, parking. Performs what
// pure files beside it decide. Leaves out ends (completion/), spawned agents (persistent-agents.ts), cells and threads.
import type { Cell } from '../actor/cell.ts';
import type { Exit } from '../actor/exit.ts';
import type { Clock, ProcessRef } from '../base/clock.ts';
import { failure, TroupeError, toFailure } from '../base/failures.ts';
import type { EventBus } from '../events/events.ts';
import { parseRunEvent } from '../protocol/run-event-schema.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { AdmissionRequest, Decision, Limits } from '../supervision/admission.ts';
import { admissionRequestOf, placeOf, rootOfProgram } from './admission-request.ts';
import type { Supervision } from './agent-runtime.ts';
import { Completion, type CompletionOptions } from './completion/completion.ts';
import type { IdlePassivation } from './idle-passivation.ts';
import { openRun } from './open-run.ts';
import { changesWaits, Parking } from './parking.ts';
import { PersistentAgents } from './persistent-agents.ts';
import { givenUp, overLimit, refuseWithoutSpace } from './refusals.ts';
import type { AgentResolver, AgentSpec } from './resolve/agent-resolver.ts';
import { Run } from './run.ts';
import type { RunClocks } from './run-clocks.ts';
import { publishFilesLeftOut, publishRunEvent, publishRunStart } from './run-event-publisher.ts';
import { type RunResources, RunServices } from './services/run-services.ts';
import { newestInDeadlock, slotDeadlock } from './slot-deadlock.ts';
import { SlotQueue } from './slot-queue.ts';
import { Spending } from './spending.ts';
import { checkTask, type RunSettings, type Task } from './task.ts';
import type { TaskPause } from './task-pause.ts';
import type { Caller, TaskOrigin, TaskRecord, ToolCallFacts } from './task-record.ts';
import { TaskRegistry } from './task-registry.ts';

export type TaskSchedulerOptions = RunResources & {
  readonly clock: Clock;
  readonly processRef: ProcessRef;
  readonly events: EventBus;
  readonly resolver: AgentResolver;
  readonly limits: Limits;
  readonly clocks: RunClocks;
  readonly pauses: TaskPause;
  readonly supervision: Supervision;
  readonly rest: IdlePassivation;
  readonly diagnose: CompletionOptions['diagnose'];
};

/** A task that nothing is wrong with. */
type Prepared = {
  readonly task: Task;
  readonly origin: TaskOrigin;
  readonly preparing: Promise<void> | null;
  readonly spec: AgentSpec | null;
};

export class TaskScheduler {
  readonly registry: TaskRegistry;
  readonly #options: TaskSchedulerOptions;
  readonly #queue: SlotQueue;
  readonly #parking = new Parking();
  readonly #activations: RunServices;
  readonly #spending: Spending;
  readonly completion: Completion;
  readonly persistent: PersistentAgents;
  #isClosed = false;
  #isPumping = false;

  constructor(options: TaskSchedulerOptions) {
    this.#options = options;
    this.registry = new TaskRegistry(options);
    this.#queue = new SlotQueue(options.limits, options.supervision.pickNext);
    const publish = (agent: Run, event: RunEvent): void => this.#received(agent, event);
    const { registry } = this;
    this.#spending = new Spending({ ...options, registry });
    const parts = { ...options, registry, queue: this.#queue, parking: this.#parking, publish };
    this.#activations = new RunServices({
      ...parts,
      submit: (parent, tasks, call) => this.submitCall(parent, tasks, call),
      interrupt: (taskId, reason) => this.completion.interruptTask(taskId, { reason }),
      onWaitChanged: (agent) => this.#waitChanged(agent),
    });
    this.completion = new Completion({ ...parts, onFree: (agent) => this.persistent.next(agent) });
    this.persistent = new PersistentAgents({
      ...parts,
      activations: this.#activations,
      completion: this.completion,
      specOf: async (agent) => {
        await this.#prepared({ agent });
        return options.resolver.specOf({ agent });
      },
      admitRoot: () => this.#judge(rootOfProgram),
      enroll: (entry, agent) => this.#enroll(entry, agent),
      refuseClosed: () => this.#refuseClosed(),
      onIdle: () => this.#parkIfNeeded(),
      pump: () => this.#pump(),
    });
  }

  get live(): number {
    return this.#queue.live;
  }

  get queued(): number {
    return this.#queue.waiting;
  }

  now(): number {
    return this.#options.clock.now();
  }

  /**
   * Accepts tasks of the program, all or none: what is wrong with one is thrown, or rejected, before any is on the registry.
   * Rejects `tool_module_failed` when a module that one of them needs cannot be described.
   */
  async submitAll(values: readonly unknown[], call: Caller = {}): Promise<readonly TaskRecord[]> {
    this.#refuseClosed();
    const tasks = values.map(checkTask);
    const { resolver } = this.#options;
    for (const task of tasks) await this.#prepared(task);
    const specs = tasks.map((task) => resolver.specOf(task));
    this.#refuseClosed();
    return tasks.map((task, index) => {
      const origin = { parent: null, index, width: tasks.length, ...call };
      const entry = this.#enter(task, origin);
      entry.spec = specs[index] ?? null;
      this.#admit(entry);
      return entry;
    });
  }

  /** Throws what is wrong with a task, as far as it shows without loading a tool module; accepts nothing. */
  validate(value: unknown): void {
    this.#refuseClosed();
    this.#options.resolver.specOf(checkTask(value, 0));
  }

  /** Accepts one task. Throws what is wrong with it, `interrupting` too; a limit it meets is its outcome. */
  submit(value: unknown, origin: TaskOrigin): TaskRecord {
    this.#refuseClosed();
    const { parent } = origin;
    if (parent !== null && this.#options.runtime.isInterrupting(parent.cell.address)) {
      throw new TroupeError('interrupting', `${parent.path} is being interrupted`);
    }
    return this.#accept(this.#prepare(value, origin));
  }

  /** Accepts the tasks of one tool call, all or none; a limit that one of them meets is its outcome. */
  submitCall(
    parent: Run | null,
    values: readonly unknown[],
    call: ToolCallFacts = {},
  ): readonly TaskRecord[] {
    this.#refuseClosed();
    const prepared = values.map((value, index) =>
      this.#prepare(value, { parent, index, width: values.length, isToolCall: true, ...call }),
    );
    return prepared.map((each) => this.#accept(each));
  }

  get isPaused(): boolean {
    return this.#queue.isPaused;
  }

  pause(): void {
    this.#queue.isPaused = true;
    this.#options.events.emit('supervisor_paused', {}, {});
  }

  resume(): void {
    this.#queue.isPaused = false;
    this.#options.events.emit('supervisor_resumed', {}, {});
    this.#pump();
    for (const agent of this.registry.persistent.values()) this.persistent.next(agent);
  }

  /** Pauses a task: a waiting one stays in the queue, a running one makes no model call after its turn. */
  pauseTask(entry: TaskRecord): void {
    this.#options.pauses.pause(entry);
  }

  resumeTask(entry: TaskRecord): void {
    this.#options.pauses.resume(entry);
    this.#pump();
  }

  /** Refuses new tasks and interrupts the waiting ones; the running ones end with their cells. */
  close(): void {
    this.#isClosed = true;
    this.persistent.close();
    for (const entry of [...this.registry.tasks.values()]) {
      if (entry.run !== null) entry.run.endFor('interrupted', closing);
      else this.completion.endWaiting(entry, { exitReason: 'interrupted', error: closing });
    }
  }

  // --- what cells report

  started(cell: Cell): void {
    const agent = this.registry.agents.get(cell.address.id);
    if (agent === undefined || !agent.endsWithRun) this.persistent.started(cell);
    if (agent === undefined || agent.hasStarted) return;
    agent.hasStarted = true;
    publishRunStart(this.#options.events, agent);
  }

  published(cell: Cell, value: unknown): void {
    const agent = this.registry.agents.get(cell.address.id);
    if (agent === undefined) return;
    let event: RunEvent;
    try {
      event = parseRunEvent(value);
    } catch (error) {
      // A thread that forges run events is not trusted any further.
      agent.endFor('crashed', toFailure(error, 'protocol_violation'));
      cell.kill('crashed');
      return;
    }
    this.#received(agent, event);
  }

  parked(cell: Cell): void {
    const agent = this.registry.agents.get(cell.address.id);
    if (agent === undefined) return;
    this.#spending.endActivation(cell);
    agent.idle?.pause();
    this.#options.steering.parked(agent.task);
    this.#queue.freeSlot(agent, 'parked');
    this.#options.events.emit('agent_parked', agent.subject, {});
    this.#waitChanged(agent);
    this.#pump();
  }

  released(cell: Cell, exit: Exit): void {
    const agent = this.registry.agents.get(cell.address.id);
    const persistent = this.registry.persistent.get(cell.address.id);
    const owner = agent ?? persistent;
    if (owner === undefined) return;
    this.#spending.endActivation(cell);
    // An unresponsive thread still uses its slot: it is counted until it is gone (S7).
    if (exit.reason !== 'unresponsive') this.#queue.freeSlot(owner, 'released');
    this.completion.afterCalls(agent, () => {
      if (agent !== undefined) this.completion.released(agent, exit);
      if (persistent !== undefined) this.persistent.released(persistent, exit);
    });
    this.#pump();
  }

  /** A spawned agent has no thread any more; the run that it lost with it is over. */
  passivated(cell: Cell, lost: Exit | null): void {
    const run = this.registry.agents.get(cell.address.id);
    const persistent = this.registry.persistent.get(cell.address.id);
    if (persistent === undefined) return;
    this.#spending.endActivation(cell);
    this.#queue.freeSlot(run ?? persistent, 'released');
    this.completion.afterCalls(run, () => {
      if (run !== undefined && lost !== null) this.completion.released(run, lost);
      this.persistent.passivated(persistent, lost);
    });
    this.#pump();
  }

  unresponsive(cell: Cell): void {
    const { agents, persistent } = this.registry;
    const agent = agents.get(cell.address.id) ?? persistent.get(cell.address.id);
    if (agent !== undefined) this.#options.events.emit('agent_unresponsive', agent.subject, {});
  }

  /** An unresponsive thread exited after all. */
  gone(): void {
    this.#queue.freeUnresponsive();
    this.#pump();
  }

  // --- admission and start

  /** Throws what is wrong with a task; puts nothing on the registry. */
  #prepare(value: unknown, origin: TaskOrigin): Prepared {
    const task = checkTask(value, origin.index);
    const { resolver } = this.#options;
    const preparing = resolver.prepare(task);
    // The code that accepts the task receives the rejection; a task given up because of a sibling does not need it.
    preparing?.catch(() => {});
    const spec = preparing === null ? resolver.specOf(task, placeOf(origin)) : null;
    return { task, origin, preparing, spec };
  }

  #accept({ task, origin, preparing, spec }: Prepared): TaskRecord {
    const entry = this.#enter(task, origin);
    entry.spec = spec;
    if (preparing === null) this.#admit(entry);
    else this.#admitLater(entry, preparing);
    return entry;
  }

  /** Resolves when the modules that an agent spec needs are described. Rejects `tool_module_failed`, `closed`. */
  async #prepared(settings: RunSettings): Promise<void> {
    try {
      await this.#options.resolver.prepare(settings);
    } finally {
      // A module that could not be described because the supervisor closed is not a bad module.
      this.#refuseClosed();
    }
  }

  #enter(task: Task, origin: TaskOrigin): TaskRecord {
    const { waiting } = this.#queue;
    return this.registry.enter(task, origin, { order: this.#queue.nextOrder(), waiting });
  }

  #admitLater(entry: TaskRecord, preparing: Promise<void>): void {
    const { resolver } = this.#options;
    preparing
      .then(() => {
        if (entry.isEnded) return;
        entry.spec = resolver.specOf(entry.task, placeOf(entry.origin));
        this.#admit(entry);
      })
      .catch((error: unknown) => {
        const reason = toFailure(error, 'tool_module_failed');
        this.completion.endWaiting(entry, { exitReason: 'error', error: reason });
      });
  }

  #admit(entry: TaskRecord): void {
    const { parent, signal } = entry.origin;
    // An activation on its way to a warm thread may ask its model before an interrupt catches up with it.
    if (signal?.aborted === true) {
      this.completion.endWaiting(entry, givenUp);
      return;
    }
    const verdict = this.#judge(admissionRequestOf(entry, this.#options.runtime));
    if (parent !== null && verdict.type !== 'reject') {
      // Counted when it is admitted: a queued task will be part of the tree.
      parent.root.treeTotal += 1;
      entry.isCounted = true;
    }
    switch (verdict.type) {
      case 'start':
        this.#start(entry);
        break;
      case 'queue':
        this.#queue.join(entry);
        this.#pump();
        break;
      case 'reject':
        this.completion.endWaiting(entry, overLimit(verdict));
        break;
    }
  }

  #judge(request: AdmissionRequest): Decision {
    const load = {
      live: this.#queue.live,
      ahead: this.#queue.waiting,
      queuedRoots: this.#queue.queuedRoots,
      isPaused: this.#queue.isPaused,
      isClosed: this.#isClosed,
    };
    const { supervision, limits, rest } = this.#options;
    // Slots of idle agents do not count as overflow: they are reclaimed and the task is queued.
    const now = rest.hasIdle ? { ...limits, overflow: 'queue' as const } : limits;
    return supervision.admit(request, load, now);
  }

  /** Hands free slots out in order; with none free, asks an agent that only waits for its own (V7). */
  #pump(): void {
    if (this.#isPumping || this.#isClosed) return;
    this.#isPumping = true;
    for (let next = this.#queue.takeNext(); next !== null; next = this.#queue.takeNext()) {
      if (next.kind === 'parked') this.#activate(next);
      else if (next.kind === 'spawn') this.persistent.start(next);
      else this.#start(next);
    }
    this.#isPumping = false;
    this.#parkIfNeeded();
  }

  #start(entry: TaskRecord): void {
    const { clock, runtime, steering } = this.#options;
    const { spec, origin, task } = entry;
    if (spec === null) throw new TroupeError('internal', `task ${entry.id} has no plan`);
    const { parent } = origin;
    const above = parent?.cell.address ?? null;
    const { prompt, record } = openRun({ spec, task, memory: [], wallTime: clock.wallTime() });
    const startedAt = clock.now();
    try {
      refuseWithoutSpace(runtime, prompt);
      runtime.spawn({
        name: task.name,
        parent: entry.scope === 'run' ? above : null,
        below: above,
        activationOf: (cell) => {
          const agent = new Run({ cell, task: entry, spec, parent, record, startedAt });
          this.#queue.takeSlot(agent);
          this.#enroll(entry, agent);
          const steers = steering.handOver(entry);
          runtime.send(cell, { type: 'run', runId: entry.id, messages: [prompt], ...steers });
          return this.#activations.activationOf(agent);
        },
      });
    } catch (error) {
      const reason = toFailure(error, 'spawn_failed');
      const exitReason = reason.code === 'interrupting' ? 'interrupted' : 'rejected';
      this.completion.endWaiting(entry, { exitReason, error: reason });
    }
  }

  /** The agent is on the registry before its activation begins: a warm slot may answer within the same call. */
  #enroll(entry: TaskRecord, agent: Run): void {
    entry.state = { status: 'started', run: agent };
    this.registry.agents.set(agent.id, agent);
    agent.hostTools = this.#activations.hostToolsOf(agent);
    agent.hostHooks = this.#activations.hostHooksOf(agent);
    this.#options.clocks.start(agent);
  }

  #waitChanged(agent: Run): void {
    if (agent.slot !== 'parked') {
      this.#parkIfNeeded();
    } else if (this.#parking.goesOn(agent)) {
      // Nothing that it waits for is left: it goes to the head of the queue.
      this.#queue.joinReady(agent);
      this.#pump();
    }
  }

  #parkIfNeeded(): void {
    if (this.#queue.waiting === 0 || !this.#queue.isFull) return;
    if (this.#options.rest.makeSpace(this.#queue.waiting)) return;
    const agent = this.#parking.choose(this.registry.agents.values());
    if (agent === null) {
      const stuck = newestInDeadlock(this.registry.agents.values(), this.#queue);
      if (stuck !== null) this.completion.endWaiting(stuck, slotDeadlock);
      return;
    }
    agent.slot = 'parking';
    this.#options.runtime.control(agent.cell, { type: 'park' });
  }

  #activate(agent: Run): void {
    const { events, runtime } = this.#options;
    this.#queue.takeSlot(agent);
    agent.idle?.resume();
    events.emit('agent_activated', agent.subject, {});
    const owner = this.registry.persistent.get(agent.id) ?? agent;
    runtime.activate(agent.cell, this.#activations.activationOf(owner));
  }

  #received(agent: Run, event: RunEvent): void {
    const { clocks, events, steering, pauses } = this.#options;
    agent.record.apply(event, this.now());
    agent.touch();
    this.#parking.onRunEvent(agent, event);
    clocks.onRunEvent(agent, event);
    publishRunEvent(events, agent.subject, event);
    if (event.type === 'touched' && agent.record.files.leftOut === 1)
      publishFilesLeftOut(events, agent);
    this.#spending.onRunEvent(agent, event);
    steering.onRunEvent(agent.task, event);
    pauses.onRunEvent(agent, event);
    if (event.type === 'run_ended' && !agent.endsWithRun) this.completion.runEnded(agent);
    else if (changesWaits.has(event.type)) this.#parkIfNeeded();
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new TroupeError('closed', 'the supervisor is closed');
  }
}

const closing = failure('interrupted', 'the supervisor is closing');
