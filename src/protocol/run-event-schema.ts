// Owns the check of run events on the host: they come from a thread, so nothing in them is trusted.
import { z } from 'zod';
import { boundedArray } from '../base/bounded-array.ts';
import { TroupeError } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import { outcomeExitReasons } from '../base/outcome.ts';
import {
  assistantMessageSchema,
  maxBlocks,
  messageSchema,
  resultContentSchema,
  toolResultSchema,
} from './block-schema.ts';
import { failureSchema } from './failure-schema.ts';
import { type Message, stopReasons, type ToolResult } from './history.ts';
import { maxLeaks, maxPathChars, maxPreviewChars, type ThreadEvent } from './run-events.ts';
import type { SavedRun } from './saved-run.ts';
import { openSchemaOf, schemaOf } from './schema-of.ts';

const count = z.number().int().nonnegative();

const runEnd = z.object({
  exitReason: z.enum(outcomeExitReasons),
  text: z.string(),
  error: failureSchema.optional(),
});

const savedDetails = z.object({
  text: z.string(),
  streak: z.object({ name: z.string().nullable(), length: count }),
  isShortened: z.boolean(),
  isAnswered: z.boolean(),
  corrections: count,
  closingRequests: count,
  hookFailure: failureSchema.nullable(),
});

const toolResult = openSchemaOf<ToolResult>()(
  z.object({
    content: resultContentSchema,
    isError: z.boolean(),
    failure: failureSchema.optional(),
  }),
);

/** Checked where its hook answered: blocks that only a provider knows are let through, and kept as they are. */
const shownMessage = z.custom<Message>(
  (value) =>
    isRecord(value) && typeof value['role'] === 'string' && Array.isArray(value['content']),
);

const savedStep = z.discriminatedUnion('type', [
  z.object({ type: z.literal('new') }),
  z.object({ type: z.literal('before_run'), hook: count }),
  z.object({
    type: z.literal('before_turn'),
    hook: count,
    texts: boundedArray(z.string(), maxBlocks),
    shown: z.array(shownMessage).optional(),
  }),
  z.object({ type: z.literal('between_turns') }),
  z.object({ type: z.literal('asking') }),
  z.object({ type: z.literal('paused') }),
  z.object({
    type: z.literal('answered'),
    hook: count.optional(),
    stopReason: z.enum(stopReasons).optional(),
    refusalCategory: z.string().optional(),
    blank: assistantMessageSchema.optional(),
  }),
  z.object({
    type: z.literal('in_tools'),
    calls: boundedArray(
      z.object({
        step: z.enum(['waiting', 'before_tool', 'approving', 'running', 'after_tool', 'done']),
        isNoticed: z.boolean(),
        where: z.enum(['thread', 'host']).optional(),
        hook: count.optional(),
        input: z.unknown().optional(),
        result: toolResult.optional(),
        block: toolResultSchema.nullable(),
      }),
      maxBlocks,
    ),
  }),
]);

const savedRun = schemaOf<SavedRun>()(
  z.object({ turn: count, step: savedStep.optional(), details: savedDetails.optional() }),
);

const runEvent = schemaOf<ThreadEvent>()(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('turn_started'), turn: count }),
    z.object({
      type: z.literal('model_response'),
      turn: count,
      message: messageSchema,
      model: z.string(),
      stopReason: z.enum(stopReasons),
      state: savedRun,
    }),
    z.object({
      type: z.literal('model_broke_off'),
      turn: count,
    }),
    z.object({
      type: z.literal('tool_started'),
      turn: count,
      callId: z.string(),
      name: z.string(),
      where: z.enum(['thread', 'host']),
      inputPreview: z.string().max(maxPreviewChars),
    }),
    z.object({
      type: z.literal('tool_progress'),
      callId: z.string(),
      fraction: z.number(),
      note: z.string().optional(),
    }),
    z.object({
      type: z.literal('tool_completed'),
      callId: z.string(),
      name: z.string(),
      isError: z.boolean(),
      resultPreview: z.string().max(maxPreviewChars),
      failure: failureSchema.optional(),
      result: toolResultSchema.optional(),
    }),
    z.object({ type: z.literal('touched'), path: z.string().max(maxPathChars) }),
    z.object({
      type: z.literal('tool_results'),
      turn: count,
      message: messageSchema,
      state: savedRun,
    }),
    z.object({
      type: z.literal('prompted'),
      turn: count,
      message: messageSchema,
      state: savedRun,
    }),
    z.object({
      type: z.literal('steered'),
      turn: count,
      id: z.string(),
      message: messageSchema,
      state: savedRun,
    }),
    z.object({ type: z.literal('paused') }),
    z.object({ type: z.literal('went_on') }),
    z.object({
      type: z.literal('shortened'),
      turn: count,
      shortening: z.object({
        maxResultChars: count,
        leftOut: boundedArray(z.object({ from: count, to: count }), maxBlocks),
        at: count,
        summary: messageSchema,
      }),
      state: savedRun,
    }),
    z.object({ type: z.literal('emitted'), name: z.string(), value: z.string() }),
    z.object({
      type: z.literal('run_parked'),
      state: savedRun,
      known: count,
      isAsked: z.boolean(),
    }),
    z.object({
      type: z.literal('park_refused'),
      leaks: boundedArray(z.string().max(maxPathChars), maxLeaks),
    }),
    z.object({ type: z.literal('hook_failed'), failure: failureSchema }),
    z.object({ type: z.literal('run_ended'), runId: z.string(), end: runEnd }),
  ]),
);

/** A run event, checked. Throws `protocol_violation`. */
export function parseRunEvent(value: unknown): ThreadEvent {
  const result = runEvent.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new TroupeError(
    'protocol_violation',
    `an agent's thread sent a malformed run event (${issue?.path.join('.')}: ${issue?.message})`,
  );
}
