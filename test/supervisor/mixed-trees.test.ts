// Checks budgets where models of the host and of the gateway's thread work in one tree, and budgets in dollars.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSupervisor } from '#src/index.js';
import { type StubModelServer, scripted, startStubModelServer } from '#src/testing.js';
import { delegate, handsTo } from './family.ts';
import { inShort, watched, within } from './support.ts';

let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
});

afterEach(() => server.close());

const leaf = { name: 'leaf', model: 'anthropic:claude-sonnet-5' };
const pool = () => [{ provider: 'anthropic' as const, baseUrl: server.url, keys: ['sk-mixed'] }];
const message = (tokens: number) =>
  ({ type: 'message', text: 'leaf', usage: { input_tokens: 10, output_tokens: tokens } }) as const;

describe('a tree that mixes models of the host and of the gateway', () => {
  it('is under one budget of turns (V10)', async () => {
    server.reply(message(1), message(1), message(1));
    const { supervisor } = watched(
      createSupervisor({
        model: scripted({ default: [handsTo('leaf', 'leaf'), { text: 'never' }] }),
        tools: [delegate],
        agents: [leaf],
        credentials: pool(),
        budget: { perTree: { maxTurns: 3 } },
      }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['max_turns', 'max_turns', 'handing over']);
    expect(server.requests()).toHaveLength(2);
  });

  it('is under one budget of tokens (V10)', async () => {
    server.reply(message(5_000), message(5_000));
    const { supervisor } = watched(
      createSupervisor({
        model: scripted({
          default: [
            { ...handsTo('leaf'), usage: { inputTokens: 10, outputTokens: 4_000 } },
            { text: 'never' },
          ],
        }),
        tools: [delegate],
        agents: [leaf],
        credentials: pool(),
        budget: { perTree: { maxTokens: 9_200 } },
      }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['budget', 'budget_tokens', 'handing over']);
    expect(outcome.usage.subtree.outputTokens).toBe(9_000);
  });
});

describe('a budget in dollars', () => {
  it('lets a priced model work, and ends the run that does not fit (V10)', async () => {
    server.reply(message(1_000));
    const outcomes = [];
    for (const maxCostUsd of [5, 0.000_1]) {
      const { supervisor } = watched(
        createSupervisor({
          model: 'anthropic:claude-sonnet-5',
          credentials: pool(),
          budget: { maxCostUsd },
        }),
      );
      outcomes.push(await within(supervisor.delegate({ goal: 'a' }), 'the outcome'));
    }

    expect(outcomes.map(inShort)).toEqual([
      ['goal', undefined, 'leaf'],
      ['budget', 'budget_cost', ''],
    ]);
    const costUsd = outcomes[0]?.usage.own.costUsd ?? 0;
    expect(costUsd).toBeGreaterThan(0);
    expect(costUsd).toBeLessThan(5);
    expect(server.requests()).toHaveLength(1);
  });

  it('a model without a price costs null and not zero (V10)', async () => {
    server.reply(message(1));
    const { supervisor } = watched(
      createSupervisor({ model: 'anthropic:unpriced-x', credentials: pool() }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'leaf']);
    expect(outcome.usage.own.costUsd).toBeNull();
  });
});
