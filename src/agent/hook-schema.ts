// Owns the checks of hooks: as a program gives them, and as a thread calls those of the service.
import { z } from 'zod';
import { boundedArray } from '../base/bounded-array.ts';
import { outcomeExitReasons } from '../base/outcome.ts';
import { stopReasons } from '../models/model.ts';
import { anyBlock, imageBlock, maxBlocks, textBlock } from './history-schema.ts';
import type { HookCall } from './hook-call.ts';
import { type HookReference, hooksFault } from './hooks.ts';
import { failureSchema } from './run-event-schema.ts';

/** Hooks as a definition or a task names them; each issue names its field. */
export const hooksSchema = z
  .custom<HookReference | readonly HookReference[]>()
  .superRefine((value: unknown, context) => {
    const isMany = Array.isArray(value);
    for (const [at, reference] of (isMany ? value : [value]).entries()) {
      const fault = reference instanceof URL ? null : hooksFault(reference);
      if (fault === null) continue;
      const path = [...(isMany ? [at] : []), ...(fault.field === '' ? [] : [fault.field])];
      context.addIssue({ code: 'custom', message: fault.why, path });
    }
  });

/** A thread's request to call a hook of the service: its place in the agent spec, its name and its payload. */
export type HostHookCall = { readonly id: string; readonly at: number } & HookCall;

const count = z.number().int().nonnegative();
const call = { turn: count, callId: z.string(), name: z.string(), input: z.unknown() };
const asked = { id: z.string(), at: count };

/** Neither conversations nor usage are taken from threads: the host has its own record. */
const schema = z.discriminatedUnion('name', [
  z.object({ ...asked, name: z.literal('beforeRun'), subject: z.object({}) }),
  z.object({ ...asked, name: z.literal('beforeTurn'), subject: z.object({ turn: count }) }),
  z.object({
    ...asked,
    name: z.literal('afterTurn'),
    subject: z.object({
      turn: count,
      message: z.object({
        role: z.literal('assistant'),
        content: boundedArray(anyBlock, maxBlocks),
      }),
      stopReason: z.enum(stopReasons),
    }),
  }),
  z.object({ ...asked, name: z.literal('beforeTool'), subject: z.object(call) }),
  z.object({
    ...asked,
    name: z.literal('afterTool'),
    subject: z.object({
      ...call,
      result: z.union([
        z.string(),
        boundedArray(z.discriminatedUnion('type', [textBlock, imageBlock]), maxBlocks),
      ]),
      isError: z.boolean(),
      failure: failureSchema.optional(),
    }),
  }),
  z.object({
    ...asked,
    name: z.literal('afterRun'),
    subject: z.object({
      exitReason: z.enum(outcomeExitReasons),
      text: z.string(),
      error: failureSchema.optional(),
    }),
  }),
]);

/** The schema mirrors the union, but for the messages and the usage, which the host adds. */
export const hookCallSchema = schema as unknown as z.ZodType<HostHookCall>;
