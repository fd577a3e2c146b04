// Owns the scheduler: an actor whose mailbox is a function. A message is decided at the call, its effects follow in their order.
// Leaves out the decisions (decide/) and how their effects are performed (effects.ts).
import type { Clock, ProcessRef } from '../base/clock.ts';
import { TroupeError, toFailure } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import type { Limits } from '../supervision/admission.ts';
import { ActorReports } from './actor-reports.ts';
import type { Caller, ToolCallFacts } from './caller.ts';
import { taskToRun } from './continued-task.ts';
import { placeOf } from './decide/admission.ts';
import { decide, decideOnFault } from './decide/decide.ts';
import { Effects } from './effects.ts';
import { Interrupts } from './interrupts.ts';
import type { SchedulerMessage } from './messages.ts';
import { PersistentAgents } from './persistent-agents.ts';
import type { AgentResolver } from './resolve/agent-resolver.ts';
import type { AgentSpec } from './resolve/agent-spec.ts';
import type { BudgetDefaults } from './run-budget.ts';
import { RunClocks } from './run-clocks.ts';
import { Delegation } from './services/delegation.ts';
import { type RunResources, RunServices } from './services/run-services.ts';
import { type Agent, type Run, type TaskOrigin, TaskRecord } from './state.ts';
import { Steering } from './steering.ts';
import { checkTask, type RunSettings, type Task } from './task.ts';
import { taskControls } from './task-controls.ts';
import type { TaskRegistry } from './task-registry.ts';
import { EffectQueue, World } from './world.ts';

export type TaskSchedulerOptions = RunResources & {
  readonly clock: Clock;
  readonly processRef: ProcessRef;
  readonly events: EventBus;
  readonly resolver: AgentResolver;
  readonly limits: Limits;
  readonly budgets: BudgetDefaults;
  /** Milliseconds one tool call may take; undefined for no limit. */
  readonly toolTimeoutMs: number | undefined;
  /** After a tool's time is over, how long its code may ignore it. */
  readonly interruptGraceMs: number;
  /** Milliseconds after which an idle persistent agent gives its thread up. */
  readonly passivateAfterMs: number;
  /** Writes down what is known of a run that timed out for no visible reason; null for every other one. Never throws. */
  readonly diagnose: (run: Run, outcome: Outcome) => string | null;
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
  readonly interrupts: Interrupts;
  readonly persistent: PersistentAgents;
  readonly steering: Steering;
  /** What it is told of the agents' actors. */
  readonly reports: ActorReports;
  readonly #options: TaskSchedulerOptions;
  readonly #world: World;
  readonly #effects: Effects;
  readonly #drained: (() => void)[] = [];

  constructor(options: TaskSchedulerOptions) {
    this.#options = options;
    const { runtime, resolver } = options;
    const world = new World(options, {
      hasSpace: (prompt) => runtime.hasSpace(prompt),
      threadHolders: () => runtime.threadHolders(),
    });
    const { registry } = world;
    const dispatch = (message: SchedulerMessage): void => this.dispatch(message);
    const steering = new Steering({ ...options, dispatch });
    const parts = { ...options, registry, dispatch, steering };
    const interrupts = new Interrupts(parts);
    const delegation = new Delegation({
      ...parts,
      submit: (parent, tasks, call) => this.submitCall(parent, tasks, call),
      interrupt: (taskId, reason) => interrupts.interruptTask(taskId, { reason }),
      ...taskControls(parts),
    });
    const services = new RunServices({
      ...parts,
      delegation,
      publish: (run, event) => this.dispatch({ type: 'run_event', run, event, spent: null }),
      onWaitChanged: (run) => this.dispatch({ type: 'wait_changed', run }),
    });
    this.#world = world;
    this.#effects = new Effects({
      ...parts,
      services,
      clocks: new RunClocks(parts),
      answer: (message) => this.#answer(message),
    });
    this.registry = registry;
    this.interrupts = interrupts;
    this.steering = steering;
    this.reports = new ActorReports(parts);
    this.persistent = new PersistentAgents({
      ...parts,
      interrupts,
      specOf: async (agent) => {
        await this.#prepared({ agent });
        return resolver.specOf({ agent });
      },
      taskOf: (agent, value) => {
        this.#refuseClosed();
        return this.#record(checkTask(value, 0), { parent: null, index: 0, width: 1 }, agent);
      },
    });
  }

  get live(): number {
    return this.#world.queue.live;
  }

  get queued(): number {
    return this.#world.queue.waiting;
  }

  get isPaused(): boolean {
    return this.#world.queue.isPaused;
  }

  now(): number {
    return this.#options.clock.now();
  }

  /**
   * Decides at once, also inside the effect of an earlier message, and performs what is due before it returns. A fault in a
   * decision, or in an effect, ends every task.
   */
  dispatch(message: SchedulerMessage): void {
    const world = this.#world;
    const { clock } = this.#options;
    world.now = clock.now();
    world.wallTime = clock.wallTime();
    try {
      decide(world, message);
    } catch (thrown) {
      decideOnFault(world, thrown);
    }
    const { effects } = world;
    for (let next = effects.take(); next !== undefined; next = effects.take()) {
      try {
        this.#effects.perform(next);
      } catch (thrown) {
        decideOnFault(world, thrown);
      }
    }
    if (this.#drained.length > 0 && this.registry.tasks.size === 0) {
      for (const resolve of this.#drained.splice(0)) resolve();
    }
  }

  /** Decides over what an effect came to; what follows from it goes before the effects that wait. */
  #answer(message: SchedulerMessage): void {
    const later = this.#world.effects;
    this.#world.effects = new EffectQueue();
    try {
      this.dispatch(message);
    } finally {
      this.#world.effects = later;
    }
  }

  /**
   * Accepts tasks of the program, all or none: what is wrong with one is thrown, or rejected, before any is on the registry.
   * Rejects `tool_module_failed` when a module that one of them needs cannot be described.
   */
  async submitAll(values: readonly unknown[], call: Caller = {}): Promise<readonly TaskRecord[]> {
    this.#refuseClosed();
    const asked = values.map((value, index) => {
      const origin: TaskOrigin = { parent: null, index, width: values.length, ...call };
      return { task: taskToRun(value, origin, this.registry), origin };
    });
    const { resolver } = this.#options;
    for (const { task } of asked) await this.#prepared(task);
    const prepared = asked.map(({ task, origin }) => {
      return { task, origin, preparing: null, spec: resolver.specOf(task, placeOf(origin)) };
    });
    this.#refuseClosed();
    return this.#accept(null, prepared);
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
    if (this.#isFrozen(parent)) {
      throw new TroupeError('interrupting', `${parent?.path} is being interrupted`);
    }
    const prepared = this.#prepare(value, origin);
    const record = this.#recordOf(prepared);
    this.#accept(parent, [prepared], [record]);
    return record;
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
    return this.#accept(parent, prepared);
  }

  /** Resolves when no task is unfinished. */
  async drain(): Promise<void> {
    if (this.registry.tasks.size === 0) return;
    const drained = new Promise<void>((resolve) => {
      this.#drained.push(resolve);
    });
    await this.#options.processRef.during(drained);
  }

  // --- what is resolved before a decision

  /** Throws what is wrong with a task; puts nothing on the registry. */
  #prepare(value: unknown, origin: TaskOrigin): Prepared {
    const task = taskToRun(value, origin, this.registry);
    const { resolver } = this.#options;
    const preparing = resolver.prepare(task);
    // The code that accepts the task receives the rejection; a task given up because of a sibling does not need it.
    preparing?.catch(() => {});
    const spec = preparing === null ? resolver.specOf(task, placeOf(origin)) : null;
    return { task, origin, preparing, spec };
  }

  #accept(
    parent: Run | null,
    prepared: readonly Prepared[],
    tasks = prepared.map((each) => this.#recordOf(each)),
  ): readonly TaskRecord[] {
    this.dispatch({ type: 'submit', tasks, isFrozen: this.#isFrozen(parent) });
    for (const [index, { preparing }] of prepared.entries()) {
      const task = tasks[index];
      if (preparing !== null && task !== undefined) this.#admitLater(task, preparing);
    }
    return tasks;
  }

  #recordOf({ task, origin, spec }: Prepared): TaskRecord {
    const record = this.#record(task, origin, null);
    record.spec = spec;
    return record;
  }

  #record(task: Task, origin: TaskOrigin, agent: Agent | null): TaskRecord {
    const id = this.registry.nextId();
    return new TaskRecord({ id, task, origin, acceptedAt: this.now(), agent });
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
        if (task.isEnded) return;
        const spec = resolver.specOf(task.task, placeOf(task.origin));
        this.dispatch({ type: 'admit', task, spec, isFrozen: this.#isFrozen(task.origin.parent) });
      })
      .catch((thrown: unknown) => {
        const error = toFailure(thrown, 'tool_module_failed');
        this.dispatch({ type: 'end_waiting', task, end: { exitReason: 'error', error } });
      });
  }

  /** An interrupt, stop or kill affects the actor of a run: nothing begins below it (S4). */
  #isFrozen(run: Run | null): boolean {
    return run !== null && this.#options.runtime.isInterrupting(run.cell.address);
  }

  #refuseClosed(): void {
    if (this.#world.isClosed) throw new TroupeError('closed', 'the supervisor is closed');
  }
}
