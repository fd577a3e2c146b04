// Owns how tasks are found by their ids: those of this process, and those of an earlier one, which go on or have ended.
import { describe, TroupeError } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { TaskPlace } from '../journal/records.ts';
import type { TaskJournal } from './journal/task-journal.ts';
import { runIsOver } from './services/delegation.ts';
import { type Run, type TaskOrigin, TaskRecord } from './state.ts';
import type { Submissions } from './submissions.ts';
import type { World } from './world.ts';

export type EarlierTasksOptions = {
  readonly world: World;
  readonly submissions: Submissions;
  /** Null where nothing is written down. */
  readonly journal: TaskJournal | null;
};

const unreadable = { task: { goal: '' }, index: 0, width: 1, missing: [] };

export class EarlierTasks {
  readonly #options: EarlierTasksOptions;

  constructor(options: EarlierTasksOptions) {
    this.#options = options;
  }

  /**
   * A task that an earlier process has left unfinished goes on, below the run that delegated it. Rejects `closed`, and
   * `activation_ended` when that run is over.
   */
  async recover({ taskId }: TaskPlace, parent: Run | null = null): Promise<TaskRecord> {
    const { journal, submissions, world } = this.#options;
    if (journal === null) throw new TroupeError('internal', 'there is no journal');
    const loading = journal.load(taskId);
    // What cannot be read ends the task.
    const asked = await loading.then((loaded) => loaded.asked).catch(() => unreadable);
    // Its caller has given it again meanwhile.
    const given = world.registry.tasks.get(taskId);
    if (given !== undefined) return given;
    if (parent !== null && parent.agent.run !== parent) throw runIsOver(parent.path);
    const { task, index, width, missing } = asked;
    const origin: TaskOrigin = { parent, index, width };
    return submissions.acceptFound(task, origin, { taskId, missing, load: () => loading });
  }

  /** Rejects `unknown_task`, and what is wrong with the journal. */
  async withId(taskId: string): Promise<TaskRecord> {
    const { world, journal } = this.#options;
    const { registry, found } = world;
    const running = registry.tasks.get(taskId);
    if (running !== undefined) return running;
    const place = found.withId(taskId);
    if (place?.status === null && place.parentId === null) return this.recover(place);
    const kept = registry.history.ofTask(taskId)?.outcome ?? null;
    if (kept !== null) return endedTask(kept, world.now);
    const outcome = (await journal?.find(taskId))?.outcome ?? null;
    if (outcome !== null) return endedTask(outcome, world.now);
    throw new TroupeError('unknown_task', `there is no task ${describe(taskId)}`);
  }
}

/** Its end was published before. */
function endedTask(outcome: Outcome, acceptedAt: number): TaskRecord {
  const { taskId: id, index } = outcome;
  const origin: TaskOrigin = { parent: null, index, width: 1 };
  const record = new TaskRecord({ id, task: { goal: '' }, origin, acceptedAt, agent: null });
  record.written.isAccepted();
  record.end(outcome);
  record.settle(outcome, 0);
  return record;
}
