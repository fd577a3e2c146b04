// Owns which tasks the journal had when it was opened, and who asks for them: by id, by key, by the call that delegated them.
import type { TaskPlace } from '../../journal/records.ts';

export class FoundTasks {
  /** Those that nothing in this process has asked for yet, in the order in which they were accepted. */
  readonly #byId = new Map<string, TaskPlace>();
  readonly #byKey = new Map<string, string>();
  /** By the task whose run delegated them. */
  readonly #below = new Map<string, TaskPlace[]>();

  constructor(tasks: readonly TaskPlace[] = []) {
    for (const place of tasks) this.add(place);
  }

  /** One that has ended here is found again as one of an earlier process is. */
  add(place: TaskPlace): void {
    const { taskId, parentId, idempotencyKey } = place;
    this.#byId.set(taskId, place);
    if (idempotencyKey !== null) this.#byKey.set(idempotencyKey, taskId);
    if (parentId === null) return;
    const siblings = this.#below.get(parentId) ?? [];
    siblings.push(place);
    this.#below.set(parentId, siblings);
  }

  /** It is its caller's from now on; an ended one stays, to be asked for again. */
  take(taskId: string): void {
    if (this.#byId.get(taskId)?.status === null) this.#byId.delete(taskId);
  }

  withId(taskId: string): TaskPlace | null {
    return this.#byId.get(taskId) ?? null;
  }

  /** The one that was accepted under a key. */
  withKey(key: string): TaskPlace | null {
    const taskId = this.#byKey.get(key);
    return taskId === undefined ? null : this.withId(taskId);
  }

  /** The one that the same call of the same run has delegated before. */
  at(parentId: string, wanted: string): TaskPlace | null {
    return this.#below.get(parentId)?.find(({ place }) => place === wanted) ?? null;
  }

  /** Unfinished ones that a task has delegated. */
  *unfinishedBelow(taskId: string): Iterable<TaskPlace> {
    for (const place of this.#below.get(taskId) ?? []) {
      if (this.#byId.has(place.taskId) && place.status === null) yield place;
    }
  }

  /** The unfinished roots. */
  *roots(): Iterable<TaskPlace> {
    for (const place of this.#byId.values()) {
      if (place.parentId === null && place.status === null) yield place;
    }
  }

  /** Unfinished ones below a task, which its run has not asked for again, and below those. */
  *lostBelow(taskId: string): Iterable<string> {
    const below = this.#below.get(taskId) ?? [];
    this.#below.delete(taskId);
    for (const { taskId: child, status } of below) {
      if (status === null && this.#byId.delete(child)) yield child;
      yield* this.lostBelow(child);
    }
  }
}
