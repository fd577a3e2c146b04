// Owns delegated tasks from acceptance to outcome: books, admission, starts, notes, ends. Performs what the pure files
// beside it decide. Leaves out cells and threads (its house), clocks, host tools, and the public API.
import type { Cell } from '../actor/cell.ts';
import type { Exit } from '../actor/exit.ts';
import type { InterruptOptions, InterruptReceipt } from '../actor/ref.ts';
import { parseNote } from '../agent/note-schema.ts';
import type { AgentNote } from '../agent/notes.ts';
import { taskMessage } from '../agent/prompt.ts';
import { RunRecord } from '../agent/record.ts';
import type { Clock, ProcessHold } from '../clock.ts';
import { type Failure, failure, TroupeError, toFailure } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { OutcomeExitReason } from '../outcome.ts';
import type { Limits } from '../supervision/admission.ts';
import { AgentEntry } from './agent-entry.ts';
import { AgentLives } from './agent-lives.ts';
import { announce } from './announce.ts';
import { Books } from './books.ts';
import type { AgentPlan, Catalog } from './catalog.ts';
import { Line } from './line.ts';
import { outcomeOf, outcomeOfWaiting, receiptOf } from './outcomes.ts';
import { Parking } from './parking.ts';
import type { AgentHouse, Supervision } from './port.ts';
import type { RunClocks } from './run-clocks.ts';
import { settle } from './settle.ts';
import { checkTask, type Task } from './task.ts';
import type { TaskEntry, TaskOrigin } from './task-entry.ts';

export type DeskOptions = {
  readonly clock: Clock;
  readonly hold: ProcessHold;
  readonly events: EventBus;
  readonly catalog: Catalog;
  readonly house: AgentHouse;
  readonly limits: Limits;
  readonly clocks: RunClocks;
  readonly supervision: Supervision;
};

/** A task that nothing is wrong with. */
type Prepared = {
  readonly task: Task;
  readonly origin: TaskOrigin;
  readonly preparing: Promise<void> | null;
  readonly plan: AgentPlan | null;
};

export class Desk {
  readonly books: Books;
  readonly #options: DeskOptions;
  readonly #line: Line;
  readonly #parking = new Parking();
  readonly #lives: AgentLives;
  #isClosed = false;
  #isPumping = false;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.books = new Books(options);
    this.#line = new Line(options.limits, options.supervision.nextInLine);
    this.#lives = new AgentLives({
      parking: this.#parking,
      publish: (agent, note) => this.#noted(agent, note),
      submit: (parent, tasks) => this.submitBelow(parent, tasks),
      interrupt: (entry, reason) => this.interruptTask(entry, { reason }),
      isInterrupting: (agent) => options.house.isInterrupting(agent.cell.address),
      onWaitChanged: (agent) => this.#waitChanged(agent),
    });
  }

  get live(): number {
    return this.#line.live;
  }

  get queued(): number {
    return this.#line.waiting;
  }

  now(): number {
    return this.#options.clock.now();
  }

  // --- what the program asks

  /**
   * Accepts tasks of the program, all or none: what is wrong with one is thrown, or rejected, before any is on the books.
   * Rejects `tool_module_failed` when a module that one of them needs cannot be described.
   */
  async submitAll(values: readonly unknown[]): Promise<readonly TaskEntry[]> {
    this.#refuseClosed();
    const tasks = values.map(checkTask);
    const { catalog } = this.#options;
    for (const task of tasks) {
      const preparing = catalog.prepare(task);
      if (preparing !== null)
        await preparing.catch((error: unknown) => this.#failedToPrepare(error));
    }
    const plans = tasks.map((task) => catalog.plan(task));
    this.#refuseClosed();
    return tasks.map((task, index) => {
      const entry = this.#enter(task, { parent: null, index, width: tasks.length });
      entry.plan = plans[index] ?? null;
      this.#admit(entry);
      return entry;
    });
  }

  /** Throws what is wrong with a task, as far as it shows without loading a tool module; accepts nothing. */
  check(value: unknown): void {
    this.#refuseClosed();
    this.#options.catalog.plan(checkTask(value, 0));
  }

  /** Accepts one task. Throws what is wrong with it; a limit it meets is its outcome. */
  submit(value: unknown, origin: TaskOrigin): TaskEntry {
    this.#refuseClosed();
    return this.#accept(this.#prepare(value, origin));
  }

  /** Accepts the tasks of one call of an agent, all or none; a limit that one of them meets is its outcome. */
  submitBelow(parent: AgentEntry, values: readonly unknown[]): readonly TaskEntry[] {
    this.#refuseClosed();
    const width = values.length;
    const prepared = values.map((value, index) => this.#prepare(value, { parent, index, width }));
    return prepared.map((each) => this.#accept(each));
  }

  pause(): void {
    this.#line.isPaused = true;
    this.#options.events.emit('paused', {}, {});
  }

  resume(): void {
    this.#line.isPaused = false;
    this.#options.events.emit('resumed', {}, {});
    this.#pump();
  }

  /** Holds a task where it is: one that waits stays in line, an agent gets no further message. */
  pauseTask(entry: TaskEntry): void {
    entry.isHeld = true;
    if (entry.state.status !== 'started') return;
    const { agent } = entry.state;
    agent.cell.pause();
    // A run that is on goes on, and so does its clock.
    if (agent.record.phase === 'starting') agent.idle?.pause();
  }

  resumeTask(entry: TaskEntry): void {
    entry.isHeld = false;
    if (entry.state.status === 'started' && entry.state.agent.slot !== 'parked') {
      entry.state.agent.cell.resume();
      entry.state.agent.idle?.resume();
    }
    this.#pump();
  }

  /** Ends a task, wherever it stands; descendants that wait are ended with it (S4, S8). */
  async interruptTask(
    entry: TaskEntry,
    options: InterruptOptions = {},
  ): Promise<readonly InterruptReceipt[]> {
    const { events, house } = this.#options;
    const { reason = 'interrupted by its owner' } = options;
    const error = failure('interrupted', reason);
    if (entry.isEnded) return [receiptOf(entry, 'already_dead')];
    if (entry.state.status !== 'started') {
      this.#endWaiting(entry, { exitReason: 'interrupted', error });
      return [receiptOf(entry, 'not_started')];
    }
    const { agent } = entry.state;
    const { path: target, subject } = agent;
    events.emit('interrupt_requested', subject, { scope: options.scope ?? 'run', reason, target });
    agent.endFor('interrupted', error);
    const waiting = this.#endBelow(agent, error);
    // A task's agent is its run: ending the run ends the agent.
    const ended = house.interrupt(agent.cell, { ...options, scope: 'agent', reason });
    const receipts = [...(await ended).map((each) => this.#completed(each)), ...waiting];
    events.emit('interrupt_completed', subject, { target, receipts: receipts.length });
    return receipts;
  }

  /** The receipt with what the run came to: its partial work, and a completion that the interrupt raced (S4, S9). */
  #completed(receipt: InterruptReceipt): InterruptReceipt {
    const outcome = this.books.archive.find(receipt.agentId)?.outcome;
    if (outcome === undefined) return receipt;
    const isDone = receipt.stage === 'interrupted' && outcome.exitReason === 'goal';
    const stage = isDone ? 'completed' : receipt.stage;
    return { ...receipt, stage, partial: outcome.partial ?? null };
  }

  /** Refuses new tasks and interrupts the waiting ones; the running ones end with their cells. */
  close(): void {
    this.#isClosed = true;
    for (const entry of [...this.books.tasks.values()]) {
      const end = { exitReason: 'interrupted' as const, error: closing };
      if (entry.state.status === 'started') entry.state.agent.endFor('interrupted', closing);
      else this.#endWaiting(entry, end);
    }
  }

  // --- what cells report

  started(cell: Cell): void {
    const agent = this.books.agents.get(cell.address.id);
    if (agent === undefined || agent.hasStarted) return;
    agent.hasStarted = true;
    const { name, modelId } = agent.plan;
    this.#options.events.emit('agent_started', agent.subject, { name, model: modelId });
    this.#options.events.emit('task_started', agent.subject, {});
  }

  published(cell: Cell, value: unknown): void {
    const agent = this.books.agents.get(cell.address.id);
    if (agent === undefined) return;
    let note: AgentNote;
    try {
      note = parseNote(value);
    } catch (error) {
      // A thread that forges notes is not believed any further.
      agent.endFor('crashed', toFailure(error, 'link_violation'));
      cell.kill('crashed');
      return;
    }
    this.#noted(agent, note);
  }

  parked(cell: Cell): void {
    const agent = this.books.agents.get(cell.address.id);
    if (agent === undefined) return;
    this.#options.house.endLife(cell);
    agent.idle?.pause();
    this.#line.freeSlot(agent, 'parked');
    this.#options.events.emit('agent_parked', agent.subject, {});
    this.#waitChanged(agent);
    this.#pump();
  }

  released(cell: Cell, exit: Exit): void {
    const agent = this.books.agents.get(cell.address.id);
    if (agent === undefined) return;
    const { events, house, clock } = this.#options;
    this.books.agents.delete(agent.id);
    this.#line.leaveReady(agent);
    this.#parking.forget(agent);
    agent.stopClocks();
    house.endLife(cell);
    agent.endWork();
    // A wedged thread still holds its slot: it is counted until it is gone (S7).
    if (exit.reason !== 'wedged') this.#line.freeSlot(agent, 'released');
    this.#endBelow(agent, failure('interrupted', `its parent ${agent.path} has ended`));
    if (agent.hasStarted) {
      const { reason } = exit;
      const payload = exit.failure === undefined ? { reason } : { reason, failure: exit.failure };
      events.emit('agent_stopped', agent.subject, payload);
    }
    if (agent.root === agent) house.endTree(agent.id);
    const { record, cause } = agent;
    const settlement = settle({ end: record.end, cause, exit, text: record.text });
    this.books.end(agent.task, outcomeOf(agent, settlement, clock.now()));
    this.#pump();
  }

  wedged(cell: Cell): void {
    const agent = this.books.agents.get(cell.address.id);
    if (agent !== undefined) this.#options.events.emit('agent_wedged', agent.subject, {});
  }

  /** A wedged thread exited after all. */
  gone(): void {
    this.#line.freeWedged();
    this.#pump();
  }

  // --- admission and start

  /** Throws what is wrong with a task; puts nothing on the books. */
  #prepare(value: unknown, origin: TaskOrigin): Prepared {
    const task = checkTask(value, origin.index);
    const { catalog } = this.#options;
    const preparing = catalog.prepare(task);
    // Whoever accepts the task hears of it; a task that is given up for a sibling's sake does not.
    preparing?.catch(() => {});
    const plan = preparing === null ? catalog.plan(task, origin.parent?.plan.rights) : null;
    return { task, origin, preparing, plan };
  }

  #accept({ task, origin, preparing, plan }: Prepared): TaskEntry {
    const entry = this.#enter(task, origin);
    entry.plan = plan;
    if (preparing === null) this.#admit(entry);
    else this.#admitLater(entry, preparing);
    return entry;
  }

  #enter(task: Task, origin: TaskOrigin): TaskEntry {
    const { waiting } = this.#line;
    return this.books.enter(task, origin, { order: this.#line.nextOrder(), waiting });
  }

  #admitLater(entry: TaskEntry, preparing: Promise<void>): void {
    const { catalog } = this.#options;
    preparing
      .then(() => {
        if (entry.isEnded) return;
        entry.plan = catalog.plan(entry.task, entry.origin.parent?.plan.rights);
        this.#admit(entry);
      })
      .catch((error: unknown) => {
        const reason = toFailure(error, 'tool_module_failed');
        this.#endWaiting(entry, { exitReason: 'error', error: reason });
      });
  }

  #admit(entry: TaskEntry): void {
    const { limits, house } = this.#options;
    const { parent, width } = entry.origin;
    const verdict = this.#options.supervision.admit(
      {
        depth: entry.depth,
        treeTotal: parent?.root.treeTotal ?? 0,
        width,
        origin: parent === null ? 'program' : 'tool',
        isParentInterrupting: parent !== null && house.isInterrupting(parent.cell.address),
      },
      {
        live: this.#line.live,
        ahead: this.#line.waiting,
        queuedRoots: this.#line.queuedRoots,
        isPaused: this.#line.isPaused,
        isClosed: this.#isClosed,
      },
      limits,
    );
    if (parent !== null && verdict.type !== 'reject') {
      // Counted when it is let in: what waits in line will be part of the tree.
      parent.root.treeTotal += 1;
      entry.isCounted = true;
    }
    switch (verdict.type) {
      case 'start':
        this.#start(entry);
        break;
      case 'queue':
        this.#line.join(entry);
        this.#pump();
        break;
      case 'reject': {
        const error = failure(verdict.limit, verdict.message);
        this.#endWaiting(entry, { exitReason: 'rejected', error });
        break;
      }
    }
  }

  /** Hands free slots out in order; with none free, asks an agent that only waits for its own (V7). */
  #pump(): void {
    if (this.#isPumping || this.#isClosed) return;
    this.#isPumping = true;
    for (let next = this.#line.takeNext(); next !== null; next = this.#line.takeNext()) {
      if (next.kind === 'parked') this.#activate(next);
      else this.#start(next);
    }
    this.#isPumping = false;
    this.#parkIfNeeded();
  }

  #start(entry: TaskEntry): void {
    const { clock, house } = this.#options;
    const { plan, origin, task } = entry;
    if (plan === null) throw new TroupeError('internal', `task ${entry.id} has no plan`);
    const { parent } = origin;
    const prompt = taskMessage(task.goal, task.context);
    const record = new RunRecord([prompt]);
    const startedAt = clock.now();
    try {
      house.spawn({
        name: task.name,
        parent: parent?.cell.address ?? null,
        lifeOf: (cell) => {
          const agent = new AgentEntry({ cell, task: entry, plan, parent, record, startedAt });
          this.#enroll(entry, agent);
          house.send(cell, { type: 'run', runId: entry.id, messages: [prompt] });
          return this.#lives.lifeOf(agent);
        },
      });
    } catch (error) {
      const reason = toFailure(error, 'spawn_failed');
      const exitReason = reason.code === 'interrupting' ? 'interrupted' : 'rejected';
      this.#endWaiting(entry, { exitReason, error: reason });
    }
  }

  /** The agent is on the books before its life begins: a warm seat may answer within the same call. */
  #enroll(entry: TaskEntry, agent: AgentEntry): void {
    entry.state = { status: 'started', agent };
    this.#line.takeSlot(agent);
    this.books.agents.set(agent.id, agent);
    agent.hostTools = this.#lives.hostToolsOf(agent);
    this.#options.clocks.start(agent);
  }

  // --- parking (V7)

  #waitChanged(agent: AgentEntry): void {
    if (agent.slot !== 'parked') {
      this.#parkIfNeeded();
    } else if (this.#parking.resumePoint(agent) !== null) {
      // Every answer is there: it goes to the head of the line.
      this.#line.joinReady(agent);
      this.#pump();
    }
  }

  #parkIfNeeded(): void {
    if (this.#line.waiting === 0 || !this.#line.isFull) return;
    const agent = this.#parking.choose(this.books.agents.values());
    if (agent === null) {
      this.#refuseDeadlock();
      return;
    }
    agent.slot = 'parking';
    this.#options.house.control(agent.cell, { type: 'park' });
  }

  /** Every slot is held by agents that wait in their threads for children without one: the newest is refused (V7). */
  #refuseDeadlock(): void {
    let stuck = 0;
    for (const agent of this.books.agents.values()) {
      if (agent.isStuck) stuck += 1;
      else if (agent.slot === 'held' || agent.slot === 'parking') return;
    }
    if (stuck < this.#line.live) return;
    const newest = this.#line.newestOf((entry) => entry.origin.parent?.isStuck === true);
    if (newest === null) return;
    const why =
      'would_deadlock: every slot is held by tools that wait in their threads for children';
    this.#endWaiting(newest, { exitReason: 'rejected', error: failure('would_deadlock', why) });
  }

  #activate(agent: AgentEntry): void {
    const { events, house } = this.#options;
    this.#line.takeSlot(agent);
    agent.idle?.resume();
    events.emit('agent_activated', agent.subject, {});
    for (const [callId, { name }] of [...agent.record.openCalls]) {
      const isError = agent.hostTools?.results.get(callId)?.is_error === true;
      this.#noted(agent, { type: 'tool_completed', callId, name, isError });
    }
    house.activate(agent.cell, this.#lives.lifeOf(agent));
  }

  #noted(agent: AgentEntry, note: AgentNote): void {
    const { clocks, events } = this.#options;
    agent.record.apply(note);
    agent.touch();
    this.#parking.note(agent, note);
    clocks.note(agent, note);
    announce(events, agent.subject, note);
    // With one call less it may have become one that only waits.
    if (note.type === 'park_refused' || note.type === 'tool_completed') this.#parkIfNeeded();
  }

  // --- ends

  /** Ends what waits below an agent and marks what runs there; the running ones are the tree's to end. */
  #endBelow(agent: AgentEntry, error: Failure): readonly InterruptReceipt[] {
    const receipts: InterruptReceipt[] = [];
    for (const child of [...agent.children]) {
      if (child.state.status === 'started') {
        child.state.agent.endFor('interrupted', error);
        receipts.push(...this.#endBelow(child.state.agent, error));
      } else if (!child.isEnded) {
        this.#endWaiting(child, { exitReason: 'interrupted', error });
        receipts.push(receiptOf(child, 'not_started'));
      }
    }
    return receipts;
  }

  #endWaiting(
    entry: TaskEntry,
    end: { readonly exitReason: OutcomeExitReason; readonly error: Failure },
  ): void {
    if (entry.isEnded) return;
    this.#line.leave(entry);
    const { parent } = entry.origin;
    if (entry.isCounted && parent !== null) parent.root.treeTotal -= 1;
    this.books.end(entry, outcomeOfWaiting(entry, end, this.#options.clock.now()));
  }

  /** A module that could not be described because the supervisor closed is not a bad module. */
  #failedToPrepare(error: unknown): never {
    this.#refuseClosed();
    throw error;
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new TroupeError('closed', 'the supervisor is closed');
  }
}

const closing = failure('interrupted', 'the supervisor is closing');
