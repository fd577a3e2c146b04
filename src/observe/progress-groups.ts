// Owns progress in groups: what the runs of a tree do, collected and handed to a callback together (C43). A reader of
// the events: a callback that fails is reported as a `log` event and changes nothing (O3).
import type { CancelTimer, Clock } from '../base/clock.ts';
import { toFault } from '../base/stack.ts';
import type { EventType, TroupeEvent } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';

/** Who did it, and when. */
type Whose = {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly taskId: string;
  readonly agentId: string | null;
  readonly parentId: string | null;
  readonly path: string | null;
  readonly depth: number;
};

/** One thing that a run did. */
export type ProgressItem = Whose &
  (
    | { readonly type: 'task_started' }
    | { readonly type: 'turn_started'; readonly turn: number }
    | { readonly type: 'tool_started'; readonly callId: string; readonly name: string }
    | {
        readonly type: 'tool_completed';
        readonly callId: string;
        readonly name: string;
        readonly isError: boolean;
      }
    | { readonly type: 'task_progress'; readonly fraction: number; readonly note: string | null }
    | { readonly type: 'task_completed'; readonly status: string; readonly index: number }
  );

/** What happened in one tree since the group before. */
export type ProgressGroup = {
  /** The task at the top of the tree. */
  readonly taskId: string;
  /** In the order it happened; only the last group of a tree may be empty. */
  readonly items: readonly ProgressItem[];
  /** The task has ended: its last group, delivered before its outcome. Background tasks that go on are not reported. */
  readonly isFinal: boolean;
};

/** Which progress is reported, and in how large groups. */
export type ProgressOptions = {
  /** Called with each group; what it returns is not waited for. */
  readonly onBatch: (group: ProgressGroup) => unknown;
  /** Only this task and what is below it. Default: every root task, each in groups of its own. */
  readonly taskId?: string;
  /** Milliseconds from the first thing in a group to its handing over. Default 1,000. */
  readonly everyMs?: number;
  /** A group of that many, at least 1, is handed over at once. Default 50. */
  readonly maxItems?: number;
};

type Tree = { items: ProgressItem[]; cancel: CancelTimer; readonly agents: Set<string> };

const read = [
  'task_queued',
  'task_started',
  'turn_started',
  'tool_started',
  'tool_completed',
  'task_progress',
  'task_completed',
] as const satisfies readonly EventType[];
type Read = TroupeEvent<(typeof read)[number]>;

const nothing = (): void => {};

/** Collects from now on; returns how to stop. What was not handed over by then is dropped. */
export function collectProgress(
  parts: { readonly events: EventBus; readonly clock: Clock },
  options: ProgressOptions,
): () => void {
  const collector = new ProgressCollector(parts, options);
  return () => collector.stop();
}

class ProgressCollector {
  readonly #events: EventBus;
  readonly #clock: Clock;
  readonly #options: ProgressOptions;
  readonly #trees = new Map<string, Tree>();
  /** The top task of each agent. */
  readonly #tops = new Map<string, string>();
  readonly #stops: readonly (() => void)[];

  constructor(
    { events, clock }: { readonly events: EventBus; readonly clock: Clock },
    options: ProgressOptions,
  ) {
    this.#events = events;
    this.#clock = clock;
    this.#options = options;
    // Who works for whom is known from what happened before.
    for (const event of events.kept()) if (isRead(event)) this.#place(event);
    this.#stops = read.map((type) => events.on(type, (event) => this.#received(event)));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    for (const tree of this.#trees.values()) tree.cancel();
    this.#trees.clear();
    this.#tops.clear();
  }

  #received(event: Read): void {
    const top = this.#topOf(event);
    if (top === null) return;
    const tree = this.#tree(top, event.agentId);
    const isFinal = event.type === 'task_completed' && event.taskId === top;
    const item = itemOf(event);
    if (item !== null) tree.items.push(item);
    const { maxItems = 50, everyMs = 1_000 } = this.#options;
    if (isFinal || tree.items.length >= maxItems) this.#hand(top, tree, isFinal);
    else if (tree.items.length === 1 && tree.cancel === nothing) {
      tree.cancel = this.#clock.after(everyMs, () => this.#hand(top, tree, false));
    }
    if (isFinal) this.#forget(top, tree);
  }

  #place(event: Read): void {
    const top = this.#topOf(event);
    if (top === null) return;
    const tree = this.#tree(top, event.agentId);
    if (event.type === 'task_completed' && event.taskId === top) this.#forget(top, tree);
  }

  #tree(top: string, agentId: string | undefined): Tree {
    const known = this.#trees.get(top);
    const tree = known ?? { items: [], cancel: nothing, agents: new Set<string>() };
    if (known === undefined) this.#trees.set(top, tree);
    if (agentId !== undefined) {
      tree.agents.add(agentId);
      this.#tops.set(agentId, top);
    }
    return tree;
  }

  #forget(top: string, tree: Tree): void {
    this.#trees.delete(top);
    for (const agent of tree.agents) if (this.#tops.get(agent) === top) this.#tops.delete(agent);
  }

  /** The task at the top of an event's tree; null when the subscriber did not ask for that tree. */
  #topOf({ taskId, parentId }: Read): string | null {
    const { taskId: wanted } = this.#options;
    if (taskId === undefined) return null;
    if (taskId === wanted) return taskId;
    if (parentId !== undefined) return this.#tops.get(parentId) ?? null;
    return wanted === undefined ? taskId : null;
  }

  #hand(taskId: string, tree: Tree, isFinal: boolean): void {
    tree.cancel();
    tree.cancel = nothing;
    const { items } = tree;
    tree.items = [];
    try {
      const result = this.#options.onBatch({ taskId, items, isFinal });
      if (result instanceof Promise) result.catch((error: unknown) => this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    const message = 'a callback for progress failed';
    const fault = toFault(error, 'internal');
    this.#events.emit('log', {}, { level: 'error', message, failure: fault });
  }
}

function isRead(event: TroupeEvent): event is Read {
  return read.some((type) => type === event.type);
}

function itemOf(event: Read): ProgressItem | null {
  const { seq, at, taskId = '', agentId = null, parentId = null, path = null, depth = 0 } = event;
  const whose = { seq, at, taskId, agentId, parentId, path, depth };
  switch (event.type) {
    case 'task_queued':
      return null;
    case 'task_started':
      return { ...whose, type: event.type };
    case 'turn_started':
      return { ...whose, type: event.type, turn: event.turn };
    case 'tool_started':
      return { ...whose, type: event.type, callId: event.callId, name: event.name };
    case 'tool_completed': {
      const { type, callId, name, isError } = event;
      return { ...whose, type, callId, name, isError };
    }
    case 'task_progress':
      return { ...whose, type: event.type, fraction: event.fraction, note: event.note ?? null };
    case 'task_completed': {
      const { status, index } = event.outcome;
      return { ...whose, type: event.type, status, index };
    }
  }
}
