// Owns what the tasks of a tree are called on the screen: `parent ▸ name [2/3]`. Kept from their events alone.
import type { TroupeEvent } from '../index.ts';
import { clip, oneLine } from './text.ts';

type Named = {
  readonly name: string;
  /** The task of the agent that delegated it; null when that is not known. */
  readonly parent: string | null;
  /** The job's own task at the top. */
  readonly top: string;
  /** `[2/3]`, empty when it came alone. */
  readonly place: string;
};

const maxName = 48;

/** Roots are named by the job; what is below one is forgotten together with it. */
export class TaskNames {
  readonly #named = new Map<string, Named>();
  readonly #taskOfAgent = new Map<string, string>();
  readonly #rootName: (taskId: string) => string | null;

  constructor(rootName: (taskId: string) => string | null) {
    this.#rootName = rootName;
  }

  record(event: TroupeEvent): void {
    const { taskId, agentId, parentId } = event;
    if (taskId === undefined) return;
    if (event.type === 'agent_started' && agentId !== undefined) {
      this.#taskOfAgent.set(agentId, taskId);
    }
    const isNew = event.type === 'task_queued' || event.type === 'task_recovered';
    if (!isNew || parentId === undefined) return;
    const parent = this.#taskOfAgent.get(parentId) ?? null;
    const { goal, index, width } = event;
    const [first = ''] = goal.trimStart().split('\n');
    // A first line that only leads to the next one is a heading.
    const name = clip(oneLine(first).replace(/:$/, ''), maxName);
    this.#named.set(taskId, {
      name,
      parent,
      top: parent === null ? taskId : (this.#named.get(parent)?.top ?? parent),
      place: width > 1 ? ` [${index + 1}/${width}]` : '',
    });
  }

  /** Beside its parent's name; null of a task that is not known. */
  labelOf(taskId: string): string | null {
    const named = this.#named.get(taskId);
    if (named === undefined) return this.#rootName(taskId);
    const above = named.parent === null ? null : this.#nameOf(named.parent);
    const label = `${named.name}${named.place}`;
    return above === null ? label : `${above} ▸ ${label}`;
  }

  /** Where its place below its parent shows already. */
  shortLabelOf(taskId: string): string | null {
    const named = this.#named.get(taskId);
    return named === undefined ? this.#rootName(taskId) : `${named.name}${named.place}`;
  }

  /** The delegated task's parent; null of a root. */
  parentOf(taskId: string): string | null {
    return this.#named.get(taskId)?.parent ?? null;
  }

  /** A task of the job has ended, and with it all that was below. */
  forget(rootTaskId: string): void {
    for (const [taskId, { top }] of this.#named) if (top === rootTaskId) this.#named.delete(taskId);
    for (const [agentId, taskId] of this.#taskOfAgent) {
      if (taskId === rootTaskId || !this.#isKnown(taskId)) this.#taskOfAgent.delete(agentId);
    }
  }

  #isKnown(taskId: string): boolean {
    return this.#named.has(taskId) || this.#rootName(taskId) !== null;
  }

  #nameOf(taskId: string): string | null {
    const name = this.#named.get(taskId)?.name ?? this.#rootName(taskId);
    return name === null ? null : clip(name, maxName);
  }
}
