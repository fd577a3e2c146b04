// Owns how tasks are found by their ids: those of this process, and those of an earlier one, which go on or have ended.
import { describe, TroupeError, toFailure } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import type { TaskPlace } from '../journal/records.ts';
import type { EarlierAgents } from './earlier-agents.ts';
import type { ReadTask } from './journal/stored-task.ts';
import { type LoadedTask, type TaskJournal, unreadableTask } from './journal/task-journal.ts';
import { type Run, type TaskOrigin, TaskRecord } from './state.ts';
import type { Submissions } from './submissions.ts';
import type { World } from './world.ts';

export type EarlierTasksOptions = {
  readonly world: World;
  readonly submissions: Submissions;
  readonly agents: Pick<EarlierAgents, 'goOn'>;
  readonly events: EventBus;
  /** Null where nothing is written down. */
  readonly journal: TaskJournal | null;
};

export class EarlierTasks {
  readonly #options: EarlierTasksOptions;
  /** Agents whose runs wait for the program. */
  readonly #waiting = new Set<string>();

  constructor(options: EarlierTasksOptions) {
    this.#options = options;
  }

  /** A root goes on before the program asks for it. One that cannot now stays as it is. Never rejects. */
  async goOn(place: TaskPlace): Promise<TaskRecord | null> {
    try {
      return await this.recover(place);
    } catch (thrown) {
      const { world, events } = this.#options;
      const { agent } = place;
      if (world.isClosed || agent === null || this.#waiting.has(agent)) return null;
      this.#waiting.add(agent);
      const message = `what agent ${agent} was asked before a restart waits until it is spawned again`;
      events.emit('log', {}, { level: 'warn', message, failure: toFailure(thrown) });
      return null;
    }
  }

  /**
   * A task that an earlier process has left unfinished goes on, below the run that delegated it, or with the persistent agent
   * that was asked; resolves once it has its place again. Null when the supervisor has closed meanwhile, or it is over. Rejects
   * why such an agent cannot go on now.
   */
  async recover(place: TaskPlace, parent: Run | null = null): Promise<TaskRecord | null> {
    const { agent } = place;
    const { journal, world } = this.#options;
    if (journal === null) throw new TroupeError('internal', 'there is no journal');
    if (agent === null) return this.#accept(place, parent, journal.load(place.taskId));
    try {
      await this.#options.agents.goOn(agent);
    } catch (thrown) {
      // What cannot be read of an agent ends what it was asked.
      if (toFailure(thrown).code !== 'recovery_failed') throw thrown;
      return this.#accept(place, parent, Promise.reject(thrown));
    }
    return world.registry.tasks.get(place.taskId) ?? null;
  }

  async #accept(
    place: TaskPlace,
    parent: Run | null,
    loading: Promise<LoadedTask>,
  ): Promise<TaskRecord | null> {
    const { submissions, world } = this.#options;
    const { taskId, ...risk } = place;
    const was = { depth: 0, profile: undefined };
    const unreadable = { task: unreadableTask(place), index: 0, width: 1, was, missing: [] };
    // What cannot be read ends the task.
    const asked = await loading.then((loaded) => loaded.asked).catch(() => unreadable);
    // Its caller has given it again meanwhile.
    const given = world.registry.tasks.get(taskId);
    if (given !== undefined) return given;
    if (world.isClosed || (parent !== null && parent.agent.run !== parent)) return null;
    const { task, missing } = asked;
    const origin = originOf(place, asked, parent);
    return submissions.acceptFound(task, origin, { taskId, risk, missing, load: () => loading });
  }

  /** Rejects `unknown_task`, `closed`, and what is wrong with the journal. */
  async withId(taskId: string): Promise<TaskRecord> {
    const { world, journal } = this.#options;
    const { registry, found } = world;
    const running = registry.tasks.get(taskId);
    if (running !== undefined) return running;
    const place = found.withId(taskId);
    const isOpenRoot = place?.status === null && place.parentId === null;
    const recovered = isOpenRoot ? await this.recover(place) : null;
    if (recovered !== null) return recovered;
    const kept = registry.history.ofTask(taskId)?.outcome ?? null;
    if (kept !== null) return endedTask(kept, world.now);
    const outcome = (await journal?.find(taskId))?.outcome ?? null;
    if (outcome !== null) return endedTask(outcome, world.now);
    throw new TroupeError('unknown_task', `there is no task ${describe(taskId)}`);
  }
}

function originOf(
  { session, isBackground }: TaskPlace,
  { index, width, was }: ReadTask,
  parent: Run | null,
): TaskOrigin {
  const origin: TaskOrigin = { parent, index, width, ...(isBackground ? { isBackground } : {}) };
  if (parent !== null) return origin;
  return { ...origin, was, ...(session === null ? {} : { sessionId: session }) };
}

/** Its end was published before. */
function endedTask(outcome: Outcome, acceptedAt: number): TaskRecord {
  const { taskId: id, index } = outcome;
  const origin: TaskOrigin = { parent: null, index, width: 1 };
  const record = new TaskRecord({ id, task: { goal: '' }, origin, acceptedAt, agent: null });
  record.written.acceptanceEnded(null);
  record.end(outcome);
  record.settle(outcome, 0);
  return record;
}
