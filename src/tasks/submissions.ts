// Owns how tasks are accepted: checked, resolved, found again where an earlier process has them, handed to the decision.
import { TroupeError, toFailure } from '../base/failures.ts';
import type { TaskPlace } from '../journal/records.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import type { Caller, ToolCallFacts } from './caller.ts';
import { taskToRun } from './continued-task.ts';
import { placeOf } from './decide/admission.ts';
import { otherKey } from './journal/found-tasks.ts';
import { placesOf } from './journal/place-of-call.ts';
import { RunLog } from './journal/run-entry.ts';
import { type LoadedTask, recoveryFailed, type TaskJournal } from './journal/task-journal.ts';
import type { Risk, Trials } from './journal/trials.ts';
import type { SchedulerMessage } from './messages.ts';
import { refused } from './refusals.ts';
import type { AgentResolver } from './resolve/agent-resolver.ts';
import type { AgentSpec } from './resolve/agent-spec.ts';
import { type Run, type TaskOrigin, TaskRecord } from './state.ts';
import { checkTask, type RunSettings, type Task } from './task.ts';
import type { TaskRegistry } from './task-registry.ts';
import type { World } from './world.ts';

export type SubmissionsOptions = {
  readonly world: World;
  readonly registry: TaskRegistry;
  readonly resolver: AgentResolver;
  readonly runtime: AgentRuntime;
  readonly dispatch: (message: SchedulerMessage) => void;
  readonly now: () => number;
  /** Null where nothing is written down. */
  readonly journal: TaskJournal | null;
  readonly trials: Trials;
};

/** A task that nothing is wrong with. */
type Prepared = {
  readonly task: Task;
  readonly origin: TaskOrigin;
  readonly preparing: Promise<void> | null;
  readonly spec: AgentSpec | null;
  /** What an earlier process has left of it; null for a new one. */
  readonly found: Found | null;
};

/** What an earlier process has left of a task. */
export type Found = {
  readonly taskId: string;
  readonly risk: Risk;
  /** Settings that only that process had. */
  readonly missing: readonly string[];
  readonly load: () => Promise<LoadedTask>;
};

export class Submissions {
  readonly #options: SubmissionsOptions;

  constructor(options: SubmissionsOptions) {
    this.#options = options;
  }

  /**
   * Accepts tasks of the program, all or none: what is wrong with one is thrown, or rejected, before any is on the registry.
   * Rejects `tool_module_failed` when a module that one of them needs cannot be described.
   */
  async submitAll(values: readonly unknown[], call: Caller = {}): Promise<readonly TaskRecord[]> {
    this.refuse();
    const { registry, resolver } = this.#options;
    const asked = values.map((value, index) => {
      const origin: TaskOrigin = { parent: null, index, width: values.length, ...call };
      return { task: taskToRun(value, origin, registry), origin };
    });
    for (const { task } of asked) await this.prepared(task);
    this.refuse();
    const prepared = asked.map(({ task, origin }): Prepared => {
      const found = this.#foundByKey(task, origin);
      const spec = found === null ? resolver.specOf(task, placeOf(origin)) : null;
      return { task, origin, preparing: null, spec, found };
    });
    const fresh: Prepared[] = [];
    const accepted: TaskRecord[] = [];
    // A call may give one key twice.
    const keyed = new Map<string | undefined, TaskRecord>();
    const records = prepared.map((each) => {
      const { idempotencyKey } = each.task;
      const same = this.#known(each.task) ?? keyed.get(idempotencyKey);
      if (same !== undefined) return same;
      const record = this.#recordOf(each);
      if (idempotencyKey !== undefined) keyed.set(idempotencyKey, record);
      fresh.push(each);
      accepted.push(record);
      return record;
    });
    this.#accept(null, fresh, accepted);
    return records;
  }

  /** Throws what is wrong with a task, as far as it shows without loading a tool module; accepts nothing. */
  validate(value: unknown): void {
    this.#refuseClosed();
    this.#options.resolver.specOf(checkTask(value, 0));
  }

  /** Accepts one task. Throws what is wrong with it, `interrupting` too; a limit it meets is its outcome. */
  submit(value: unknown, origin: TaskOrigin): TaskRecord {
    this.refuse();
    const { parent } = origin;
    if (this.#isFrozen(parent)) {
      throw new TroupeError('interrupting', `${parent?.path} is being interrupted`);
    }
    const task = taskToRun(value, origin, this.#options.registry);
    const known = parent === null ? this.#known(task) : undefined;
    if (known !== undefined) return known;
    const prepared = this.#prepare(task, origin);
    const record = this.#recordOf(prepared);
    this.#accept(parent, [prepared], [record]);
    return record;
  }

  /** Accepts the tasks of one tool call, all or none; a limit that one of them meets is its outcome. */
  submitCall(
    parent: Run | null,
    values: readonly unknown[],
    { callId, ...call }: ToolCallFacts & { readonly callId?: string | undefined } = {},
  ): readonly TaskRecord[] {
    this.refuse();
    const width = values.length;
    const tasks = values.map((value, index) => {
      const origin: TaskOrigin = { parent, index, width, isToolCall: true, ...call };
      return { task: taskToRun(value, origin, this.#options.registry), origin };
    });
    const places = placesOf(parent, callId, width);
    const prepared = tasks.map(({ task, origin }, index) => {
      const place = places[index];
      return this.#prepare(task, place === undefined ? origin : { ...origin, place });
    });
    return this.#accept(parent, prepared);
  }

  /** A task that an earlier process has left unfinished goes on; resolves once it has its place again, or has ended. */
  async acceptFound(task: Task, origin: TaskOrigin, found: Found): Promise<TaskRecord> {
    const prepared = { task, origin, preparing: null, spec: null, found };
    const record = this.#recordOf(prepared);
    const { parent } = origin;
    this.#options.dispatch({ type: 'submit', tasks: [record], isFrozen: this.#isFrozen(parent) });
    await this.#restore(record, found);
    return record;
  }

  /** Resolves when the modules that an agent spec needs are described. Rejects `tool_module_failed`, `closed`. */
  async prepared(settings: RunSettings): Promise<void> {
    try {
      await this.#options.resolver.prepare(settings);
    } finally {
      // A module that could not be described because the supervisor closed is not a bad module.
      this.#refuseClosed();
    }
  }

  /** Throws what is wrong with a task; puts nothing on the registry. */
  #prepare(task: Task, origin: TaskOrigin): Prepared {
    const { parent, place } = origin;
    const { resolver, world } = this.#options;
    const isPlaced = parent !== null && place !== undefined;
    const found = isPlaced
      ? this.#foundAt(world.found.at(parent.task.id, place))
      : this.#foundByKey(task, origin);
    const at = placeOf(origin);
    const preparing = resolver.prepare(task, at);
    // The code that accepts the task receives the rejection; a task given up because of a sibling does not need it.
    preparing?.catch(() => {});
    const isReady = preparing === null && found === null;
    const spec = isReady ? resolver.specOf(task, at) : null;
    return { task, origin, preparing, spec, found };
  }

  /** The task that was given under the same key, running or ended here. */
  #known({ idempotencyKey }: Task): TaskRecord | undefined {
    if (idempotencyKey === undefined) return undefined;
    return this.#options.registry.keyed.get(idempotencyKey);
  }

  /** What is asked for by an agent, or is not written down, is not found by its key. */
  #foundByKey({ idempotencyKey }: Task, origin: TaskOrigin): Found | null {
    const isKeyed = origin.parent === null && isWritten(origin);
    if (idempotencyKey === undefined || !isKeyed) return null;
    const place = this.#options.world.found.withKey(idempotencyKey);
    // What a persistent agent was asked goes on with that agent.
    if (place?.status === null && place.agent !== null) throw otherKey(idempotencyKey);
    return this.#foundAt(place);
  }

  /** What its caller gives again is not missing. */
  #foundAt(place: TaskPlace | null): Found | null {
    if (place === null) return null;
    const { taskId, ...risk } = place;
    return { taskId, risk, missing: [], load: () => this.#journal.load(taskId) };
  }

  get #journal(): TaskJournal {
    const { journal } = this.#options;
    if (journal === null) throw new TroupeError('internal', 'there is no journal');
    return journal;
  }

  #accept(
    parent: Run | null,
    prepared: readonly Prepared[],
    tasks = prepared.map((each) => this.#recordOf(each)),
  ): readonly TaskRecord[] {
    this.#options.dispatch({ type: 'submit', tasks, isFrozen: this.#isFrozen(parent) });
    for (const [index, { preparing, found }] of prepared.entries()) {
      const task = tasks[index];
      if (task === undefined) continue;
      if (found !== null) void this.#restore(task, found);
      else if (preparing !== null) this.#admitLater(task, preparing);
    }
    return tasks;
  }

  #recordOf({ task, origin, spec, found }: Prepared): TaskRecord {
    const { registry, now, world } = this.#options;
    if (found !== null) world.found.take(found.taskId);
    const id = found?.taskId ?? registry.nextId();
    const record = new TaskRecord({ id, task, origin, acceptedAt: now(), agent: null });
    record.spec = spec;
    record.written.isFound = found !== null;
    if (world.isJournaled && isWritten(origin)) record.written.log = new RunLog();
    return record;
  }

  #admitLater(task: TaskRecord, preparing: Promise<void>): void {
    preparing
      .then(() => this.#admit(task))
      .catch((thrown: unknown) => this.#refuseTask(task, thrown));
  }

  /** What the journal has of it is read first. Never rejects: what is wrong with it ends the task. */
  async #restore(task: TaskRecord, { risk, missing, load }: Found): Promise<void> {
    const { resolver, trials, world, dispatch } = this.#options;
    try {
      const { outcome, log } = await load();
      if (task.isEnded) return;
      if (outcome !== null) {
        dispatch({ type: 'found_ended', task, outcome });
        return;
      }
      const ended = await this.#journal.endedBelow(world.found.endedBelow(task.id));
      task.written.restored = { log, ended, run: null };
      task.written.log = new RunLog(log.seq);
      if (missing.length > 0) {
        const fields = missing.join(', ');
        throw recoveryFailed(task.id, `only the process before had its ${fields}`);
      }
      await resolver.prepare(task.task, placeOf(task.origin));
      if (task.origin.parent === null) await trials.take(task, risk);
      this.#admit(task);
    } catch (thrown) {
      this.#refuseTask(task, thrown);
    }
  }

  #admit(task: TaskRecord): void {
    if (task.isEnded) return;
    const spec = this.#options.resolver.specOf(task.task, placeOf(task.origin));
    const isFrozen = this.#isFrozen(task.origin.parent);
    this.#options.dispatch({ type: 'admit', task, spec, isFrozen });
  }

  #refuseTask(task: TaskRecord, thrown: unknown): void {
    const error = toFailure(thrown, 'tool_module_failed');
    this.#options.dispatch({ type: 'end_waiting', task, end: refused(error) });
  }

  /** An interrupt, stop or kill affects the actor of a run: nothing begins below it (S4). */
  #isFrozen(run: Run | null): boolean {
    return run !== null && this.#options.runtime.isInterrupting(run.cell.address);
  }

  /** What cannot be written down is not accepted (J3). */
  refuse(): void {
    this.#refuseClosed();
    const { journalFailure } = this.#options.world;
    if (journalFailure !== null) throw TroupeError.from(journalFailure);
  }

  #refuseClosed(): void {
    if (this.#options.world.isClosed) throw new TroupeError('closed', 'the supervisor is closed');
  }
}

/** Tasks of the program are, and what is delegated below those; what a loop of the program waits for in a tool is not. */
function isWritten({ parent, scope, isToolCall, isBackground }: TaskOrigin): boolean {
  if (parent !== null && scope !== 'session') return parent.task.written.log !== null;
  return isToolCall !== true || isBackground === true;
}
