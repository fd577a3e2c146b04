// Owns the check of what comes from a thread: nothing of it is trusted, each batch is parsed once, on the host.
import { z } from 'zod';
import type { ChildOptions } from '../actor/behavior.ts';
import { boundedArray } from '../base/bounded-array.ts';
import { endlessness, maxMessage } from '../base/endless.ts';
import { describe, TroupeError } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import { failureSchema } from './failure-schema.ts';
import { schemaOf } from './schema-of.ts';
import { type FromThread, largestBatch } from './worker-messages.ts';

const address = z.object({ id: z.string(), path: z.string() });
const count = z.number().int().nonnegative();
/** A thread reports only these reasons; the host decides all others. */
const exit = z.object({ reason: z.enum(['normal', 'crashed']), failure: failureSchema.optional() });
const inHand = z.enum(['started', 'not_started']);
const leaks = boundedArray(z.string(), 1_000);
const childOptions = schemaOf<ChildOptions>()(
  z.object({
    name: z.string().min(1).max(100).optional(),
    args: z.unknown().optional(),
    restart: z.enum(['permanent', 'transient', 'temporary']).optional(),
    scope: z.enum(['run', 'session']).optional(),
    linked: z.boolean().optional(),
  }),
);

/** The options of a child, as its parent's code wrote them. Throws `invalid_options`: no breach of the protocol. */
export function parseChildOptions(options: unknown): ChildOptions {
  const result = childOptions.safeParse(options);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
  throw new TroupeError('invalid_options', `self.spawn got ${describe(options)} (${where})`);
}

const item = z.discriminatedUnion('t', [
  z.object({ t: z.literal('started') }),
  z.object({ t: z.literal('start_failed'), failure: failureSchema }),
  z.object({
    t: z.literal('settled'),
    result: z.enum(['interrupted', 'stashed', 'crashed', 'expired']),
    failure: failureSchema.optional(),
  }),
  z.object({ t: z.literal('returned'), kept: z.union([z.literal(0), z.literal(1)]) }),
  z.object({ t: z.literal('unstash') }),
  z.object({ t: z.literal('reply'), askId: count, value: z.unknown() }),
  z.object({ t: z.literal('fail'), askId: count, failure: failureSchema }),
  z.object({ t: z.literal('tell'), to: address, message: z.unknown(), bytes: count }),
  z.object({
    t: z.enum(['offer', 'ask']),
    callId: count,
    to: address,
    message: z.unknown(),
    timeoutMs: z.number(),
  }),
  z.object({ t: z.literal('spawn'), callId: count, module: z.string(), options: z.unknown() }),
  z.object({ t: z.enum(['stop', 'watch', 'unwatch']), actor: address }),
  z.object({
    t: z.literal('timer'),
    timerId: count,
    delayMs: z.number().nonnegative(),
    message: z.unknown(),
  }),
  z.object({ t: z.literal('timer_off'), timerId: count }),
  z.object({ t: z.literal('commit'), snapshot: z.unknown() }),
  z.object({ t: z.literal('event'), event: z.unknown() }),
  z.object({ t: z.literal('model'), message: z.unknown() }),
  z.object({ t: z.literal('ended'), exit, inHand, leaks }),
  z.object({ t: z.literal('parked'), leaks }),
  z.object({
    t: z.literal('passivated'),
    kept: z.object({ state: z.unknown() }).nullable(),
    leaks,
  }),
  z.object({ t: z.literal('stayed'), failure: failureSchema.optional() }),
]);

const processed = z.number().int().positive();

const fromThread = schemaOf<FromThread>()(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('online'), threadId: count, osThreadId: count.nullable() }),
    z.object({
      type: z.literal('batch'),
      activation: count,
      items: boundedArray(z.union([item, processed]), largestBatch),
    }),
    z.object({ type: z.literal('link'), activation: count, payload: z.unknown() }),
    z.object({ type: z.literal('pong'), nonce: count }),
    z.object({ type: z.literal('fault'), failure: failureSchema }),
  ]),
);

/** The message of a thread, checked. Throws `protocol_violation` with what was wrong. */
export function parseFromThread(message: unknown): FromThread {
  // A service judges the size of its own input, which is an error of that call alone.
  const isCall = isRecord(message) && message['type'] === 'link';
  const why = isCall ? null : endlessness(message, maxMessage);
  if (why !== null) throw new TroupeError('protocol_violation', `a thread sent a message ${why}`);
  const result = fromThread.safeParse(message);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
  throw new TroupeError(
    'protocol_violation',
    `a thread sent ${describe(message)}, which is no message of its port (${where})`,
  );
}
