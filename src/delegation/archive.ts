// Owns what is kept of ended tasks: the last 1,000 outcomes and transcripts, at most 64 MiB (decision 13).
import { measure } from '../actor/plain.ts';
import type { Message } from '../models/model.ts';
import type { Outcome } from '../outcome.ts';

type Kept = {
  readonly outcome: Outcome;
  readonly messages: readonly Message[];
  readonly bytes: number;
};

const mostKept = 1_000;
const mostBytes = 64 * 1024 * 1024;

export class Archive {
  readonly #byTask = new Map<string, Kept>();
  /** The last task of each agent. */
  readonly #byAgent = new Map<string, Kept>();
  /** Task ids in the order they ended; those before `#oldest` are gone. */
  #order: string[] = [];
  #oldest = 0;
  #bytes = 0;

  keep(outcome: Outcome, messages: readonly Message[]): void {
    const bytes = messages.reduce((sum, message) => sum + measure(message), 0);
    const kept = { outcome, messages, bytes };
    this.#byTask.set(outcome.taskId, kept);
    if (outcome.agent.id !== '') this.#byAgent.set(outcome.agent.id, kept);
    this.#order.push(outcome.taskId);
    this.#bytes += bytes;
    while (this.#byTask.size > 1 && this.#isFull()) this.#forgetOldest();
  }

  #isFull(): boolean {
    return this.#byTask.size > mostKept || this.#bytes > mostBytes;
  }

  #forgetOldest(): void {
    // The newest is never forgotten, so an id is there.
    const taskId = this.#order[this.#oldest] as string;
    this.#oldest += 1;
    const kept = this.#byTask.get(taskId);
    this.#byTask.delete(taskId);
    if (kept !== undefined) {
      this.#bytes -= kept.bytes;
      const { id } = kept.outcome.agent;
      if (this.#byAgent.get(id) === kept) this.#byAgent.delete(id);
    }
    if (this.#oldest < mostKept) return;
    this.#order = this.#order.slice(this.#oldest);
    this.#oldest = 0;
  }

  /** By task id, agent id or path; the latest when a path was used more than once. */
  find(id: string): { readonly outcome: Outcome; readonly messages: readonly Message[] } | null {
    const known = this.#byTask.get(id) ?? this.#byAgent.get(id);
    if (known !== undefined) return known;
    let found: Kept | null = null;
    for (const kept of this.#byTask.values()) if (kept.outcome.agent.path === id) found = kept;
    return found;
  }
}
