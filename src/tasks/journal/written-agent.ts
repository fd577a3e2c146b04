// Owns what a persistent agent has to do with the journal: what is written of it, and which of its messages are there. Pure.
import type { Usage } from '../../base/outcome.ts';
import type { KeptAgent } from '../../journal/records.ts';
import type { Message } from '../../protocol/history.ts';
import { jsonOf } from './stored-task.ts';

/** What a later process makes an agent of. */
export type StoredAgent = {
  /** The name of its definition, which is looked up again. */
  readonly definition: string;
  readonly survivesCrash: boolean;
};

/** What all its runs used and touched, and what they delegated. */
export type StoredUse = {
  readonly usage: Usage;
  readonly agents: number;
  readonly files: readonly string[];
};

export type LoadedAgent = {
  readonly stored: StoredAgent;
  /** Null before the end of its first run. */
  readonly used: StoredUse | null;
  readonly first: number;
  /** Null while only the journal has it. */
  readonly memory: readonly Message[] | null;
};

/** What is read was written by this module, and its sums are right. */
export function readAgent({ spec, used, first, messages }: KeptAgent): LoadedAgent {
  return {
    stored: JSON.parse(spec) as StoredAgent,
    used: used === null ? null : (JSON.parse(used) as StoredUse),
    first,
    memory: messages?.map((text) => JSON.parse(text) as Message) ?? null,
  };
}

export type MemoryChange = {
  readonly first: number;
  readonly from: number;
  readonly messages: readonly string[];
};

const noMessages: readonly Message[] = [];

/** What the journal has of an agent. */
export class WrittenAgent {
  /** Null before its first record is on its way. */
  stored: StoredAgent | null = null;
  #first = 1;
  #memory: readonly Message[] = noMessages;
  /** Changes that are not durable yet. */
  #pending = 0;
  /** Its memory is on its way back. */
  isLoading = false;

  static of({ stored, first, memory }: LoadedAgent): WrittenAgent {
    const written = new WrittenAgent();
    written.stored = stored;
    written.#first = first;
    written.#memory = memory ?? noMessages;
    return written;
  }

  /** What has to be written for `memory` to be there: a message that stayed is the same object. */
  remember(memory: readonly Message[]): MemoryChange {
    const before = this.#memory;
    const [oldest] = memory;
    const at = oldest === undefined ? -1 : before.indexOf(oldest);
    const forgotten = at < 0 ? before.length : at;
    let kept = 0;
    while (kept < memory.length && memory[kept] === before[forgotten + kept]) kept += 1;
    const first = this.#first + forgotten;
    this.#first = first;
    this.#memory = memory;
    this.#pending += 1;
    return { first, from: first + kept, messages: memory.slice(kept).map(jsonOf) };
  }

  /** A change of `remember` is durable. */
  remembered(): void {
    this.#pending -= 1;
  }

  /** All of `memory` can be read again. */
  has(memory: readonly Message[]): boolean {
    return this.stored !== null && this.#pending === 0 && this.#memory === memory;
  }

  /** Keeps none of the messages; `of` makes the next one. */
  letGo(): void {
    this.#memory = noMessages;
  }
}
