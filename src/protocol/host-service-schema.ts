// Owns the check of what an agent's thread asks its host's services with.
import { z } from 'zod';
import { boundedArray } from '../base/bounded-array.ts';
import { outcomeExitReasons } from '../base/outcome.ts';
import { assistantMessageSchema, resultContentSchema } from './block-schema.ts';
import { failureSchema } from './failure-schema.ts';
import { stopReasons } from './history.ts';
import { hookNames } from './hooks.ts';
import type { HookKey, HostHookCall, ServiceInput, ServiceName } from './host-services.ts';
import { schemaOf } from './schema-of.ts';

const count = z.number().int().nonnegative();
const call = { turn: count, callId: z.string(), name: z.string(), input: z.unknown() };
const asked = { at: count, place: count.nullable() };

/** Neither conversations nor usage are taken from threads: the host has its own record. */
const hookCall = z.discriminatedUnion('name', [
  z.object({ ...asked, name: z.literal('beforeRun'), subject: z.object({}) }),
  z.object({ ...asked, name: z.literal('beforeTurn'), subject: z.object({ turn: count }) }),
  z.object({
    ...asked,
    name: z.literal('afterTurn'),
    subject: z.object({
      turn: count,
      message: assistantMessageSchema,
      stopReason: z.enum(stopReasons),
    }),
  }),
  z.object({ ...asked, name: z.literal('beforeTool'), subject: z.object(call) }),
  z.object({
    ...asked,
    name: z.literal('afterTool'),
    subject: z.object({
      ...call,
      result: resultContentSchema,
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

const callId = z.string();

/** What each service is asked with, by its name; a name that is not here is no service. */
export const serviceInputs: { readonly [Name in ServiceName]: z.ZodType<ServiceInput<Name>> } = {
  callTool: schemaOf<ServiceInput<'callTool'>>()(
    z.strictObject({
      callId,
      name: z.string(),
      input: z.unknown(),
      runId: z.string(),
      promptId: z.string(),
    }),
  ),
  abortTool: schemaOf<ServiceInput<'abortTool'>>()(z.strictObject({ callId })),
  approve: schemaOf<ServiceInput<'approve'>>()(
    z.strictObject({ callId, name: z.string(), input: z.unknown() }),
  ),
  callHook: schemaOf<HostHookCall>()(hookCall),
  abortHook: schemaOf<HookKey>()(z.strictObject({ ...asked, name: z.enum(hookNames) })),
  delegate: schemaOf<ServiceInput<'delegate'>>()(
    z.strictObject({ callId, tasks: boundedArray(z.unknown(), 10_000) }),
  ),
  startTask: schemaOf<ServiceInput<'startTask'>>()(z.strictObject({ callId, task: z.unknown() })),
  listTasks: schemaOf<ServiceInput<'listTasks'>>()(z.strictObject({})),
  waitForTask: schemaOf<ServiceInput<'waitForTask'>>()(
    z.strictObject({ callId, taskId: z.string(), timeoutMs: z.number().min(0).optional() }),
  ),
  stopTask: schemaOf<ServiceInput<'stopTask'>>()(z.strictObject({ callId, taskId: z.string() })),
  steerTask: schemaOf<ServiceInput<'steerTask'>>()(
    z.strictObject({ taskId: z.string(), text: z.string() }),
  ),
  pauseTask: schemaOf<ServiceInput<'pauseTask'>>()(
    z.strictObject({ taskId: z.string(), isPaused: z.boolean() }),
  ),
  notify: schemaOf<ServiceInput<'notify'>>()(z.strictObject({ text: z.string() })),
};
