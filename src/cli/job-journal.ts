// Owns what `troupe run --journal` finds in its file before the job: which of its tasks are there, and the key of each.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type JournalSettings, type Outcome, sqlite } from '../index.ts';
import type { StoredTask } from '../journal/records.ts';
import { JournalStore } from '../journal/store.ts';
import { keyOf } from './earlier-results.ts';
import type { JobItem, ReadyJob } from './open-job.ts';
import { type ResultRecord, recordOf } from './record.ts';

/** A run of a task of a job, by the number of the run; `status` is null of an unfinished one. */
type FoundRun = { readonly number: number; readonly status: Outcome['status'] | null };

/** A job whose tasks have keys, and how many of them the file has. */
export type KeyedJob = {
  readonly job: ReadyJob;
  readonly known: number;
  /** Of those, the unfinished ones. */
  readonly unfinished: number;
  /** Lines for the results, of what their agents had delegated and that has ended. */
  readonly below: readonly ResultRecord[];
};

const specSchema = z.object({ task: z.object({ goal: z.string() }) });

export class JobJournal {
  /** A task goes on once the job gives it again: what another job has left in the file is not touched. */
  readonly settings: JournalSettings;
  /** By the key of the task at the top. */
  readonly #below: ReadonlyMap<string, readonly ResultRecord[]>;
  readonly #cwd: string;
  readonly #found: ReadonlyMap<string, FoundRun>;

  private constructor(
    path: string,
    cwd: string,
    {
      found,
      below,
    }: {
      found: ReadonlyMap<string, FoundRun>;
      below: ReadonlyMap<string, readonly ResultRecord[]>;
    },
  ) {
    this.settings = sqlite(resolve(cwd, path), { recover: 'when_asked' });
    this.#below = below;
    this.#cwd = cwd;
    this.#found = found;
  }

  /** Reads the file, where there is one, and gives it up again. Rejects as `JournalStore.open` does. */
  static async read(path: string, cwd: string): Promise<JobJournal> {
    const found = new Map<string, FoundRun>();
    const below = new Map<string, ResultRecord[]>();
    const parents = new Map<string, string>();
    const keys = new Map<string, string>();
    const file = resolve(cwd, path);
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) {
      const store = await JournalStore.open(file);
      try {
        for (const { taskId, idempotencyKey: key, parentId, status } of store.contents().tasks) {
          if (parentId !== null) parents.set(taskId, parentId);
          if (key === null || parentId !== null) continue;
          const { base, number } = partsOf(key);
          keys.set(taskId, base);
          if (number >= (found.get(base)?.number ?? 0)) found.set(base, { number, status });
        }
        const ended = [...store.endedBelow()];
        for (const { taskId, parentId } of ended) parents.set(taskId, parentId ?? '');
        for (const task of ended) {
          let top = task.taskId;
          for (let above = parents.get(top); above !== undefined; above = parents.get(top))
            top = above;
          const base = keys.get(top);
          if (base !== undefined) below.set(base, [...(below.get(base) ?? []), recordBelow(task)]);
        }
      } finally {
        store.close();
      }
    }
    return new JobJournal(path, cwd, { found, below });
  }

  /** `isRetried`: what has ended and is not completed has a further run. */
  async keyed(job: ReadyJob, isRetried: boolean): Promise<KeyedJob> {
    let known = 0;
    let unfinished = 0;
    const below: ResultRecord[] = [];
    for await (const item of job.items()) {
      const { base } = partsOf(this.#keyOf(item, false));
      const found = this.#found.get(base);
      if (found === undefined) continue;
      known += 1;
      below.push(...(this.#below.get(base) ?? []));
      if (found.status === null) unfinished += 1;
    }
    return { job: { ...job, items: () => this.#items(job, isRetried) }, known, unfinished, below };
  }

  async *#items(job: ReadyJob, isRetried: boolean): AsyncGenerator<JobItem, void, undefined> {
    for await (const item of job.items()) {
      const idempotencyKey = this.#keyOf(item, isRetried);
      yield { ...item, task: { ...item.task, idempotencyKey } };
    }
  }

  /** That of the line, else one of the place and the goal: the same command gives the same keys. */
  #keyOf({ input, line, task }: JobItem, isRetried: boolean): string {
    const { idempotencyKey: given, goal } = task;
    if (given !== undefined) return given;
    const text = `${this.#cwd}\n${keyOf(input, line, goal)}`;
    const base = `run:${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    const { number = 1, status = null } = this.#found.get(base) ?? {};
    const isFurther = isRetried && status !== null && status !== 'completed';
    return `${base}/${isFurther ? number + 1 : number}`;
  }
}

function partsOf(key: string): { readonly base: string; readonly number: number } {
  const [, base = key, number = '1'] = /^(run:[0-9a-f]{32})\/(\d+)$/.exec(key) ?? [];
  return { base, number: Number(number) };
}

function recordBelow({ parentId, spec, outcome }: StoredTask): ResultRecord {
  const { goal } = specSchema.parse(JSON.parse(spec)).task;
  const head = { input: null, line: null, goal, parentTaskId: parentId };
  // It was written by this package, and its sum is right.
  return recordOf(head, JSON.parse(outcome ?? '') as Outcome, false);
}
