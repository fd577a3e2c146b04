// Owns what is kept of ended tasks: the last 1,000 outcomes and transcripts, at most 64 MiB (decision 13).

import type { Outcome } from '../base/outcome.ts';
import type { Message } from '../protocol/history.ts';
import type { Branch } from './state.ts';

/** An ended task. */
export type Ended = {
  readonly outcome: Outcome;
  readonly messages: readonly Message[];
  /** Where in them the run's own begin, after its opening and what it remembered. */
  readonly begins: number;
  /** How many of them are its opening: at the very beginning, and right before its own. */
  readonly opening: { readonly preamble: number; readonly examples: number };
  readonly goal: string;
  /** The name of its agent, where the task had it by a name: what comes with a task is not kept. */
  readonly agentName: string | undefined;
  readonly sessionId: string | undefined;
  /** The task whose run delegated it; null of a root. */
  readonly parentTaskId: string | null;
  /** What is and was below its agent; null when it never had one. */
  readonly branch: Branch | null;
};

type Kept = { readonly ended: Ended; readonly bytes: number };

const maxKept = 1_000;
const maxBytes = 64 * 1024 * 1024;

export class TaskHistory {
  readonly #byTask = new Map<string, Kept>();
  /** The last task of each agent. */
  readonly #byAgent = new Map<string, Kept>();
  /** Task ids in the order they ended; those before `#oldest` are gone. */
  #order: string[] = [];
  #oldest = 0;
  #bytes = 0;

  keep(ended: Ended): void {
    const { outcome, messages, goal } = ended;
    const bytes = weightOf(messages) + goal.length * 2;
    const kept = { ended, bytes };
    this.#byTask.set(outcome.taskId, kept);
    if (outcome.agent.id !== '') this.#byAgent.set(outcome.agent.id, kept);
    this.#order.push(outcome.taskId);
    this.#bytes += bytes;
    while (this.#byTask.size > 1 && this.#isFull()) this.#forgetOldest();
  }

  #isFull(): boolean {
    return this.#byTask.size > maxKept || this.#bytes > maxBytes;
  }

  #forgetOldest(): void {
    // The newest is never forgotten, so an id is there.
    const taskId = this.#order[this.#oldest] as string;
    this.#oldest += 1;
    const kept = this.#byTask.get(taskId);
    this.#byTask.delete(taskId);
    if (kept !== undefined) {
      this.#bytes -= kept.bytes;
      const { id } = kept.ended.outcome.agent;
      if (this.#byAgent.get(id) === kept) this.#byAgent.delete(id);
    }
    if (this.#oldest < maxKept) return;
    this.#order = this.#order.slice(this.#oldest);
    this.#oldest = 0;
  }

  /** Everything kept, in the order it ended. */
  *all(): Iterable<Ended> {
    for (const { ended } of this.#byTask.values()) yield ended;
  }

  /** The last task of the agent of this id; null when it is not kept. */
  lastOf(agentId: string): Ended | null {
    return this.#byAgent.get(agentId)?.ended ?? null;
  }

  ofTask(taskId: string): Ended | null {
    return this.#byTask.get(taskId)?.ended ?? null;
  }

  /** By task id, agent id or path; the latest when a path was used more than once. */
  find(id: string): Ended | null {
    const known = this.#byTask.get(id) ?? this.#byAgent.get(id);
    if (known !== undefined) return known.ended;
    let found: Ended | null = null;
    for (const ended of this.all()) if (ended.outcome.agent.path === id) found = ended;
    return found;
  }
}

const valueBytes = 16;

/** Roughly how much memory it takes. Accepts values of any depth and kind: an end must not fail on them. */
function weightOf(messages: readonly Message[]): number {
  const left: unknown[] = [messages];
  const seen = new Set<unknown>();
  let bytes = 0;
  while (left.length > 0) {
    const value = left.pop();
    bytes += valueBytes;
    if (typeof value === 'string') bytes += value.length * 2;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) bytes += value.byteLength;
    // Every end comes by here: no list of its values is made.
    else for (const key in value) left.push(value[key as keyof typeof value]);
  }
  return bytes;
}
