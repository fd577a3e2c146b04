// Owns the registry: unfinished tasks, live agents, what is kept of the ended ones, and how each is found.
import { describe, TroupeError } from '../base/failures.ts';
import type { Agent, Run, TaskRecord } from './state.ts';
import { type Ended, TaskHistory } from './task-history.ts';

/** What an id or a path names. */
export type Found =
  | { readonly type: 'agent'; readonly agent: Agent }
  | { readonly type: 'task'; readonly task: TaskRecord }
  | { readonly type: 'ended'; readonly ended: Ended };

/** Ended tasks that are found by their keys. */
const maxEndedKeys = 1_000;

export class TaskRegistry {
  readonly history = new TaskHistory();
  /** Unfinished tasks by id, in the order they were accepted. */
  readonly tasks = new Map<string, TaskRecord>();
  readonly #agents = new Map<string, Agent>();
  readonly #persistent = new Map<string, Agent>();
  /** Those that were given under a key. */
  readonly keyed = new Map<string, TaskRecord>();
  readonly #endedKeys = new Set<string>();
  #lastTask: number;

  /** Ids up to `lastNumber` are those of an earlier process. */
  constructor(lastNumber = 0) {
    this.#lastTask = lastNumber;
  }

  get lastNumber(): number {
    return this.#lastTask;
  }

  /** The id of the next task. */
  nextId(): string {
    this.#lastTask += 1;
    return `t${this.#lastTask}`;
  }

  /** Agents that have an actor, by id. */
  get agents(): ReadonlyMap<string, Agent> {
    return this.#agents;
  }

  add(agent: Agent): void {
    this.#agents.set(agent.id, agent);
    if (agent.lifetime === 'persistent') this.#persistent.set(nameOf(agent), agent);
  }

  remove(agent: Agent): void {
    this.#agents.delete(agent.id);
    if (this.#persistent.get(nameOf(agent)) === agent) this.#persistent.delete(nameOf(agent));
  }

  /** The task of a key has ended: it is found by it until as many others have. */
  keyEnded(key: string): void {
    this.#endedKeys.add(key);
    if (this.#endedKeys.size <= maxEndedKeys) return;
    const [oldest] = this.#endedKeys;
    this.forgetKey(oldest as string);
  }

  forgetKey(key: string): void {
    this.keyed.delete(key);
    this.#endedKeys.delete(key);
  }

  /** The runs that are on. */
  *runs(): Iterable<Run> {
    for (const { run } of this.agents.values()) if (run !== null) yield run;
  }

  /** The run of the agent of this id; null when it has none. */
  runOf(agentId: string): Run | null {
    return this.agents.get(agentId)?.run ?? null;
  }

  persistent(): readonly Agent[] {
    return [...this.#persistent.values()];
  }

  /** The persistent agent of this name; null where there is none. */
  named(name: string): Agent | null {
    return this.#persistent.get(name) ?? null;
  }

  /** What a task id, an agent id or a path names. Throws `unknown_task`. */
  lookup(idOrPath: string): Found {
    const found = this.find(idOrPath);
    if (found !== null) return found;
    throw new TroupeError('unknown_task', `there is no task or agent ${describe(idOrPath)}`);
  }

  /** The same; null for what names neither a persistent agent nor a task that is unfinished or kept. */
  find(idOrPath: string): Found | null {
    const task = this.tasks.get(idOrPath);
    if (task !== undefined) return { type: 'task', task };
    const agent = this.#agents.get(idOrPath) ?? this.#agentAt(idOrPath);
    if (agent?.lifetime === 'persistent') return { type: 'agent', agent };
    const run = agent?.run ?? null;
    if (run !== null) return { type: 'task', task: run.task };
    const ended = this.history.find(idOrPath);
    return ended === null ? null : { type: 'ended', ended };
  }

  #agentAt(path: string): Agent | null {
    if (!path.startsWith('/')) return null;
    const persistent = this.named(path.slice(1));
    if (persistent?.path === path) return persistent;
    let found: Agent | null = null;
    for (const agent of this.agents.values()) {
      if (agent.path !== path) continue;
      if (agent.lifetime === 'persistent') return agent;
      found ??= agent;
    }
    return found;
  }
}

function nameOf({ name, id }: Agent): string {
  return name ?? id;
}
