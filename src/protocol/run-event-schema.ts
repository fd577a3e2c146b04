// Owns the check of run events on the host: they come from a thread, so nothing in them is trusted.
import { z } from 'zod';
import { boundedArray } from '../base/bounded-array.ts';
import { TroupeError } from '../base/failures.ts';
import { outcomeExitReasons } from '../base/outcome.ts';
import { maxBlocks, messageSchema, toolResultSchema } from './block-schema.ts';
import { failureSchema } from './failure-schema.ts';
import { stopReasons } from './history.ts';
import type { ParkedRun } from './parked-run.ts';
import { maxPathChars, type RunEvent } from './run-events.ts';
import { schemaOf } from './schema-of.ts';

const count = z.number().int().nonnegative();

const runEnd = z.object({
  exitReason: z.enum(outcomeExitReasons),
  text: z.string(),
  error: failureSchema.optional(),
});

const parkedRun = schemaOf<ParkedRun>()(
  z.object({
    turn: count,
    text: z.string(),
    progress: z.object({
      emitted: boundedArray(z.string(), maxBlocks),
      isAnswered: z.boolean(),
      corrections: count,
    }),
    streak: z.object({ name: z.string().nullable(), length: count }),
    begins: count,
    isShortened: z.boolean(),
    hookFailure: failureSchema.nullable(),
    closing: z
      .object({
        end: runEnd,
        asked: count,
        missing: boundedArray(z.string(), maxBlocks),
        text: z.string().nullable(),
      })
      .nullable(),
    calls: boundedArray(
      z.object({
        step: z.enum(['waiting', 'running', 'done']),
        isNoticed: z.boolean(),
        input: z.unknown().optional(),
        block: toolResultSchema.nullable(),
      }),
      maxBlocks,
    ),
  }),
);

const runEvent = schemaOf<RunEvent>()(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('turn_started'), turn: count }),
    z.object({
      type: z.literal('model_delta'),
      delta: z.object({ type: z.enum(['text', 'thinking']), text: z.string() }),
    }),
    z.object({
      type: z.literal('model_response'),
      turn: count,
      message: messageSchema,
      model: z.string(),
      stopReason: z.enum(stopReasons),
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
      failure: failureSchema.optional(),
    }),
    z.object({ type: z.literal('touched'), path: z.string().max(maxPathChars) }),
    z.object({ type: z.literal('tool_results'), turn: count, message: messageSchema }),
    z.object({ type: z.literal('prompted'), turn: count, message: messageSchema }),
    z.object({ type: z.literal('steered'), turn: count, id: z.string(), message: messageSchema }),
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
    }),
    z.object({ type: z.literal('emitted'), name: z.string(), value: z.string() }),
    z.object({ type: z.literal('run_parked'), parked: parkedRun }),
    z.object({ type: z.literal('park_refused') }),
    z.object({ type: z.literal('hook_failed'), failure: failureSchema }),
    z.object({ type: z.literal('run_ended'), runId: z.string(), end: runEnd }),
  ]),
);

/** A run event, checked. Throws `protocol_violation`. */
export function parseRunEvent(value: unknown): RunEvent {
  const result = runEvent.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new TroupeError(
    'protocol_violation',
    `an agent's thread sent a malformed note (${issue?.path.join('.')}: ${issue?.message})`,
  );
}
