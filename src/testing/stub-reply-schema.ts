// Owns the check of the replies that a test gives to the stub model server.
import { z } from 'zod';
import { parseOptions } from '../base/parse-options.ts';
import type { StubReply } from './stub-reply.ts';

const text = z.string();
const count = z.number().min(0);

const schema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    thinking: text.optional(),
    text: z.union([text, z.array(text)]).optional(),
    toolCalls: z
      .array(
        z.strictObject({ id: text, name: text, input: z.unknown(), rawInput: text.optional() }),
      )
      .optional(),
    stopReason: text.optional(),
    refusalCategory: text.optional(),
    usage: z
      .strictObject({
        input_tokens: count,
        output_tokens: count,
        cache_read_input_tokens: count.optional(),
        cache_creation_input_tokens: count.optional(),
      })
      .optional(),
  }),
  z.strictObject({
    type: z.literal('error'),
    status: z.number().int(),
    message: text.optional(),
    code: text.optional(),
    retryAfterSeconds: z.number().optional(),
  }),
  z.strictObject({ type: z.literal('stream_error'), errorType: text, message: text }),
  z.strictObject({ type: z.literal('disconnect'), text: text.optional() }),
  z.strictObject({ type: z.literal('unfinished'), text: text.optional() }),
  z.strictObject({ type: z.literal('malformed') }),
  z.strictObject({ type: z.literal('redirect'), location: text }),
  z.strictObject({ type: z.literal('silence'), text: text.optional() }),
]);

/** The replies as they were given. Throws `invalid_options` naming the field and the value seen. */
export function checkReplies(replies: readonly StubReply[]): readonly StubReply[] {
  parseOptions(z.array(schema), replies, 'stub server: replies');
  return replies;
}
