// Owns a model of actors for the scheduler's decisions: performs their effects without threads, and reports what follows.
import type { Cell } from '#src/actor/cell.js';
import { failure } from '#src/base/failures.js';
import { noUsage } from '#src/base/outcome.js';
import type { RunEvent } from '#src/protocol/run-events.js';
import { decide, decideOnFault } from '#src/tasks/decide/decide.js';
import type { Effect } from '#src/tasks/effect.js';
import type { Ending } from '#src/tasks/ending.js';
import type { SchedulerMessage } from '#src/tasks/messages.js';
import type { Agent, Run, TaskOrigin, TaskRecord } from '#src/tasks/state.js';
import { World } from '#src/tasks/world.js';
import {
  type Actor,
  delegated,
  giveCalls,
  keepAnswer,
  type ModelAnswer,
  maxLive,
  messageOf,
  resultsOf,
  taskOf,
} from './scheduler-actor.ts';

/** Performs effects on the model, and makes up what actors report next. */
export class SchedulerRig {
  readonly world = new World(
    {
      limits: {
        maxSpawnDepth: 3,
        maxConcurrentChildren: 3,
        maxLiveAgents: maxLive,
        maxQueued: 20,
        overflow: 'queue',
      },
      budgets: { perRun: {}, perTree: {} },
    },
    { hasSpace: () => this.chance(0.999), threadHolders: () => this.holders() },
  );
  readonly actors = new Map<string, Actor>();
  /** Of each task: the events that name it, in their order. */
  readonly events = new Map<string, string[]>();
  readonly open = new Set<string>();
  readonly kinds = new Map<string, number>();
  /** Nothing fails by chance, and no listener acts. */
  isCalm = false;
  accepted = 0;
  completed = 0;
  messages = 0;
  #seed: number;
  #lastId = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** A number from 0 to below 1, the same for the same seed. */
  random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }

  chance(of: number): boolean {
    return this.random() < of;
  }

  /** Actors that have a thread. */
  holders(): readonly string[] {
    const without = new Set<Actor['status']>(['parked', 'passivated', 'over']);
    return [...this.actors].flatMap(([id, { status }]) => (without.has(status) ? [] : [id]));
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.random() * items.length)];
  }

  dispatch(message: SchedulerMessage): void {
    this.messages += 1;
    this.world.now += 1;
    decide(this.world, message);
    this.performAll();
  }

  performAll(): void {
    const { effects } = this.world;
    for (let next = effects.take(); next !== undefined; next = effects.take()) this.perform(next);
  }

  perform(effect: Effect): void {
    switch (effect.type) {
      case 'accept':
        this.accepted += 1;
        break;
      case 'emit':
        this.named(effect.event, effect.subject.taskId);
        this.listen(effect.event, effect.subject.taskId);
        break;
      case 'create':
        this.create(effect.agent);
        break;
      case 'activate':
        this.actorOf(effect.cell).status = 'starting';
        this.actorOf(effect.cell).cell.state.status = 'starting';
        break;
      case 'open_budget':
        this.dispatch({ type: 'budget_opened', agent: effect.agent });
        break;
      case 'open_run':
        this.openRun(effect.run);
        break;
      case 'control':
        if (effect.control.type === 'park') this.actorOf(effect.cell).status = 'parking';
        break;
      case 'kill':
      case 'end_agent':
        this.ask(effect.cell);
        if (effect.type === 'end_agent') effect.ending.receipts = Promise.resolve([]);
        break;
      case 'interrupt':
        if (effect.run.agent.lifetime === 'persistent')
          this.actorOf(effect.run.cell).isCancelled = true;
        else this.ask(effect.run.cell);
        break;
      case 'end_signal':
        // A host tool gives its wait up.
        this.giveUp(effect.run);
        break;
      case 'passivate':
        this.passivate(effect.agent);
        break;
      case 'abort_model':
        this.answerModel(this.actorOf(effect.cell), 'aborted');
        break;
      case 'end_parked':
        this.endParked(this.actorOf(effect.cell), effect.isOver);
        break;
      case 'complete':
        this.completed += 1;
        this.named('task_completed', effect.task.id);
        effect.task.settle(effect.outcome, 0);
        break;
      default:
        break;
    }
  }

  /** What the host keeps of its calls: each waits for children until it is answered. */
  openRun(run: Run): void {
    giveCalls(run, {
      isOpen: (id) => this.open.has(`${run.task.id}/${id}`),
      hasOpen: () => this.actorOf(run.cell).calls.length > 0,
    });
  }

  create(agent: Agent): void {
    if (agent.status === 'ended') return;
    if (!this.isCalm && this.chance(0.02)) {
      this.dispatch({ type: 'not_created', agent, error: failure('spawn_failed', 'by chance') });
      return;
    }
    this.#lastId += 1;
    const id = `a${this.#lastId}`;
    const first = agent.isLive ? 'starting' : 'passivated';
    const state = { status: first as string };
    const cell = { address: { id, path: `/${id}` }, state, isOver: false };
    this.actors.set(id, { agent, cell, status: first, calls: [], isCancelled: false });
    this.dispatch({ type: 'created', agent, cell: cell as unknown as Cell });
  }

  actorOf(cell: Cell): Actor {
    return this.actors.get(cell.address.id) as Actor;
  }

  /** An actor is asked to end, and those below that end with it. */
  ask(cell: Cell): void {
    const actor = this.actorOf(cell);
    if (actor.status === 'over') return;
    actor.status = 'asked';
    for (const { run } of actor.agent.run?.branch.children ?? []) {
      if (run !== null) this.ask(run.cell);
    }
  }

  /** A listener that interrupts or starts tasks in the middle of the effects. */
  listen(event: string, taskId = ''): void {
    if (this.isCalm) return;
    const task = this.world.registry.tasks.get(taskId);
    if (event === 'task_queued' && task !== undefined && this.chance(0.05)) this.interrupt(task);
    if (event === 'task_started' && this.chance(0.05)) {
      this.dispatch({ type: 'submit', tasks: [this.task()], isFrozen: false });
    }
  }

  named(event: string, taskId: string | undefined): void {
    this.kinds.set(event, (this.kinds.get(event) ?? 0) + 1);
    if (taskId === undefined) return;
    const named = this.events.get(taskId);
    if (named === undefined) this.events.set(taskId, [event]);
    else named.push(event);
  }

  task(origin: Partial<TaskOrigin> = {}): TaskRecord {
    return taskOf(this.world.registry.nextId(), origin);
  }

  event(run: Run, event: RunEvent): void {
    const spent = event.type === 'model_response' ? { usage: noUsage, isEstimated: false } : null;
    this.dispatch({ type: 'run_event', run, event, spent });
  }

  giveUp(run: Run): void {
    const actor = this.actors.get(run.cell.address.id);
    while (actor?.status === 'parked' && actor.calls.length > 0) this.answer(actor, run);
  }

  passivate(agent: Agent): void {
    const actor = this.actors.get(agent.id);
    if (actor?.status !== 'live' || agent.run !== null) return;
    actor.cell.state.status = 'passivating';
    actor.status = 'passivating';
  }

  /** Ends a call of a run once what it waits for has ended. */
  answer(actor: Actor, run: Run): void {
    const callId = actor.calls.shift() as string;
    this.open.delete(`${run.task.id}/${callId}`);
    const block = keepAnswer(run, callId);
    this.dispatch({ type: 'wait_changed', run });
    if (actor.status !== 'live' || actor.agent.run !== run) return;
    this.event(run, { type: 'tool_completed', callId, ...delegated });
    if (actor.calls.length > 0) return;
    this.event(run, resultsOf(run, block));
  }

  /** The model of a run without a thread answers. */
  answerModel(actor: Actor, how: ModelAnswer): void {
    const { run } = actor.agent;
    if (run === null || actor.status !== 'parked') return;
    this.dispatch({ type: 'model_message', run, message: messageOf(how), spent: null });
  }

  /** Its run ended while it had no thread. */
  endParked(actor: Actor, isOver: boolean): void {
    if (isOver) {
      this.release(actor, 'normal');
      return;
    }
    actor.status = 'passivated';
    actor.cell.state.status = 'passivated';
    this.dispatch({ type: 'passivated', agent: actor.agent, lost: null, spent: null });
  }

  /** The actor is over, its children before it. */
  release(actor: Actor, reason: 'normal' | 'interrupted' | 'crashed'): void {
    const { agent, cell } = actor;
    if (actor.status === 'over') return;
    actor.status = 'over';
    for (const { run } of agent.run?.branch.children ?? []) {
      const below = run === null ? undefined : this.actors.get(run.cell.address.id);
      if (below !== undefined) this.release(below, 'interrupted');
    }
    cell.isOver = true;
    cell.state.status = 'over';
    const { run } = agent;
    this.dispatch({ type: 'released', agent, exit: { reason }, spent: null });
    // Its calls on the host end after their thread.
    if (run !== null) while (actor.calls.length > 0) this.answer(actor, run);
    this.actors.delete(cell.address.id);
  }

  interrupt(task: TaskRecord): void {
    const error = failure('interrupted', 'by chance');
    if (task.run === null) {
      this.dispatch({ type: 'end_waiting', task, end: { exitReason: 'interrupted', error } });
      return;
    }
    const ending: Ending = {
      by: 'interrupt',
      options: { reason: 'by chance' },
      error,
      running: [],
      waiting: [],
      receipts: null,
    };
    this.dispatch({ type: 'interrupt', run: task.run, ending });
  }

  /** A decision failed. */
  fail(): void {
    decideOnFault(this.world, new Error('by chance'));
    this.performAll();
  }

  /** Everything ends. */
  end(): void {
    this.dispatch({ type: 'close' });
    while (this.actors.size > 0) {
      for (const actor of [...this.actors.values()]) this.release(actor, 'interrupted');
    }
  }
}
