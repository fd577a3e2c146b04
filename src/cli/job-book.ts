// Owns what the command knows of its job: which item is which task, the counts, the rows worth showing, the last answer.
import type { Outcome, TroupeEvent } from '../index.ts';
import { count, emptyTally, type Tally } from '../observe/tally.ts';
import type { BadLine, JobItem } from './open-job.ts';
import { outcomeOfBadLine, type RecordHead, type ResultRecord, recordOf, rowOf } from './record.ts';
import { noRows, rank, type ShownRows } from './result-table.ts';
import { TaskNames } from './task-names.ts';

/**
 * Finds an item by the index of its outcome and by the id of its task. The two meet by order: items are handed over one
 * at a time, and each is queued before the next one is asked for; one that goes on is found by its key. What ended is
 * forgotten but for its counts: memory use depends on the running items, not on the length of the job.
 */
export class JobBook {
  readonly #items = new Map<number, JobItem>();
  readonly #indexes = new Map<string, number>();
  /** Of items that have a key. */
  readonly #byKey = new Map<string, number>();
  /** Tasks of the job whose ends are in the tally. */
  readonly #counted = new Set<string>();
  readonly #estimated = new Set<string>();
  /** Of delegated tasks that have not ended. */
  readonly #goals = new Map<string, string>();
  readonly names = new TaskNames((taskId) => this.#rootLabel(taskId));
  #handedOver = 0;
  tally: Tally = emptyTally;
  shown: ShownRows = noRows;
  /** Interrupted tasks that never had a turn. */
  notStarted = 0;
  lastText = '';

  /** Records the items on their way to the supervisor. */
  async *follow(
    items: AsyncIterable<JobItem> | Iterable<JobItem>,
  ): AsyncGenerator<JobItem['task'], void, undefined> {
    for await (const item of items) {
      this.#items.set(this.#handedOver, item);
      const { idempotencyKey } = item.task;
      if (idempotencyKey !== undefined) this.#byKey.set(idempotencyKey, this.#handedOver);
      this.#handedOver += 1;
      yield item.task;
    }
  }

  record(event: TroupeEvent): void {
    this.tally = count(this.tally, event);
    this.names.record(event);
    if (event.taskId === undefined) return;
    const isNew = event.type === 'task_queued' || event.type === 'task_recovered';
    if (isNew && event.parentId !== undefined) this.#goals.set(event.taskId, event.goal);
    else if (event.type === 'task_queued') this.#indexes.set(event.taskId, this.#handedOver - 1);
    else if (event.type === 'task_recovered') {
      const index = this.#byKey.get(event.idempotencyKey ?? '');
      if (index !== undefined) this.#indexes.set(event.taskId, index);
    } else if (event.type === 'task_completed' && event.parentId === undefined) {
      this.#counted.add(event.taskId);
    } else if (event.type === 'usage_recorded' && event.isEstimated) {
      this.#estimated.add(event.taskId);
    }
  }

  #rootLabel(taskId: string): string | null {
    const index = this.#indexes.get(taskId);
    return index === undefined ? null : (this.#items.get(index)?.label ?? null);
  }

  /** Enters an outcome and gives its line for the results. */
  close(outcome: Outcome): ResultRecord {
    const { taskId } = outcome;
    const item = this.forget(outcome);
    // It has ended in an earlier process.
    if (!this.#counted.delete(taskId)) this.#countEnd(outcome.status);
    this.shown = rank(this.shown, rowOf(item ?? { label: taskId }, outcome));
    if (outcome.status === 'interrupted' && outcome.turns === 0) this.notStarted += 1;
    this.lastText = outcome.text;
    return recordOf(headOf(item), outcome, this.#isEstimated(outcome));
  }

  /** Takes its item off the book: it has ended, or goes on with another process. */
  forget({ index, taskId }: Outcome): JobItem | undefined {
    const item = this.#items.get(index);
    this.names.forget(taskId);
    this.#items.delete(index);
    this.#indexes.delete(taskId);
    const key = item?.task.idempotencyKey;
    if (key !== undefined && this.#byKey.get(key) === index) this.#byKey.delete(key);
    return item;
  }

  /** The offline model counts nothing; of other models it is known for what this process was told. */
  #isEstimated({ taskId, model }: Outcome): boolean {
    return this.#estimated.delete(taskId) || model === 'offline';
  }

  #countEnd(status: Outcome['status']): void {
    const { ended } = this.tally;
    this.tally = { ...this.tally, ended: { ...ended, [status]: ended[status] + 1 } };
  }

  /** Enters a line that is no task and gives its line for the results. */
  refuse(bad: BadLine): ResultRecord {
    const outcome = outcomeOfBadLine(bad);
    const { input, number: line, goal } = bad;
    this.#countEnd('failed');
    this.shown = rank(this.shown, rowOf({ label: `${input}:${line}` }, outcome));
    return recordOf({ input, line, goal, parentTaskId: null }, outcome, false);
  }

  /** Enters the outcome of a task that an agent delegated and gives its line; before its parent's. */
  closeBelow(outcome: Outcome): ResultRecord {
    const { taskId } = outcome;
    const label = this.names.labelOf(taskId) ?? taskId;
    this.shown = rank(this.shown, rowOf({ label }, outcome));
    const goal = this.#goals.get(taskId) ?? '';
    this.#goals.delete(taskId);
    const head = { input: null, line: null, goal, parentTaskId: this.names.parentOf(taskId) };
    return recordOf(head, outcome, this.#isEstimated(outcome));
  }

  /** Enters a line of a subagent that has ended in an earlier process. */
  enterBelow(record: ResultRecord): ResultRecord {
    const { delegated, below } = this.tally;
    const { status } = record;
    const counted = { ...below, [status]: below[status] + 1 };
    this.tally = { ...this.tally, delegated: delegated + 1, below: counted };
    return { ...record, isEstimated: this.#isEstimated(record) };
  }
}

function headOf(item: JobItem | undefined): RecordHead {
  const { input = null, line = null, file } = item ?? {};
  const head = { input, line, goal: item?.task.goal ?? '', parentTaskId: null };
  return file === undefined ? head : { ...head, file };
}
