// Owns tasks from their acceptance to their admission, and what the scheduler is made of: slots (slots.ts), the begin of runs
// (activations.ts), what their actors report (actor-reports.ts), their ends (completion/).
import type { Clock, ProcessRef } from '../base/clock.ts';
import { failure, TroupeError, toFailure } from '../base/failures.ts';
import type { EventBus } from '../events/events.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { Limits } from '../supervision/admission.ts';
import { Activations } from './activations.ts';
import { ActorReports } from './actor-reports.ts';
import { admissionRequestOf, placeOf } from './admission-request.ts';
import type { Supervision } from './agent-runtime.ts';
import { Completion, type CompletionOptions } from './completion/completion.ts';
import type { IdlePassivation } from './idle-passivation.ts';
import { PersistentAgents } from './persistent-agents.ts';
import { givenUp, overLimit } from './refusals.ts';
import type { AgentResolver, AgentSpec } from './resolve/agent-resolver.ts';
import type { RunClocks } from './run-clocks.ts';
import { Delegation } from './services/delegation.ts';
import { type RunResources, RunServices } from './services/run-services.ts';
import { SlotQueue } from './slot-queue.ts';
import { Slots } from './slots.ts';
import { Spending } from './spending.ts';
import {
  Agent,
  type Caller,
  type Run,
  type TaskOrigin,
  type TaskRecord,
  type ToolCallFacts,
} from './state.ts';
import { checkTask, type RunSettings, type Task } from './task.ts';
import type { TaskPause } from './task-pause.ts';
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
  readonly idlePassivation: IdlePassivation;
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
  readonly completion: Completion;
  readonly persistent: PersistentAgents;
  readonly reports: ActorReports;
  readonly #options: TaskSchedulerOptions;
  readonly #queue: SlotQueue;
  readonly #slots: Slots;
  readonly #activations: Activations;

  constructor(options: TaskSchedulerOptions) {
    this.#options = options;
    const registry = new TaskRegistry(options);
    const queue = new SlotQueue(options.limits, options.supervision.pickNext);
    const parts = { ...options, registry, queue };
    const slots = new Slots({
      ...parts,
      activate: (agent) => activations.activate(agent),
      refuse: (agent, end) => completion.endQueue(agent, end),
    });
    const publish = (run: Run, event: RunEvent): void => this.reports.received(run, event);
    const delegation = new Delegation({
      ...parts,
      submit: (parent, tasks, call) => this.submitCall(parent, tasks, call),
      interrupt: (taskId, reason) => completion.interruptTask(taskId, { reason }),
    });
    const services = new RunServices({
      ...parts,
      publish,
      delegation,
      onWaitChanged: (run) => slots.waitChanged(run),
    });
    const onFree = (agent: Agent): void => activations.next(agent);
    const completion = new Completion({ ...parts, publish, onFree });
    const activations = new Activations({ ...parts, slots, services, completion });
    const below = { ...parts, slots, completion, activations };
    this.persistent = new PersistentAgents({
      ...below,
      specOf: async (agent) => {
        await this.#prepared({ agent });
        return options.resolver.specOf({ agent });
      },
      refuseClosed: () => this.#refuseClosed(),
    });
    this.reports = new ActorReports({ ...below, spending: new Spending(options) });
    this.registry = registry;
    this.completion = completion;
    this.#queue = queue;
    this.#slots = slots;
    this.#activations = activations;
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
      return this.#accept({ task, origin, preparing: null, spec: specs[index] ?? null });
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
    this.#slots.pump();
    for (const agent of this.registry.persistent()) this.#activations.next(agent);
  }

  /** Pauses a task: a waiting one stays in the queue, a running one makes no model call after its turn. */
  pauseTask(entry: TaskRecord): void {
    this.#options.pauses.pause(entry);
  }

  resumeTask(entry: TaskRecord): void {
    this.#options.pauses.resume(entry);
    this.#slots.pump();
  }

  /** Refuses new tasks and interrupts the waiting ones; the running ones end with their cells. */
  close(): void {
    this.#slots.isClosed = true;
    this.persistent.close();
    for (const entry of [...this.registry.tasks.values()]) {
      if (entry.run !== null) entry.run.endFor('interrupted', closing);
      else this.completion.endWaiting(entry, { exitReason: 'interrupted', error: closing });
    }
  }

  // --- admission

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
    const record = this.registry.enter(task, origin, { waiting: this.#queue.waiting });
    if (spec !== null) this.#admit(record, spec);
    else if (preparing !== null) this.#admitLater(record, preparing);
    return record;
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

  #admitLater(task: TaskRecord, preparing: Promise<void>): void {
    const { resolver } = this.#options;
    preparing
      .then(() => {
        if (!task.isEnded) this.#admit(task, resolver.specOf(task.task, placeOf(task.origin)));
      })
      .catch((thrown: unknown) => {
        const error = toFailure(thrown, 'tool_module_failed');
        this.completion.endWaiting(task, { exitReason: 'error', error });
      });
  }

  #admit(task: TaskRecord, spec: AgentSpec): void {
    const { parent, signal } = task.origin;
    task.spec = spec;
    // An activation on its way to a warm thread may ask its model before an interrupt catches up with it.
    if (signal?.aborted === true) {
      this.completion.endWaiting(task, givenUp);
      return;
    }
    const verdict = this.#slots.admit(admissionRequestOf(task, this.#options.runtime));
    if (verdict.type === 'reject') {
      this.completion.endWaiting(task, overLimit(verdict));
      return;
    }
    if (parent !== null) {
      // Counted when it is admitted: a queued task will be part of the tree.
      parent.root.treeTotal += 1;
      task.isCounted = true;
    }
    const { name } = task.task;
    const { depth } = task;
    const agent = new Agent({ spec, name, lifetime: 'task', parent, depth, survivesCrash: false });
    task.agent = agent;
    agent.queue.add(task);
    this.#slots.enter(agent, verdict);
  }

  #refuseClosed(): void {
    if (this.#slots.isClosed) throw new TroupeError('closed', 'the supervisor is closed');
  }
}

const closing = failure('interrupted', 'the supervisor is closing');
