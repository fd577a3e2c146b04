// Owns the background tasks of a session's subagents: ids that count up per agent, pending waits, results
// (A21, A44, A46, A52, A53). Does not run them.

/** What became of a background task. */
export type SubagentResult = {
  /** The id of the task; ids count up per agent. */
  readonly taskId: string;
  /** The agent that worked on it. */
  readonly agentName: string;
  /** Whether it reached its goal. */
  readonly success: boolean;
  /** Its answer; null when there is none. */
  readonly result: string | null;
  /** What went wrong; null when nothing did. */
  readonly error: string | null;
  /** Milliseconds the run took. */
  readonly executionTimeMs: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly completedAt: number;
  /** The task's own. Default: `{}`. */
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** What the caller provides about the end of a task; the book adds the rest. */
export type SubagentResultInput = {
  readonly success: boolean;
  readonly result?: string | null;
  readonly error?: string | null;
  readonly executionTimeMs?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/** A task that was begun; `done` resolves when its result is stored. */
export type PendingTask = {
  readonly taskId: string;
  readonly createdAt: number;
  readonly done: Promise<void>;
};

type OpenTask = PendingTask & { readonly settle: () => void };
type Pages = {
  lastId: number;
  readonly pending: Map<string, OpenTask>;
  readonly results: Map<string, SubagentResult>;
  /** Ids of unread results. */
  readonly unread: Set<string>;
};

/** Results of one agent that are kept for queries once they were read. */
const maxRead = 100;

export class TaskBook {
  readonly #wallTime: () => number;
  readonly #onAcknowledged: (agent: string, taskId: string) => void;
  readonly #agents = new Map<string, Pages>();

  /** `onAcknowledged` is called for each result that is no longer unread: it was read, or cleared. */
  constructor(
    wallTime: () => number,
    onAcknowledged: (agent: string, taskId: string) => void = () => {},
  ) {
    this.#wallTime = wallTime;
    this.#onAcknowledged = onAcknowledged;
  }

  /** Opens a task and returns its id. */
  create(agent: string): string {
    const pages = this.#pagesOf(agent);
    pages.lastId += 1;
    const taskId = String(pages.lastId);
    let settle = (): void => {};
    const done = new Promise<void>((resolve) => {
      settle = resolve;
    });
    pages.pending.set(taskId, { taskId, createdAt: this.#wallTime(), done, settle });
    return taskId;
  }

  /** Takes a task back that never began, its id with it. */
  cancel(agent: string, taskId: string): void {
    const pages = this.#agents.get(agent);
    if (pages?.pending.delete(taskId) !== true) return;
    if (pages.lastId === Number(taskId)) pages.lastId -= 1;
  }

  /** Ids of unfinished tasks, oldest first. */
  pending(agent: string): readonly string[] {
    return [...(this.#agents.get(agent)?.pending.keys() ?? [])];
  }

  pendingTask(agent: string, taskId: string): PendingTask | null {
    return this.#agents.get(agent)?.pending.get(taskId) ?? null;
  }

  /** The newest id, finished or not; null when there is none. */
  latestId(agent: string): string | null {
    const { lastId = 0 } = this.#agents.get(agent) ?? {};
    return lastId === 0 ? null : String(lastId);
  }

  /** Stores the end of a task; without an id, of the newest unfinished one, or of a new one. It is unread. */
  store(agent: string, input: SubagentResultInput, id?: string): SubagentResult {
    const pages = this.#pagesOf(agent);
    const taskId = id ?? this.pending(agent).at(-1) ?? this.create(agent);
    const open = pages.pending.get(taskId);
    const completedAt = this.#wallTime();
    const createdAt = open?.createdAt ?? completedAt;
    const { success, result = null, error = null, metadata = {} } = input;
    const { executionTimeMs = completedAt - createdAt } = input;
    const stored: SubagentResult = {
      taskId,
      agentName: agent,
      success,
      result,
      error,
      executionTimeMs,
      createdAt,
      completedAt,
      metadata,
    };
    pages.lastId = Math.max(pages.lastId, Number(taskId) || 0);
    pages.pending.delete(taskId);
    pages.results.delete(taskId);
    pages.results.set(taskId, stored);
    pages.unread.add(taskId);
    open?.settle();
    return stored;
  }

  /** Of one task, or the one that ended last; null when there is none. */
  result(agent: string, taskId?: string): SubagentResult | null {
    const results = this.#agents.get(agent)?.results;
    if (taskId !== undefined) return results?.get(taskId) ?? null;
    return [...(results?.values() ?? [])].at(-1) ?? null;
  }

  results(agent: string): readonly SubagentResult[] {
    return [...(this.#agents.get(agent)?.results.values() ?? [])];
  }

  /** Unread results, of every agent. */
  unread(): readonly SubagentResult[] {
    return [...this.#agents.values()].flatMap(({ unread, results }) =>
      [...unread].flatMap((taskId) => results.get(taskId) ?? []),
    );
  }

  isUnread(agent: string, taskId: string): boolean {
    return this.#agents.get(agent)?.unread.has(taskId) === true;
  }

  /** The result was received; it is kept for queries, the newest hundred of each agent. */
  read(agent: string, taskId: string): void {
    const pages = this.#agents.get(agent);
    if (pages === undefined) return;
    this.#markRead(agent, taskId);
    for (const id of pages.results.keys()) {
      if (pages.results.size - pages.unread.size <= maxRead) return;
      if (!pages.unread.has(id)) pages.results.delete(id);
    }
  }

  /** Forgets a result, or all of an agent's; returns the ids of those that were there. */
  clear(agent: string, taskId?: string): readonly string[] {
    const pages = this.#agents.get(agent);
    const ids = taskId === undefined ? [...(pages?.results.keys() ?? [])] : [taskId];
    return ids.filter((id) => {
      this.#markRead(agent, id);
      return pages?.results.delete(id) === true;
    });
  }

  /** The agent is gone: its running tasks and unread results are kept, the rest is forgotten. */
  leave(agent: string): void {
    const pages = this.#agents.get(agent);
    if (pages === undefined) return;
    for (const id of pages.results.keys()) if (!pages.unread.has(id)) pages.results.delete(id);
    if (pages.pending.size + pages.results.size === 0) this.#agents.delete(agent);
  }

  /** Agents with tasks or results, those that are gone included. */
  names(): readonly string[] {
    return [...this.#agents.keys()];
  }

  #markRead(agent: string, taskId: string): void {
    if (this.#agents.get(agent)?.unread.delete(taskId) === true)
      this.#onAcknowledged(agent, taskId);
  }

  #pagesOf(agent: string): Pages {
    let pages = this.#agents.get(agent);
    if (pages === undefined) {
      pages = { lastId: 0, pending: new Map(), results: new Map(), unread: new Set() };
      this.#agents.set(agent, pages);
    }
    return pages;
  }
}
