// Owns the background tasks of a session's subagents: ids that count up per agent, results, and which are read
// (A21, A44, A46, A52, A53). Does not run them.
import { PendingResults } from '../../base/pending-results.ts';

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

/** A task that was begun. */
type PendingTask = {
  readonly taskId: string;
  readonly createdAt: number;
  /** The session's id of it; null for a task that the session does not run. */
  readonly sessionTaskId: string | null;
  /** Resolves when its result is stored. */
  readonly done: Promise<void>;
  readonly settle: () => void;
};

type Pages = {
  lastId: number;
  /** Tasks that run, and those whose results are unread. */
  readonly tasks: PendingResults<PendingTask, SubagentResult>;
  /** All results that are kept, the unread ones among them. */
  readonly results: Map<string, SubagentResult>;
};

export type TaskBookOptions = {
  /** Called for a result that no call waits for: its task has ended, or the call that waited gave up. */
  readonly onUnread?: (result: SubagentResult) => void;
  /** Called for each task of the session whose result is no longer unread: it was read, or cleared. */
  readonly onAcknowledged?: (sessionTaskId: string) => void;
};

/** Results of one agent that are kept for queries once they were read. */
const maxRead = 100;

export class TaskBook {
  readonly #wallTime: () => number;
  readonly #options: TaskBookOptions;
  readonly #agents = new Map<string, Pages>();

  constructor(wallTime: () => number, options: TaskBookOptions = {}) {
    this.#wallTime = wallTime;
    this.#options = options;
  }

  /** Opens a task and returns its id; `sessionTaskId` is the session's, where the session runs it. */
  create(agent: string, sessionTaskId: string | null = null): string {
    const pages = this.#pagesOf(agent);
    return this.#open(pages, String(pages.lastId + 1), sessionTaskId).taskId;
  }

  /** Ids of unfinished tasks, oldest first. */
  pending(agent: string): readonly string[] {
    return (
      this.#agents
        .get(agent)
        ?.tasks.running()
        .map(({ taskId }) => taskId) ?? []
    );
  }

  pendingTask(agent: string, taskId: string): PendingTask | null {
    const running = this.#agents.get(agent)?.tasks.running() ?? [];
    return running.find((each) => each.taskId === taskId) ?? null;
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
    const { createdAt, settle } = pages.tasks.find(taskId) ?? this.#open(pages, taskId);
    const completedAt = this.#wallTime();
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
    pages.results.delete(taskId);
    pages.results.set(taskId, stored);
    settle();
    pages.tasks.end(taskId, stored);
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
    return [...this.#agents.values()].flatMap(({ tasks }) => tasks.results());
  }

  /** True for an unread result that no call is about to receive. */
  isUnclaimed({ agentName, taskId }: SubagentResult): boolean {
    return this.#agents.get(agentName)?.tasks.isUnclaimed(taskId) === true;
  }

  /** As `PendingResults.wait`, for a task of an agent. */
  wait(agent: string, taskId: string, until: Promise<unknown>): Promise<SubagentResult | null> {
    return this.#pagesOf(agent).tasks.wait(taskId, until);
  }

  /** The result was received; it is kept for queries, the newest hundred of each agent. */
  read(agent: string, taskId: string): void {
    const pages = this.#agents.get(agent);
    if (pages === undefined) return;
    const { tasks, results } = pages;
    tasks.acknowledge(taskId);
    const max = tasks.results().length + maxRead;
    for (const id of results.keys()) {
      if (results.size <= max) return;
      if (!tasks.isUnread(id)) results.delete(id);
    }
  }

  /** Forgets a result, or all of an agent's; returns the ids of those that were there. */
  clear(agent: string, taskId?: string): readonly string[] {
    const pages = this.#agents.get(agent);
    const ids = taskId === undefined ? [...(pages?.results.keys() ?? [])] : [taskId];
    return ids.filter((id) => {
      pages?.tasks.acknowledge(id);
      return pages?.results.delete(id) === true;
    });
  }

  /** The agent is gone: its running tasks and unread results are kept, the rest is forgotten. */
  leave(agent: string): void {
    const pages = this.#agents.get(agent);
    if (pages === undefined) return;
    const { tasks, results } = pages;
    for (const id of results.keys()) if (!tasks.isUnread(id)) results.delete(id);
    if (tasks.size === 0) this.#agents.delete(agent);
  }

  /** Agents with tasks or results, those that are gone included. */
  names(): readonly string[] {
    return [...this.#agents.keys()];
  }

  #open(pages: Pages, taskId: string, sessionTaskId: string | null = null): PendingTask {
    let settle = (): void => {};
    const done = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const task = { taskId, createdAt: this.#wallTime(), sessionTaskId, done, settle };
    pages.lastId = Math.max(pages.lastId, Number(taskId) || 0);
    pages.tasks.add(taskId, task);
    return task;
  }

  #pagesOf(agent: string): Pages {
    let pages = this.#agents.get(agent);
    if (pages === undefined) {
      const { onUnread, onAcknowledged } = this.#options;
      const tasks = new PendingResults<PendingTask, SubagentResult>(
        (result) => {
          onUnread?.(result);
          return null;
        },
        (_result, { sessionTaskId }) => sessionTaskId !== null && onAcknowledged?.(sessionTaskId),
      );
      pages = { lastId: 0, tasks, results: new Map() };
      this.#agents.set(agent, pages);
    }
    return pages;
  }
}
