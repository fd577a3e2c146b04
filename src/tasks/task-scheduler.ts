// Owns delegated tasks from acceptance to their agents' reports: admission, starts, notes, parking. Performs what the
// pure files beside it decide. Leaves out ends (endings.ts), spawned agents (standing-desk.ts), cells and threads (its house).
import type { Cell } from '../actor/cell.ts';
import type { Exit } from '../actor/exit.ts';
import { parseNote } from '../agent/run-event-schema.ts';
import type { AgentNote } from '../agent/run-messages.ts';
import type { Clock, ProcessHold } from '../base/clock.ts';
import { failure, TroupeError, toFailure } from '../base/failures.ts';
import type { EventBus } from '../events/events.ts';
import type { AdmissionRequest, Decision, Limits } from '../supervision/admission.ts';
import { admissionRequestOf, placeOf, rootOfProgram } from './admission-request.ts';
import type { Supervision } from './agent-runtime.ts';
import { Endings, type EndingsOptions } from './completion/completion.ts';
import type { StandingRest } from './idle-passivation.ts';
import { openRun } from './open-run.ts';
import { changesWaits, Parking } from './parking.ts';
import { StandingDesk } from './persistent-agents.ts';
import { givenUp, overLimit, refuseWithoutRoom } from './refusals.ts';
import type { AgentPlan, Catalog } from './resolve/agent-resolver.ts';
import { AgentEntry } from './run.ts';
import type { RunClocks } from './run-clocks.ts';
import { announce, announceLeftOut, announceStart } from './run-event-publisher.ts';
import { type AgentHands, AgentLives } from './services/run-services.ts';
import { newestInDeadlock, slotDeadlock } from './slot-deadlock.ts';
import { Line } from './slot-queue.ts';
import { Spending } from './spending.ts';
import { checkTask, type RunSettings, type Task } from './task.ts';
import type { Holding } from './task-pause.ts';
import type { Caller, TaskEntry, TaskOrigin, ToolCallFacts } from './task-record.ts';
import { Books } from './task-registry.ts';

export type DeskOptions = AgentHands & {
  readonly clock: Clock;
  readonly hold: ProcessHold;
  readonly events: EventBus;
  readonly catalog: Catalog;
  readonly limits: Limits;
  readonly clocks: RunClocks;
  readonly holding: Holding;
  readonly supervision: Supervision;
  readonly rest: StandingRest;
  readonly diagnose: EndingsOptions['diagnose'];
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
  readonly #activations: AgentLives;
  readonly #spending: Spending;
  readonly endings: Endings;
  readonly standing: StandingDesk;
  #isClosed = false;
  #isPumping = false;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.books = new Books(options);
    this.#line = new Line(options.limits, options.supervision.pickNext);
    const publish = (agent: AgentEntry, note: AgentNote): void => this.#noted(agent, note);
    const { books } = this;
    this.#spending = new Spending({ ...options, books });
    const parts = { ...options, books, line: this.#line, parking: this.#parking, publish };
    this.#activations = new AgentLives({
      ...parts,
      submit: (parent, tasks, call) => this.submitCall(parent, tasks, call),
      interrupt: (entry, reason) => this.endings.interrupt(entry, { reason }),
      onWaitChanged: (agent) => this.#waitChanged(agent),
    });
    this.endings = new Endings({ ...parts, onFree: (agent) => this.standing.next(agent) });
    this.standing = new StandingDesk({
      ...parts,
      activations: this.#activations,
      endings: this.endings,
      planOf: async (agent) => {
        await this.#prepared({ agent });
        return options.catalog.plan({ agent });
      },
      admitRoot: () => this.#judge(rootOfProgram),
      enroll: (entry, agent) => this.#enroll(entry, agent),
      refuseClosed: () => this.#refuseClosed(),
      onIdle: () => this.#parkIfNeeded(),
      pump: () => this.#pump(),
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

  /**
   * Accepts tasks of the program, all or none: what is wrong with one is thrown, or rejected, before any is on the books.
   * Rejects `tool_module_failed` when a module that one of them needs cannot be described.
   */
  async submitAll(values: readonly unknown[], call: Caller = {}): Promise<readonly TaskEntry[]> {
    this.#refuseClosed();
    const tasks = values.map(checkTask);
    const { catalog } = this.#options;
    for (const task of tasks) await this.#prepared(task);
    const plans = tasks.map((task) => catalog.plan(task));
    this.#refuseClosed();
    return tasks.map((task, index) => {
      const origin = { parent: null, index, width: tasks.length, ...call };
      const entry = this.#enter(task, origin);
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

  /** Accepts one task. Throws what is wrong with it, `interrupting` too; a limit it meets is its outcome. */
  submit(value: unknown, origin: TaskOrigin): TaskEntry {
    this.#refuseClosed();
    const { parent } = origin;
    if (parent !== null && this.#options.house.isInterrupting(parent.cell.address)) {
      throw new TroupeError('interrupting', `${parent.path} is being interrupted`);
    }
    return this.#accept(this.#prepare(value, origin));
  }

  /** Accepts the tasks of one tool call, all or none; a limit that one of them meets is its outcome. */
  submitCall(
    parent: AgentEntry | null,
    values: readonly unknown[],
    call: ToolCallFacts = {},
  ): readonly TaskEntry[] {
    this.#refuseClosed();
    const prepared = values.map((value, index) =>
      this.#prepare(value, { parent, index, width: values.length, isToolCall: true, ...call }),
    );
    return prepared.map((each) => this.#accept(each));
  }

  get isPaused(): boolean {
    return this.#line.isPaused;
  }

  pause(): void {
    this.#line.isPaused = true;
    this.#options.events.emit('paused', {}, {});
  }

  resume(): void {
    this.#line.isPaused = false;
    this.#options.events.emit('resumed', {}, {});
    this.#pump();
    for (const agent of this.books.standing.values()) this.standing.next(agent);
  }

  /** Holds a task where it is: one that waits stays in line, a run asks its model nothing after its turn. */
  pauseTask(entry: TaskEntry): void {
    this.#options.holding.pause(entry);
  }

  resumeTask(entry: TaskEntry): void {
    this.#options.holding.resume(entry);
    this.#pump();
  }

  /** Refuses new tasks and interrupts the waiting ones; the running ones end with their cells. */
  close(): void {
    this.#isClosed = true;
    this.standing.close();
    for (const entry of [...this.books.tasks.values()]) {
      if (entry.state.status === 'started') entry.state.agent.endFor('interrupted', closing);
      else this.endings.endWaiting(entry, { exitReason: 'interrupted', error: closing });
    }
  }

  // --- what cells report

  started(cell: Cell): void {
    const agent = this.books.agents.get(cell.address.id);
    if (agent === undefined || agent.home !== null) this.standing.started(cell);
    if (agent === undefined || agent.hasStarted) return;
    agent.hasStarted = true;
    announceStart(this.#options.events, agent);
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
    this.#spending.endActivation(cell);
    agent.idle?.pause();
    this.#options.steering.parked(agent.task);
    this.#line.freeSlot(agent, 'parked');
    this.#options.events.emit('agent_parked', agent.subject, {});
    this.#waitChanged(agent);
    this.#pump();
  }

  released(cell: Cell, exit: Exit): void {
    const agent = this.books.agents.get(cell.address.id);
    const standing = this.books.standing.get(cell.address.id);
    const holder = agent ?? standing;
    if (holder === undefined) return;
    this.#spending.endActivation(cell);
    // A wedged thread still holds its slot: it is counted until it is gone (S7).
    if (exit.reason !== 'wedged') this.#line.freeSlot(holder, 'released');
    this.endings.afterCalls(agent, () => {
      if (agent !== undefined) this.endings.released(agent, exit);
      if (standing !== undefined) this.standing.released(standing, exit);
    });
    this.#pump();
  }

  /** A spawned agent holds no thread any more; the run that it lost with it is over. */
  passivated(cell: Cell, lost: Exit | null): void {
    const run = this.books.agents.get(cell.address.id);
    const standing = this.books.standing.get(cell.address.id);
    if (standing === undefined) return;
    this.#spending.endActivation(cell);
    this.#line.freeSlot(run ?? standing, 'released');
    this.endings.afterCalls(run, () => {
      if (run !== undefined && lost !== null) this.endings.released(run, lost);
      this.standing.passivated(standing, lost);
    });
    this.#pump();
  }

  wedged(cell: Cell): void {
    const { agents, standing } = this.books;
    const agent = agents.get(cell.address.id) ?? standing.get(cell.address.id);
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
    const plan = preparing === null ? catalog.plan(task, placeOf(origin)) : null;
    return { task, origin, preparing, plan };
  }

  #accept({ task, origin, preparing, plan }: Prepared): TaskEntry {
    const entry = this.#enter(task, origin);
    entry.plan = plan;
    if (preparing === null) this.#admit(entry);
    else this.#admitLater(entry, preparing);
    return entry;
  }

  /** Resolves when the modules that a plan needs are described. Rejects `tool_module_failed`, `closed`. */
  async #prepared(settings: RunSettings): Promise<void> {
    try {
      await this.#options.catalog.prepare(settings);
    } finally {
      // A module that could not be described because the supervisor closed is not a bad module.
      this.#refuseClosed();
    }
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
        entry.plan = catalog.plan(entry.task, placeOf(entry.origin));
        this.#admit(entry);
      })
      .catch((error: unknown) => {
        const reason = toFailure(error, 'tool_module_failed');
        this.endings.endWaiting(entry, { exitReason: 'error', error: reason });
      });
  }

  #admit(entry: TaskEntry): void {
    const { parent, signal } = entry.origin;
    // A life on its way to a warm thread may ask its model before an interrupt catches up with it.
    if (signal?.aborted === true) {
      this.endings.endWaiting(entry, givenUp);
      return;
    }
    const verdict = this.#judge(admissionRequestOf(entry, this.#options.house));
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
      case 'reject':
        this.endings.endWaiting(entry, overLimit(verdict));
        break;
    }
  }

  #judge(request: AdmissionRequest): Decision {
    const load = {
      live: this.#line.live,
      ahead: this.#line.waiting,
      queuedRoots: this.#line.queuedRoots,
      isPaused: this.#line.isPaused,
      isClosed: this.#isClosed,
    };
    const { supervision, limits, rest } = this.#options;
    // What is held by nobody's work is not what an overflow is about: it is given up, and the task waits for it.
    const now = rest.hasIdle ? { ...limits, overflow: 'queue' as const } : limits;
    return supervision.admit(request, load, now);
  }

  /** Hands free slots out in order; with none free, asks an agent that only waits for its own (V7). */
  #pump(): void {
    if (this.#isPumping || this.#isClosed) return;
    this.#isPumping = true;
    for (let next = this.#line.takeNext(); next !== null; next = this.#line.takeNext()) {
      if (next.kind === 'parked') this.#activate(next);
      else if (next.kind === 'spawn') this.standing.start(next);
      else this.#start(next);
    }
    this.#isPumping = false;
    this.#parkIfNeeded();
  }

  #start(entry: TaskEntry): void {
    const { clock, house, steering } = this.#options;
    const { plan, origin, task } = entry;
    if (plan === null) throw new TroupeError('internal', `task ${entry.id} has no plan`);
    const { parent } = origin;
    const above = parent?.cell.address ?? null;
    const { prompt, record } = openRun({ plan, task, memory: [], wallTime: clock.wallTime() });
    const startedAt = clock.now();
    try {
      refuseWithoutRoom(house, prompt);
      house.spawn({
        name: task.name,
        parent: entry.scope === 'run' ? above : null,
        below: above,
        activationOf: (cell) => {
          const agent = new AgentEntry({ cell, task: entry, plan, parent, record, startedAt });
          this.#line.takeSlot(agent);
          this.#enroll(entry, agent);
          const steers = steering.handOver(entry);
          house.send(cell, { type: 'run', runId: entry.id, messages: [prompt], ...steers });
          return this.#activations.activationOf(agent);
        },
      });
    } catch (error) {
      const reason = toFailure(error, 'spawn_failed');
      const exitReason = reason.code === 'interrupting' ? 'interrupted' : 'rejected';
      this.endings.endWaiting(entry, { exitReason, error: reason });
    }
  }

  /** The agent is on the books before its life begins: a warm seat may answer within the same call. */
  #enroll(entry: TaskEntry, agent: AgentEntry): void {
    entry.state = { status: 'started', agent };
    this.books.agents.set(agent.id, agent);
    agent.hostTools = this.#activations.hostToolsOf(agent);
    agent.hostHooks = this.#activations.hostHooksOf(agent);
    this.#options.clocks.start(agent);
  }

  #waitChanged(agent: AgentEntry): void {
    if (agent.slot !== 'parked') {
      this.#parkIfNeeded();
    } else if (this.#parking.goesOn(agent)) {
      // Nothing that it waits for is left: it goes to the head of the line.
      this.#line.joinReady(agent);
      this.#pump();
    }
  }

  #parkIfNeeded(): void {
    if (this.#line.waiting === 0 || !this.#line.isFull) return;
    if (this.#options.rest.makeRoom(this.#line.waiting)) return;
    const agent = this.#parking.choose(this.books.agents.values());
    if (agent === null) {
      const stuck = newestInDeadlock(this.books.agents.values(), this.#line);
      if (stuck !== null) this.endings.endWaiting(stuck, slotDeadlock);
      return;
    }
    agent.slot = 'parking';
    this.#options.house.control(agent.cell, { type: 'park' });
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
    house.activate(agent.cell, this.#activations.activationOf(agent.home ?? agent));
  }

  #noted(agent: AgentEntry, note: AgentNote): void {
    const { clocks, events, steering, holding } = this.#options;
    agent.record.apply(note, this.now());
    agent.touch();
    this.#parking.note(agent, note);
    clocks.note(agent, note);
    announce(events, agent.subject, note);
    if (note.type === 'touched' && agent.record.files.leftOut === 1) announceLeftOut(events, agent);
    this.#spending.note(agent, note);
    steering.note(agent.task, note);
    holding.note(agent, note);
    if (note.type === 'run_ended' && agent.home !== null) this.endings.runEnded(agent);
    else if (changesWaits.has(note.type)) this.#parkIfNeeded();
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new TroupeError('closed', 'the supervisor is closed');
  }
}

const closing = failure('interrupted', 'the supervisor is closing');
