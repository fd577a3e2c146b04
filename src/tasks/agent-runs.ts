// Owns how runs of persistent agents are accepted: new ones, those that were asked for before under the same key, and those of an
// earlier process.
import { type Failure, TroupeError, toFailure } from '../base/failures.ts';
import type { TaskPlace } from '../journal/records.ts';
import { otherKey } from './journal/found-tasks.ts';
import { RunLog } from './journal/run-entry.ts';
import { type TaskJournal, unreadableTask } from './journal/task-journal.ts';
import type { Trials } from './journal/trials.ts';
import type { FoundRun } from './messages.ts';
import { type Agent, type TaskOrigin, TaskRecord } from './state.ts';
import type { Submissions } from './submissions.ts';
import { checkTask } from './task.ts';
import type { World } from './world.ts';

export type AgentRunsOptions = {
  readonly world: World;
  readonly submissions: Submissions;
  readonly now: () => number;
  /** Null where nothing is written down. */
  readonly journal: TaskJournal | null;
  readonly trials: Trials;
};

const ofProgram: TaskOrigin = { parent: null, index: 0, width: 1 };

export class AgentRuns {
  readonly #options: AgentRunsOptions;

  constructor(options: AgentRunsOptions) {
    this.#options = options;
  }

  /** A new one. Throws what is wrong with it, `closed`, and why nothing can be written down. */
  make(agent: Agent, value: unknown): TaskRecord {
    const { world, submissions, now } = this.#options;
    submissions.refuse();
    const task = checkTask(value, 0);
    const id = world.registry.nextId();
    const record = new TaskRecord({ id, task, origin: ofProgram, acceptedAt: now(), agent });
    if (world.isJournaled) record.written.log = new RunLog();
    return record;
  }

  /** The one that was asked for under the same key, running or ended; null for none. Throws as `make` does. */
  withKey(value: unknown): TaskRecord | null {
    const { world, submissions } = this.#options;
    const { idempotencyKey } = checkTask(value, 0);
    if (idempotencyKey === undefined) return null;
    const known = world.registry.keyed.get(idempotencyKey);
    if (known !== undefined) return known;
    const place = world.found.withKey(idempotencyKey);
    if (place === null) return null;
    // Those of the agent that is asked are here already.
    if (place.status === null) throw otherKey(idempotencyKey);
    return submissions.submit(value, ofProgram);
  }

  /** One that an earlier process had accepted, as it goes on. Never rejects. */
  async found(agent: Agent, place: TaskPlace): Promise<FoundRun> {
    const { journal, now, trials, world } = this.#options;
    const { taskId: id, ...risk } = place;
    const about = { id, origin: ofProgram, agent };
    let task = new TaskRecord({ ...about, task: unreadableTask(place), acceptedAt: now() });
    let log = new RunLog();
    let why: Failure | null = null;
    try {
      if (journal === null) throw new TroupeError('internal', 'there is no journal');
      const loaded = await journal.load(id);
      log = new RunLog(loaded.log.seq);
      task = new TaskRecord({ ...about, task: loaded.asked.task, acceptedAt: now() });
      const ended = await journal.endedBelow(world.found.endedBelow(id));
      task.written.restored = { log: loaded.log, ended, run: null };
      await trials.take(task, risk);
    } catch (thrown) {
      why = toFailure(thrown, 'recovery_failed');
    }
    task.written.isFound = true;
    task.written.log = log;
    return { task, why };
  }
}
