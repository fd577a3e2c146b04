// Checks that a call which breaks off is charged: what its provider counted, else a guess that is marked as one (V10).
import { afterEach, describe, expect, it } from 'vitest';
import { TroupeError } from '#src/base/failures.js';
import { createSupervisor, type Outcome } from '#src/index.js';
import { type StubModelServer, type StubReply, startStubModelServer } from '#src/testing.js';
import { watched, within } from '../supervisor/support.ts';
import { arrange, asks, binding, GatedModel, underBudget, untilIdle } from './gateway-support.ts';

const counted = { inputTokens: 3_000, outputTokens: 40, cacheReadTokens: 7, cacheWriteTokens: 0 };
const budget = { tree: { maxTokens: 5_000 } };
const broken = new TroupeError('model_disconnected', 'it broke off');

/** One call of a model that the test answers, under a budget, and how to ask again. */
async function called() {
  const arranged = arrange();
  const model = new GatedModel();
  arranged.gateway.bind(binding(model, { accounts: underBudget(budget) }));
  arranged.send(asks());
  await untilIdle();
  const [modelCall] = model.calls;
  if (modelCall === undefined) throw new Error('the model was not asked');
  const leftFor = async (): Promise<number | undefined> => {
    await untilIdle();
    arranged.send(asks({ callId: 2, from: 1, messages: [] }));
    await untilIdle();
    return model.calls[1]?.request.maxOutputTokens;
  };
  return { ...arranged, modelCall, leftFor };
}

describe('a call that breaks off', () => {
  it.each([
    ['fails', 'fail'],
    ['is aborted', 'abort'],
  ])('is charged as its provider counted when it %s (V10)', async (_, how) => {
    const { modelCall, send, replies, leftFor } = await called();
    modelCall.call.onUsage?.(counted);

    if (how === 'fail') modelCall.fail(broken);
    else send({ type: 'model_abort', token: 't-1', callId: 1 });

    // 5,000 less 3,047 are left: 4,096 and 2,048 do not fit.
    expect(await leftFor()).toBe(1_024);
    expect(replies[0]).toMatchObject({
      type: 'model_failed',
      spent: { usage: counted, isEstimated: false, costUsd: null },
    });
  });

  it('is charged what came after its provider counted, marked as a guess (V10)', async () => {
    const { modelCall, replies } = await called();
    modelCall.call.onUsage?.(counted);
    modelCall.call.onOutput?.(400);

    modelCall.fail(broken);
    await untilIdle();

    const usage = { ...counted, outputTokens: 140 };
    expect(replies[0]).toMatchObject({ spent: { usage, isEstimated: true } });
  });

  it('is charged a guess at what it was asked when it only began (V10)', async () => {
    const { modelCall, replies } = await called();
    modelCall.call.onResponse?.(200, { get: () => null });

    modelCall.fail(broken);
    await untilIdle();

    const spent = { usage: { inputTokens: 2, outputTokens: 0 }, isEstimated: true };
    expect(replies[0]).toMatchObject({ spent });
  });

  it('is charged nothing when its provider never took it, or counts what is no count (V10)', async () => {
    const { modelCall, replies } = await called();
    modelCall.call.onResponse?.(529, { get: () => null });
    modelCall.call.onUsage?.({ ...counted, inputTokens: Number.NaN });

    modelCall.fail(broken);
    await untilIdle();

    expect(replies[0]).not.toHaveProperty('spent');
  });

  it('is charged beside the one that answers after it (V10)', async () => {
    const { modelCall, replies, leftFor } = await called();
    modelCall.call.onUsage?.(counted);
    modelCall.call.onBroken?.();

    modelCall.answer('done', 900);

    // 5,000 less 3,047 and 901 are left.
    expect(await leftFor()).toBe(1_024);
    expect(replies[0]).toMatchObject({
      type: 'model_response',
      response: { usage: { inputTokens: 3_001, outputTokens: 940, cacheReadTokens: 7 } },
    });
  });
});

const servers = new Set<StubModelServer>();
afterEach(async () => {
  for (const server of servers) await server.close();
  servers.clear();
});

async function run(apiMode: 'anthropic_messages' | 'chat_completions', reply: StubReply) {
  const server = await startStubModelServer([reply]);
  servers.add(server);
  const baseUrl = apiMode === 'anthropic_messages' ? server.url : `${server.url}/v1`;
  const model = { model: 'm', apiMode, baseUrl, apiKey: 'any' };
  const { supervisor, watch } = watched(createSupervisor({ model, logDirectory: false }));
  return { server, supervisor, watch };
}

function totalOf({ usage }: Outcome): number {
  return usage.own.inputTokens + usage.own.outputTokens;
}

describe('a run whose answer breaks off', () => {
  it.each([['anthropic_messages'], ['chat_completions']] as const)(
    'says what it took, over %s (V10)',
    async (mode) => {
      const { supervisor, watch } = await run(mode, { type: 'disconnect', text: 'half of it' });

      const outcome = await within(supervisor.delegate({ goal: 'Talk.' }), 'the end of the run');

      expect(outcome).toMatchObject({ status: 'failed', error: { code: 'model_disconnected' } });
      expect(totalOf(outcome)).toBeGreaterThan(0);
      expect(watch.of('usage_recorded')).toMatchObject([
        { usage: outcome.usage.own, isEstimated: true },
      ]);
      expect(supervisor.totals().usage).toEqual(outcome.usage.own);
    },
  );

  it('says what it took when it was interrupted (V10)', async () => {
    const { supervisor } = await run('chat_completions', { type: 'silence', text: 'half of it' });
    const abort = new AbortController();
    const ending = supervisor.delegate({ goal: 'Talk.' }, { signal: abort.signal });
    supervisor.on('model_delta', () => abort.abort());

    const outcome = await within(ending, 'the end of the run');

    expect(outcome.status).toBe('interrupted');
    expect(totalOf(outcome)).toBeGreaterThan(0);
  });
});
