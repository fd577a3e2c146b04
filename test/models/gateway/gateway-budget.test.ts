// Checks rule V10 in the gateway, and the upper bounds of a call.
import { describe, expect, it } from 'vitest';
import { BudgetLedger } from '#src/models/budget/budget-ledger.js';
import { boundInputTokens, emptyConversation, extend, measure } from '#src/models/conversation.js';
import { boundsOf } from '#src/models/gateway/call-bounds.js';
import { scripted } from '#src/testing.js';
import { arrange, asks, binding, GatedModel, underBudget, untilIdle } from '../gateway-support.ts';

describe('in the gateway (V10)', () => {
  it('refuses the turn after the last one of the agent, whatever turn it claims (V10)', async () => {
    const { gateway, replies, send } = arrange();
    const model = scripted({ default: [{ text: 'a', repeat: true }] });
    gateway.bind(binding(model, { accounts: underBudget({ agent: { maxTurns: 1 } }) }));

    send(asks());
    await untilIdle();
    send(asks({ callId: 2 }));
    await untilIdle();

    expect(replies).toMatchObject([
      { type: 'model_response', callId: 1 },
      { type: 'model_failed', callId: 2, failure: { code: 'max_turns', retryable: false } },
    ]);
    expect(model.requests()).toHaveLength(1);
  });

  it('lets a call wait for another agent of the tree, and gives it what is left (V10)', async () => {
    const { gateway, replies, send } = arrange();
    const model = new GatedModel();
    const budget = { tree: { maxTokens: 5_000 } };
    const other = { id: 'a-2', name: 'worker', path: '/worker-2' };
    const accounts = underBudget(budget, { agentId: other.id });
    gateway.bind(binding(model, { accounts: underBudget(budget) }));
    gateway.bind(binding(model, { accounts, token: 't-2', agent: other }));

    send(asks());
    await untilIdle();
    send(asks({ token: 't-2', callId: 2 }));
    await untilIdle();
    expect(model.calls).toHaveLength(1);
    expect(model.calls[0]?.request.maxOutputTokens).toBe(4_096);
    model.calls[0]?.answer('big', 3_000);
    await untilIdle();

    expect(model.calls[1]?.request.maxOutputTokens).toBe(1_024);
    model.calls[1]?.answer('rest', 1_900);
    await untilIdle();
    send(asks({ callId: 3, from: 1 }));
    await untilIdle();
    expect(replies).toMatchObject([
      { type: 'model_response', callId: 1 },
      { type: 'model_response', callId: 2 },
      { type: 'model_failed', callId: 3, failure: { code: 'budget_tokens' } },
    ]);
  });

  it('gives the room of an aborted call back, though its model does not listen (V10)', async () => {
    const { gateway, send } = arrange();
    const model = new GatedModel();
    const budget = { tree: { maxTokens: 5_000 } };
    gateway.bind(binding(model, { accounts: underBudget(budget) }));

    send(asks());
    await untilIdle();
    send(asks({ callId: 2, from: 1 }));
    send({ type: 'model_abort', token: 't-1', callId: 1 });
    await untilIdle();

    expect(model.calls).toHaveLength(2);
  });

  it('never asks the model for a call that was aborted while it waited (V10)', async () => {
    const { gateway, replies, send } = arrange();
    const model = new GatedModel();
    gateway.bind(binding(model, { accounts: underBudget({ tree: { maxTokens: 5_000 } }) }));
    send(asks());
    await untilIdle();

    send(asks({ callId: 2, from: 1 }));
    send({ type: 'model_abort', token: 't-1', callId: 2 });
    model.calls[0]?.answer('a');
    await untilIdle();

    expect(model.calls).toHaveLength(1);
    expect(replies).toMatchObject([
      { type: 'model_failed', callId: 2, failure: { code: 'aborted' } },
      { type: 'model_response', callId: 1 },
    ]);
  });

  it('counts a turn by what a rebind says, and forgets a tree that ended (V10)', async () => {
    const ledger = new BudgetLedger();
    const { gateway, replies, send } = arrange({ ledger });
    const model = scripted({ default: [{ text: 'a', repeat: true }] });
    const budget = { agent: { maxTurns: 1 } };
    gateway.bind(binding(model, { accounts: underBudget(budget) }));
    send(asks());
    await untilIdle();

    gateway.bind(binding(model, { accounts: underBudget(budget, { id: 'tree-2' }) }));
    send(asks({ callId: 2, from: 1 }));
    await untilIdle();
    ledger.forget('tree-2');
    send(asks({ callId: 3, from: 1 }));
    await untilIdle();

    expect(replies.map((reply) => reply.type)).toEqual(Array(3).fill('model_response'));
  });

  it('refuses a cost budget that no price can keep (V10)', async () => {
    const { gateway, replies, send } = arrange();
    gateway.bind(binding(new GatedModel(), { accounts: underBudget({ tree: { maxCostUsd: 1 } }) }));

    send(asks());
    await untilIdle();

    expect(replies).toMatchObject([{ failure: { code: 'budget_cost' } }]);
  });

  it('fails a history that cannot be measured, and nothing else', async () => {
    const { gateway, replies, send } = arrange();
    gateway.bind(binding(new GatedModel(), { accounts: underBudget({ tree: { maxTokens: 1 } }) }));
    const input: { self?: unknown } = {};
    input.self = input;

    send(
      asks({
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'i', name: 'n', input }] },
        ],
      }),
    );
    await untilIdle();

    expect(replies).toMatchObject([{ type: 'model_failed', failure: { code: 'model_failed' } }]);
  });
});

describe('the bounds of a call', () => {
  it('halve the output down to what is still an answer, at the dearer kind of input', () => {
    const bounds = boundsOf({
      inputTokens: 10,
      maxOutputTokens: 1_000,
      cost: (usage) => usage.inputTokens + 2 * usage.cacheWriteTokens + usage.outputTokens / 100,
    });

    expect(bounds).toEqual([
      { spend: { turns: 1, tokens: 1_010, costUsd: 30 }, maxOutputTokens: 1_000 },
      { spend: { turns: 1, tokens: 510, costUsd: 25 }, maxOutputTokens: 500 },
    ]);
  });

  it('ask for two prices, however many they are', () => {
    let asked = 0;
    const bounds = boundsOf({
      inputTokens: 10,
      maxOutputTokens: 64_000,
      cost: ({ outputTokens }) => {
        asked += 1;
        return outputTokens * 2;
      },
    });

    expect(bounds).toHaveLength(8);
    for (const { spend, maxOutputTokens } of bounds) {
      expect(spend.costUsd).toBeCloseTo(Number(maxOutputTokens) * 2);
    }
    // Each at both kinds of input.
    expect(asked).toBe(4);
  });

  it('have no cost where no price is known', () => {
    const call = { inputTokens: 1, maxOutputTokens: 1, cost: () => null };

    expect(boundsOf(call)).toEqual([
      { spend: { turns: 1, tokens: 2, costUsd: null }, maxOutputTokens: 1 },
    ]);
  });
});

describe('the bound of the input', () => {
  const usage = { inputTokens: 5, outputTokens: 9, cacheReadTokens: 100, cacheWriteTokens: 20 };
  const response = {
    content: [],
    stopReason: 'end_turn' as const,
    usage,
    isEstimated: false,
    model: 'm',
  };
  const early = extend(emptyConversation({ system: 'S', tools: [] }), asks());
  if ('code' in early) throw new Error('the first request was refused');

  it('is a token for two characters before anything was counted', () => {
    expect(boundInputTokens(early)).toBe(Math.ceil(('S'.length + 'Do it.'.length) / 2));
  });

  it('builds on what the provider counted, while the prefix stays', () => {
    const grown = extend(measure(early, response), asks({ from: 1 }));
    const replaced = extend(measure(early, response), asks());

    expect(grown).toMatchObject({ measured: { count: 1, tokens: 125 } });
    expect('code' in grown ? 0 : boundInputTokens(grown)).toBe(125 + 3);
    expect(replaced).toMatchObject({ measured: null });
  });

  it('ignores estimates', () => {
    expect(measure(early, { ...response, isEstimated: true }).measured).toBeNull();
  });
});
