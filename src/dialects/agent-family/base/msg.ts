// Owns the message of the agent family: its blocks, its making, its check. Plain data; knows no agent and no model.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { plainCopy } from '../../../agent/plain-copy.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { describe, TroupeError } from '../../../base/failures.ts';
import { parseOptions } from '../../../base/parse-options.ts';
import { anyBlock } from '../../../protocol/block-schema.ts';
import type {
  ImageBlock,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../../../protocol/history.ts';

/** Sound. No model supported here accepts it: the model receives a text that mentions the sound. */
export type AudioBlock = {
  readonly type: 'audio';
  /** The sound itself, base64, with its media type, such as `audio/wav`. */
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
};

/** The content of a message; all blocks but sound are the blocks of history. */
export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ImageBlock
  | AudioBlock
  | ToolUseBlock
  | ToolResultBlock;

const msgRoles = ['user', 'assistant', 'system'] as const;
type MsgRole = (typeof msgRoles)[number];

/** One message between agents; plain data, never changed once made. */
export type Msg = {
  /** Names the message; printed pieces of it have the same one. */
  readonly id: string;
  /** The name of the author. */
  readonly name: string;
  /** The part its author plays for a model. */
  readonly role: MsgRole;
  /** A text, or blocks. */
  readonly content: string | readonly ContentBlock[];
  /** The program's own, and `structured` of a reply with an output schema. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
};

/** What `reply` and `observe` take: a message, several, or none. */
export type MsgInput = Msg | readonly Msg[] | null | undefined;

/** What a message is made of. */
export type MsgOptions = Pick<Msg, 'name' | 'role' | 'content'> & {
  /** Default: made up. */
  readonly id?: string;
  /** Default: `{}`. */
  readonly metadata?: Msg['metadata'];
  /** Gives the message its time. Default: the clock of the machine. */
  readonly clock?: Clock;
};

const audioBlock = z.object({
  type: z.literal('audio'),
  source: z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
});

export const msgSchema = z.object({
  id: z.string().min(1),
  name: z.string(),
  role: z.enum(msgRoles),
  content: z.union([z.string(), z.array(z.union([anyBlock, audioBlock]))]),
  metadata: z.record(z.string(), z.unknown()),
  timestamp: z.number(),
});

/** A message with an id and the present time. Throws `invalid_options` naming the field and the value seen. */
export function createMsg(options: MsgOptions): Msg {
  const { name, role, content, id = randomUUID(), metadata = {}, clock = systemClock } = options;
  const message: Msg = { id, name, role, content, metadata, timestamp: clock.wallTime() };
  parseOptions(msgSchema, message, 'message');
  return copyMsg(message);
}

/** True for a message, wherever it was made. */
export function isMsg(value: unknown): value is Msg {
  return msgSchema.safeParse(value).success;
}

/** Copies of the messages of what `reply` and `observe` take, in order. Throws `invalid_options` for what is none. */
export function msgsOf(input: MsgInput): readonly Msg[] {
  if (input === null || input === undefined) return [];
  const messages = [input].flat();
  for (const each of messages) {
    if (isMsg(each)) continue;
    throw new TroupeError('invalid_options', `expected messages, got ${describe(each)}`);
  }
  return messages.map(copyMsg);
}

/** The message as it is now. Throws `invalid_options` when its content or its metadata is no plain data. */
export function copyMsg(message: Msg): Msg {
  return plainCopy(message, { what: 'message', field: 'message', code: 'invalid_options' });
}

/** What `reply` and `observe` take, as it is now; what is no message is reported by the reader of the result. */
export function copyInput(input: MsgInput): MsgInput {
  if (isMsg(input)) return copyMsg(input);
  return Array.isArray(input) ? msgsOf(input) : input;
}

/** The blocks of a message; a bare text is one block. */
export function blocksOf({ content }: Pick<Msg, 'content'>): readonly ContentBlock[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}

/** The text of a message: its text blocks, one per line. */
export function msgText(message: Pick<Msg, 'content'>): string {
  return blocksOf(message)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
}

/** The content of these blocks; one text is bare. */
export function contentOf(blocks: readonly ContentBlock[]): Msg['content'] {
  const [first] = blocks;
  return blocks.length === 1 && first?.type === 'text' ? first.text : blocks;
}
