// Owns the entries of a board and operations on their list: check, trimming, filters. Pure, no clock.
import { z } from 'zod';
import { parseOptions } from '../base/parse-options.ts';

export const boardEntryTypes = ['status', 'message', 'system'] as const;
/** A line of progress, a message to an agent, or an announcement of the system. */
export type BoardEntryType = (typeof boardEntryTypes)[number];

/** The target of an entry for all agents. */
export const everybody = 'all';
/** The sender of what no agent posts: the program, and the main agent. */
export const systemSender = 'System';

/** One entry of a session's board. */
export type BoardEntry = {
  /** What kind of entry it is. */
  readonly type: BoardEntryType;
  /** An agent's name, or `System`. */
  readonly sender: string;
  /** An agent's name, or `all`. */
  readonly target: string;
  /** 1 to 2,000 characters. */
  readonly content: string;
  /** Milliseconds since 1970, on the supervisor's clock. */
  readonly timestamp: number;
};

/** What is posted; by default from `System` to `all`. Only `System` sends entries of type `system`. */
export type BoardPost = {
  /** `system` is for the sender `System` alone. */
  readonly type: BoardEntryType;
  /** An agent's name. Default `System`. */
  readonly sender?: string;
  /** An agent's name, or `all`, the default. */
  readonly target?: string;
  /** 1 to 2,000 characters. */
  readonly content: string;
};

/** Characters of one entry, at most. Together with the number of entries this bounds a board. */
export const maxEntryChars = 2_000;
/** The highest `maxEntries` that a board can be set to. */
export const maxEntries = 10_000;

// The names of agents: none can contain a line break, which could imitate a line of another sender.
const agentName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected letters, digits, _ and -, at most 64');

/** Who an entry is for. */
export const targetSchema = agentName;

/** The text of an entry. */
export const contentSchema = z
  .string()
  .max(maxEntryChars, `expected at most ${maxEntryChars} characters; put more into a file`)
  .refine((text) => text.trim() !== '', 'expected a text that is not empty');

const postSchema = z
  .strictObject({
    type: z.enum(boardEntryTypes),
    sender: agentName.default(systemSender),
    target: targetSchema.default(everybody),
    content: contentSchema,
  })
  .refine(({ sender }) => sender === systemSender || !isReservedName(sender), {
    path: ['sender'],
    message: `no agent is named ${everybody} or ${systemSender}`,
  })
  .refine(({ type, sender }) => type !== 'system' || sender === systemSender, {
    path: ['sender'],
    message: `only ${systemSender} posts entries of type system`,
  });

/** True for a name that no agent may have, in any case of letters: readers of the board could mistake its sender. */
export function isReservedName(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === everybody || lower === systemSender.toLowerCase();
}

/** A post as an entry. Throws `invalid_options` naming the field and the value seen. */
export function toEntry(post: BoardPost, timestamp: number): BoardEntry {
  return { ...parseOptions(postSchema, post, 'board.post'), timestamp };
}

/**
 * The list with one more entry. A list that would grow over `maxEntries` is trimmed first, to the newest 90 % of
 * `maxEntries` rounded down, and the entry comes on top: 300 entries at a limit of 300 become 270 and the new one.
 */
export function withEntry(
  entries: readonly BoardEntry[],
  entry: BoardEntry,
  maxEntries: number,
): readonly BoardEntry[] {
  const kept = entries.length >= maxEntries ? newest(entries, afterTrim(maxEntries)) : entries;
  return [...kept, entry];
}

/** The list under a limit that was lowered: as it is when it fits, else trimmed as a post would trim it. */
export function trimmed(entries: readonly BoardEntry[], maxEntries: number): readonly BoardEntry[] {
  return entries.length > maxEntries ? newest(entries, afterTrim(maxEntries)) : entries;
}

function afterTrim(maxEntries: number): number {
  return Math.floor((maxEntries * 9) / 10);
}

/** The last `count` of a list, in their order. */
export function newest<Value>(list: readonly Value[], count: number): readonly Value[] {
  return count === 0 ? [] : list.slice(-count);
}

/** True for an entry that an agent sent, or that is for it or for all agents. */
export function concerns({ sender, target }: BoardEntry, agent: string): boolean {
  return sender === agent || target === agent || target === everybody;
}

/** True for an entry from an agent or to it alone: what goes when the agent goes. */
export function belongsTo({ sender, target }: BoardEntry, agent: string): boolean {
  return sender === agent || target === agent;
}
