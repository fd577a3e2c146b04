// Owns which tasks the journal had when it was opened, and who asks for them: by id, by key, by the call that delegated them.
import { describe, TroupeError } from '../../base/failures.ts';
import type { TaskPlace } from '../../journal/records.ts';

export class FoundTasks {
  /** Those that nothing in this process has asked for yet, in the order in which they were accepted. */
  readonly #byId = new Map<string, TaskPlace>();
  readonly #byKey = new Map<string, string>();
  /** By the task whose run delegated them. */
  readonly #below = new Map<string, TaskPlace[]>();
  /** Unfinished ones by the persistent agent that was asked. */
  readonly #ofAgents = new Map<string, TaskPlace[]>();

  constructor(tasks: readonly TaskPlace[] = []) {
    for (const place of tasks) this.add(place);
  }

  /** One that has ended here is found again as one of an earlier process is. */
  add(place: TaskPlace): void {
    const { taskId, parentId, agent, idempotencyKey } = place;
    this.#byId.set(taskId, place);
    if (idempotencyKey !== null) this.#byKey.set(idempotencyKey, taskId);
    if (parentId !== null) addTo(this.#below, parentId, place);
    else if (agent !== null) addTo(this.#ofAgents, agent, place);
  }

  /** It is its caller's from now on; an ended one stays, to be asked for again. */
  take(taskId: string): void {
    if (this.#byId.get(taskId)?.status === null) this.#byId.delete(taskId);
  }

  /** It is not kept any longer. */
  forget(taskId: string): void {
    const key = this.#byId.get(taskId)?.idempotencyKey ?? null;
    this.#byId.delete(taskId);
    if (key !== null && this.#byKey.get(key) === taskId) this.#byKey.delete(key);
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
    const found = this.#below.get(parentId)?.find(({ place }) => place === wanted);
    return found === undefined ? null : this.withId(found.taskId);
  }

  /** Unfinished ones that a task has delegated. */
  *unfinishedBelow(taskId: string): Iterable<TaskPlace> {
    for (const place of this.#below.get(taskId) ?? []) {
      if (this.#byId.has(place.taskId) && place.status === null) yield place;
    }
  }

  /** Ended ones that a task has delegated. */
  *endedBelow(taskId: string): Iterable<TaskPlace> {
    for (const place of this.#below.get(taskId) ?? []) if (place.status !== null) yield place;
  }

  /** Unfinished runs that a persistent agent was asked for. */
  *unfinishedOf(agent: string): Iterable<TaskPlace> {
    for (const place of this.#ofAgents.get(agent) ?? []) {
      if (this.#byId.has(place.taskId) && place.status === null) yield place;
    }
  }

  /** The unfinished roots. */
  *roots(): Iterable<TaskPlace> {
    for (const place of this.#byId.values()) {
      if (place.parentId === null && place.status === null) yield place;
    }
  }

  /** Unfinished ones below a task that has ended, which its run has not asked for again; no other is asked for any more. */
  *lostBelow(taskId: string): Iterable<string> {
    const below = this.#below.get(taskId) ?? [];
    this.#below.delete(taskId);
    for (const { taskId: child, status } of below) {
      const isOpen = this.#byId.delete(child) && status === null;
      if (isOpen) yield child;
      yield* this.lostBelow(child);
    }
  }
}

function addTo(places: Map<string, TaskPlace[]>, name: string, place: TaskPlace): void {
  const known = places.get(name);
  if (known === undefined) places.set(name, [place]);
  else known.push(place);
}

/** A key names one task. */
export function otherKey(key: string): TroupeError {
  const why = `idempotencyKey: the key ${describe(key)} was given with another task, which has not ended`;
  return new TroupeError('invalid_task', why, { detail: { field: 'idempotencyKey' } });
}
