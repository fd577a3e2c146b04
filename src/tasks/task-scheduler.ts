// Owns the scheduler: an actor whose mailbox is a function. A message is decided at the call, its effects follow in their order.
// Leaves out the decisions (decide/) and how their effects are performed (effects.ts).
import type { Clock, ProcessRef } from '../base/clock.ts';
import type { Outcome } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import type { Limits } from '../supervision/admission.ts';
import { ActorReports } from './actor-reports.ts';
import { AgentRuns } from './agent-runs.ts';
import { decide, decideOnFault } from './decide/decide.ts';
import { EarlierAgents } from './earlier-agents.ts';
import { EarlierSessions } from './earlier-sessions.ts';
import { EarlierTasks } from './earlier-tasks.ts';
import { Effects } from './effects.ts';
import { Interrupts } from './interrupts.ts';
import { AgentMemories } from './journal/agent-memories.ts';
import { Recovery } from './journal/recovery.ts';
import type { RunEntry } from './journal/run-entry.ts';
import { type Journal, TaskJournal } from './journal/task-journal.ts';
import { Trials } from './journal/trials.ts';
import type { SchedulerMessage } from './messages.ts';
import { PersistentAgents, type PersistentAgentsOptions } from './persistent-agents.ts';
import type { AgentResolver } from './resolve/agent-resolver.ts';
import type { BudgetDefaults } from './run-budget.ts';
import { RunClocks } from './run-clocks.ts';
import { Delegation } from './services/delegation.ts';
import { type RunResources, RunServices } from './services/run-services.ts';
import type { Run } from './state.ts';
import { Steering } from './steering.ts';
import { Submissions } from './submissions.ts';
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
  /** Null where nothing is written down. */
  readonly journal: Journal | null;
  /** False: tasks of an earlier process go on once the program asks for them. */
  readonly isRecoveredAtStart: boolean;
  /** Writes down what is known of a run that timed out for no visible reason; null for every other one. Never throws. */
  readonly diagnose: (run: Run, outcome: Outcome) => string | null;
};

export class TaskScheduler {
  readonly registry: TaskRegistry;
  readonly interrupts: Interrupts;
  readonly persistent: PersistentAgents;
  readonly steering: Steering;
  readonly submissions: Submissions;
  readonly earlier: EarlierTasks;
  readonly earlierAgents: EarlierAgents;
  readonly recovery: Recovery;
  readonly earlierSessions: EarlierSessions;
  /** What it is told of the agents' actors. */
  readonly reports: ActorReports;
  readonly #options: TaskSchedulerOptions;
  readonly #world: World;
  readonly #effects: Effects;
  readonly #journal: TaskJournal | null;
  readonly #trials: Trials;
  readonly #drained: (() => void)[] = [];

  constructor(options: TaskSchedulerOptions) {
    this.#options = options;
    const { runtime, resolver } = options;
    const world = new World(
      options,
      {
        hasSpace: (prompt) => runtime.hasSpace(prompt),
        threadHolders: () => runtime.threadHolders(),
      },
      options.journal?.contents ?? null,
    );
    const { registry } = world;
    const dispatch = (message: SchedulerMessage): void => this.dispatch(message);
    const journal =
      options.journal === null
        ? null
        : new TaskJournal({ ...options, journal: options.journal, registry, dispatch });
    const memories = journal === null ? null : new AgentMemories({ journal, dispatch });
    const now = (): number => this.now();
    const trials = new Trials(options.clock);
    const about = { world, dispatch, now, journal, trials };
    const submissions = new Submissions({ ...options, ...about, registry });
    const steering = new Steering({ ...options, dispatch });
    const parts = { ...options, registry, dispatch, steering };
    const interrupts = new Interrupts(parts);
    const delegation = new Delegation({
      ...parts,
      submit: (parent, tasks, call) => submissions.submitCall(parent, tasks, call),
      recover: (place, parent) => this.earlier.recover(place, parent),
      interrupt: (taskId, reason) => interrupts.interruptTask(taskId, { reason }),
      ...taskControls(parts),
    });
    const services = new RunServices({
      ...parts,
      delegation,
      publish: (run, event) => this.dispatch({ type: 'run_event', run, event, spent: null }),
      note: (run, entry) => this.dispatch({ type: 'entry', run, entry, waiter: null }),
      onWaitChanged: (run) => this.dispatch({ type: 'wait_changed', run }),
    });
    this.#world = world;
    this.#effects = new Effects({
      ...parts,
      services,
      clocks: new RunClocks(parts),
      journal,
      memories,
      trials,
      delegation,
      answer: (message) => this.#answer(message),
    });
    this.registry = registry;
    this.submissions = submissions;
    const specOf: PersistentAgentsOptions['specOf'] = async (agent) => {
      await submissions.prepared({ agent });
      return resolver.specOf({ agent });
    };
    const runs = new AgentRuns({ ...about, submissions });
    this.earlierAgents = new EarlierAgents({ ...options, ...about, specOf, runs });
    this.earlier = new EarlierTasks({
      ...parts,
      world,
      submissions,
      journal,
      agents: this.earlierAgents,
    });
    this.earlierSessions = new EarlierSessions({
      ...about,
      registry,
      earlier: this.earlier,
      ids: options.journal?.contents.sessions ?? [],
    });
    this.recovery = new Recovery({
      found: world.found,
      events: options.events,
      max: options.limits.maxLiveAgents,
      isAtStart: options.isRecoveredAtStart,
      recover: (place) => this.earlier.goOn(place),
      isClosed: () => world.isClosed,
    });
    this.#journal = journal;
    this.#trials = trials;
    this.interrupts = interrupts;
    this.steering = steering;
    this.reports = new ActorReports(parts);
    this.persistent = new PersistentAgents({
      ...parts,
      interrupts,
      specOf,
      runs,
      earlier: this.earlierAgents,
      memories,
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

  /**
   * Writes down of a run what its thread does not report; resolves once that is durable, at once where nothing is written down.
   * Rejects when it never will be.
   */
  record(run: Run, entry: RunEntry): Promise<void> {
    return new Promise((resolve, reject) =>
      this.dispatch({ type: 'entry', run, entry, waiter: { resolve, reject } }),
    );
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
    if (this.#drained.length > 0 && this.#isIdle) {
      for (const resolve of this.#drained.splice(0)) resolve();
    }
  }

  /** No task is unfinished, and each end is out. */
  get #isIdle(): boolean {
    return this.registry.tasks.size === 0 && this.#world.unwritten === 0;
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

  /** It closes: what could not be written is not waited for any longer. */
  giveUpWrites(): void {
    this.#trials.close();
    this.#journal?.giveUp();
  }

  /** Resolves when no task is unfinished. */
  async drain(): Promise<void> {
    if (this.#isIdle) return;
    const drained = new Promise<void>((resolve) => {
      this.#drained.push(resolve);
    });
    await this.#options.processRef.during(drained);
  }
}
