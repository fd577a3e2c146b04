// Owns the check of the blocks of history: from a thread, which is not trusted, and as users store them.
import { z } from 'zod';
import { boundedArray } from '../base/bounded-array.ts';
import type { Message, ToolResult, ToolResultBlock } from './history.ts';
import { openSchemaOf } from './schema-of.ts';

/** Blocks of one message, and of one result. */
export const maxBlocks = 10_000;

export const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() });
const imageBlock = z.object({
  type: z.literal('image'),
  source: z.record(z.string(), z.unknown()),
});
const resultContent = z.union([
  z.string(),
  boundedArray(z.discriminatedUnion('type', [textBlock, imageBlock]), maxBlocks),
]);
export const toolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: resultContent,
  is_error: z.boolean().optional(),
});
export const thinkingBlock = z.looseObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
});
export const redactedBlock = z.looseObject({
  type: z.literal('redacted_thinking'),
  data: z.string(),
});
export const toolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});

export const anyBlock = z.discriminatedUnion('type', [
  textBlock,
  toolResultBlock,
  imageBlock,
  thinkingBlock,
  redactedBlock,
  toolUseBlock,
]);

// What a thread sends of a conversation. Blocks keep fields that only their provider knows, and the content of a message
// is any of them, so the schemas admit more than the types.
const content = boundedArray(anyBlock, maxBlocks);
export const messageSchema = openSchemaOf<Message>()(
  z.object({ role: z.enum(['user', 'assistant']), content }),
);
export const assistantMessageSchema = openSchemaOf<Extract<Message, { role: 'assistant' }>>()(
  z.object({ role: z.literal('assistant'), content }),
);
export const toolResultSchema = openSchemaOf<ToolResultBlock>()(toolResultBlock);
export const resultContentSchema = openSchemaOf<ToolResult['content']>()(resultContent);
