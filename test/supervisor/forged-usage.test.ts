// Checks that what a run has used is what the gateway counted, whatever its thread says of it.
import { describe, expect, it } from 'vitest';
import { createSupervisor } from '#src/index.js';
import { type ScriptStep, startStubModelServer } from '#src/testing.js';
import { supervise, toolFixture, watched, within } from './support.ts';

const ways = [
  ['claims less than nothing', 'claims'],
  ['says nothing of its answers', 'silence'],
  ['says all of them twice', 'phantoms'],
] as const;
const counts = { inputTokens: 100, outputTokens: 10 };
/** Of three answers. */
const used = { inputTokens: 300, outputTokens: 30, modelCalls: 3 };

const forger = { tools: [toolFixture('forger')] };

function steps(what: string): readonly ScriptStep[] {
  return [
    { toolCalls: [{ name: 'forge', input: { what } }], usage: counts },
    { toolCalls: [{ name: 'echo', input: { text: 'hi' } }], usage: counts },
    { text: 'done', usage: counts },
  ];
}

/** What the supervisor says of a run and of all, and what its events say. */
async function registry({ supervisor, watch }: ReturnType<typeof watched>) {
  const outcome = await within(supervisor.delegate({ goal: 'Go.' }), 'the outcome');
  const reported = watch.of('usage_recorded').map(({ usage }) => usage.inputTokens);
  return {
    outcome,
    totals: supervisor.totals(),
    reported: reported.reduce((sum, each) => sum + each, 0),
  };
}

describe('a thread that', () => {
  it.each(ways)('%s has used what its model on the host took (V10)', async (_, what) => {
    const { outcome, totals, reported } = await registry(
      supervise({ default: steps(what) }, forger),
    );

    expect(outcome.usage.own).toMatchObject(used);
    expect(totals.usage).toMatchObject(used);
    expect(reported).toBe(used.inputTokens);
  });

  it.each(ways)('%s has used what its provider behind the gateway took (V10)', async (_, what) => {
    const usage = { input_tokens: 100, output_tokens: 10 };
    const server = await startStubModelServer([
      { type: 'message', toolCalls: [{ id: 'a', name: 'forge', input: { what } }], usage },
      { type: 'message', toolCalls: [{ id: 'b', name: 'echo', input: { text: 'hi' } }], usage },
      { type: 'message', text: 'done', usage },
    ]);
    const supervisor = createSupervisor({
      ...forger,
      logDirectory: false,
      model: {
        model: 'claude-sonnet-5',
        apiMode: 'anthropic_messages',
        baseUrl: server.url,
        apiKey: 'any',
      },
    });
    const { outcome, totals, reported } = await registry(watched(supervisor));
    await server.close();

    expect(outcome.usage.own).toMatchObject(used);
    expect(outcome.usage.own.costUsd).toBeGreaterThan(0);
    expect(totals.usage).toMatchObject(used);
    expect(reported).toBe(used.inputTokens);
  });

  it.each(ways)('%s has used it as a spawned agent too (V10)', async (_, what) => {
    const { supervisor } = supervise({ agents: { forger: steps(what) } }, forger);
    const agent = await within(supervisor.spawn({ name: 'forger' }), 'the agent');

    const outcome = await within(agent.ask('Go.', { timeoutMs: 20_000 }), 'the answer');

    expect(outcome.usage.subtree).toMatchObject(used);
    expect(agent.usage).toMatchObject(used);
  });

  it('tells hooks of the service what was counted, not what it claims (D5)', async () => {
    const reported: number[] = [];
    const { supervisor } = supervise({ default: steps('claims') }, forger);
    const hooks = {
      afterTurn: ({ usage }: { usage: { inputTokens: number } }) =>
        reported.push(usage.inputTokens),
    };

    await within(supervisor.delegate({ goal: 'Go.', hooks }), 'the outcome');

    expect(reported).toEqual([100, 100, 100]);
  });
});
