// Owns the check of history as users store it.
import { z } from 'zod';
import {
  redactedBlock,
  textBlock,
  thinkingBlock,
  toolResultBlock,
  toolUseBlock,
} from '../protocol/block-schema.ts';
import { imageSource } from './content-schema.ts';

/** Stored blocks keep fields that only their provider knows. */
const imageBlock = z.looseObject({ type: z.literal('image'), source: imageSource });
const userBlock = z.discriminatedUnion('type', [textBlock, imageBlock, toolResultBlock]);
const assistantBlock = z.discriminatedUnion('type', [
  textBlock,
  imageBlock,
  thinkingBlock,
  redactedBlock,
  toolUseBlock,
]);
const content = <Block extends z.ZodType>(block: Block) =>
  z.union([z.string().min(1), z.array(block).min(1)]);

/** A message as users store it: its text may be bare, its role may be the system's. */
export const storedMessageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: content(userBlock) }),
  z.object({ role: z.literal('assistant'), content: content(assistantBlock) }),
  z.object({ role: z.literal('system'), content: content(textBlock) }),
]);
