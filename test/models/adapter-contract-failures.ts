// The part of the adapter contract about what goes wrong: refusals, broken connections, silence, keys. Asserts itself.
import { describe, expect, it } from 'vitest';
import { toFailure } from '#src/base/failures.js';
import type { Model } from '#src/models/model.js';
import { type StubReply, startStubModelServer } from '#src/testing.js';
import { type AdapterTraits, type AdapterUnderTest, contractKey } from './adapter-traits.ts';
import { boundCall, rejection, request } from './support.ts';

type Arranged = () => { readonly far: AdapterUnderTest; readonly model: Model };

const failures: readonly (readonly [string, StubReply, object])[] = [
  [
    'a 429 with its wait',
    { type: 'error', status: 429, retryAfterSeconds: 7 },
    { code: 'model_rate_limited', retryable: true, detail: { status: 429, retryAfterMs: 7_000 } },
  ],
  ['a 529', { type: 'error', status: 529 }, { code: 'model_overloaded', retryable: true }],
  ['a 503', { type: 'error', status: 503 }, { code: 'model_overloaded', retryable: true }],
  ['a 500', { type: 'error', status: 500 }, { code: 'model_failed', retryable: true }],
  ['a 504', { type: 'error', status: 504 }, { code: 'model_timeout', retryable: true }],
  ['a 401', { type: 'error', status: 401 }, { code: 'model_auth', retryable: false }],
  ['a 402', { type: 'error', status: 402 }, { code: 'model_auth', retryable: false }],
  ['a 403', { type: 'error', status: 403 }, { code: 'model_auth', retryable: false }],
  ['a 404', { type: 'error', status: 404 }, { code: 'model_unknown', retryable: false }],
  [
    'a 400 with its message',
    { type: 'error', status: 400, message: 'max_tokens is too large' },
    { code: 'model_bad_request', retryable: false, message: '400 max_tokens is too large' },
  ],
  [
    'a 400 for a conversation that does not fit its window',
    { type: 'error', status: 400, message: 'prompt is too long: 208656 tokens > 200000 maximum' },
    { code: 'context_window_exceeded', retryable: false, detail: { status: 400 } },
  ],
  [
    'a 400 for an answer that would not fit beside its conversation',
    {
      type: 'error',
      status: 400,
      message: 'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000',
    },
    { code: 'context_window_exceeded', retryable: false },
  ],
  [
    'a 400 of a server that names its maximum context length',
    {
      type: 'error',
      status: 400,
      message: "This model's maximum context length is 8192 tokens. You sent 9001.",
    },
    { code: 'context_window_exceeded', retryable: false },
  ],
  [
    'an overload inside the stream',
    { type: 'stream_error', errorType: 'overloaded_error', message: 'Overloaded' },
    {
      code: 'model_overloaded',
      retryable: true,
      message: expect.stringMatching(/^5\d\d Overloaded$/),
    },
  ],
  [
    'a connection cut inside the stream',
    { type: 'disconnect', text: 'par' },
    { code: 'model_disconnected', retryable: true },
  ],
  [
    'a stream that ends before its message',
    { type: 'unfinished', text: 'par' },
    { code: 'model_disconnected', retryable: true },
  ],
  ['malformed JSON', { type: 'malformed' }, { code: 'model_bad_response', retryable: false }],
];

export function failureContract(name: string, traits: AdapterTraits, arranged: Arranged): void {
  describe(`${name}: failures`, () => {
    it.each(failures)('fails on %s', async (_, reply, expected) => {
      const { far, model } = arranged();
      far.reply(reply);

      const error = await rejection(model.respond(request(), boundCall()));

      expect(error).toMatchObject(expected);
      const plain = toFailure(error);
      expect(structuredClone(plain)).toEqual(plain);
    });

    it('hands out what came before the connection broke', async () => {
      const { far, model } = arranged();
      far.reply({ type: 'disconnect', text: 'par' });
      const call = boundCall();

      await rejection(model.respond(request(), call));

      expect(call.deltas).toEqual([{ type: 'text', text: 'par' }]);
    });

    it.each([[undefined], ['par']])(
      'lets go of the connection when a server that said %j is aborted',
      async (text) => {
        const { far, model } = arranged();
        far.reply(text === undefined ? { type: 'silence' } : { type: 'silence', text });
        const call = boundCall();

        const answer = rejection(model.respond(request(), call));
        await far.nextRequest();
        call.abort();

        expect(await answer).toMatchObject({ code: 'aborted', retryable: false });
        await far.nextCut();
      },
    );

    it('sends no request when it is aborted before it begins', async () => {
      const { far, model } = arranged();
      const call = boundCall();
      call.abort();

      const error = await rejection(model.respond(request(), call));

      expect(error).toMatchObject({ code: 'aborted' });
      expect(far.requests()).toEqual([]);
    });
  });

  describe.runIf(traits.isHttp)(`${name}: its connections`, () => {
    it('takes the key out of whatever comes back with it', async () => {
      const { far, model } = arranged();
      const message = `bad key ${contractKey} or ${encodeURIComponent(contractKey)}`;
      far.reply({ type: 'error', status: 401, message });

      const error = await rejection(model.respond(request(), boundCall()));

      expect(error).toMatchObject({ code: 'model_auth' });
      expect(error).not.toHaveProperty('cause');
      expect(JSON.stringify(toFailure(error))).not.toContain(contractKey);
      expect(JSON.stringify(far.requests())).not.toContain(contractKey);
    });

    it('fails model_disconnected, retryable, when no server listens', async () => {
      const { far, model } = arranged();
      await far.close();

      const error = await rejection(model.respond(request(), boundCall()));

      expect(error).toMatchObject({ code: 'model_disconnected', retryable: true });
    });

    it('fails model_timeout when no response begins in time', async () => {
      const { far } = arranged();
      far.reply({ type: 'silence' });

      const hasty = far.connect({ timeoutMs: 20 });

      const error = await rejection(hasty.respond(request(), boundCall()));
      expect(error).toMatchObject({ code: 'model_timeout', retryable: true });
    });

    it('tries again as often as it may, and answers what came in the end', async () => {
      const { far } = arranged();
      far.reply(
        { type: 'error', status: 529, retryAfterSeconds: 0 },
        { type: 'message', text: 'ok' },
      );

      const response = await far.connect({ maxRetries: 2 }).respond(request(), boundCall());

      expect(response.content).toEqual([{ type: 'text', text: 'ok' }]);
      expect(far.requests()).toHaveLength(2);
    });

    it('takes neither its key nor its question to where it is sent on', async () => {
      const { far, model } = arranged();
      const elsewhere = await startStubModelServer([{ type: 'message', text: 'stolen' }]);
      far.reply({ type: 'redirect', location: `${elsewhere.url}/v1/messages` });

      const error = await rejection(model.respond(request(), boundCall()));

      expect(error).toMatchObject({ code: 'model_failed', retryable: false });
      expect(elsewhere.requests()).toEqual([]);
      await elsewhere.close();
    });
  });
}
