// Owns the check of history that comes from outside: blocks as a thread sends them, messages as users store them.
import { z } from 'zod';
import { boundedArray } from '../base/bounded-array.ts';

/** Blocks of one message, and of one result. */
export const maxBlocks = 10_000;

export const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() });
export const imageBlock = z.object({
  type: z.literal('image'),
  source: z.record(z.string(), z.unknown()),
});
export const toolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([
    z.string(),
    boundedArray(z.discriminatedUnion('type', [textBlock, imageBlock]), maxBlocks),
  ]),
  is_error: z.boolean().optional(),
});
const thinking = z.looseObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
});
const redacted = z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() });
const toolUse = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});

export const anyBlock = z.discriminatedUnion('type', [
  textBlock,
  toolResultBlock,
  imageBlock,
  thinking,
  redacted,
  toolUse,
]);

const userBlock = z.discriminatedUnion('type', [textBlock, imageBlock, toolResultBlock]);
const assistantBlock = z.discriminatedUnion('type', [textBlock, thinking, redacted, toolUse]);
const content = <Block extends z.ZodType>(block: Block) =>
  z.union([z.string().min(1), z.array(block).min(1)]);

/** A message as users store it: its text may be bare, its role may be the system's. */
export const storedMessageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: content(userBlock) }),
  z.object({ role: z.literal('assistant'), content: content(assistantBlock) }),
  z.object({ role: z.literal('system'), content: content(textBlock) }),
]);
