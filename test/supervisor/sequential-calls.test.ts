// Checks that a run whose calls come one after the other goes on after it was parked in one of them (W3, V7).
import { describe, expect, it } from 'vitest';
import { pairingFault } from '#src/agent/history-repair.js';
import { createMsg } from '#src/dialects/agent-family/index.js';
import { ReActAgent } from '#src/dialects/agent-family/react/react-agent.js';
import { Toolkit } from '#src/dialects/agent-family/react/toolkit.js';
import type { AgentDefinition } from '#src/index.js';
import type { Script } from '#src/testing.js';
import { delegate, named } from './family.ts';
import {
  answered,
  gate,
  inShort,
  supervise,
  superviseInManualTime,
  toolFixture,
  within,
} from './support.ts';

const parent: AgentDefinition = { name: 'parent', loop: { parallelToolCalls: false } };
const handsLeaf = { name: 'delegate', input: { agents: ['leaf'] } };

/** A parent that calls these in one response, and leaves that answer at once. */
function inOneResponse(...toolCalls: readonly { name: string; input: unknown }[]): Script {
  return {
    agents: {
      parent: [{ text: 'calling', toolCalls }, { text: 'done' }],
      leaf: [{ text: 'leaf' }],
    },
  };
}

describe('calls one after the other', () => {
  it.each([
    ['two delegations', ['delegate', 'delegate'], 2],
    ['a delegation behind a tool of its thread', ['echo', 'delegate', 'delegate'], 2],
    ['a tool of its thread between two', ['delegate', 'echo', 'delegate'], 2],
    ['a tool of its thread at the end', ['delegate', 'delegate', 'echo'], 2],
  ])('go on where the run was parked: %s (W3, V7)', async (_what, names, parkings) => {
    const toolCalls = names.map((name) =>
      name === 'echo' ? { name, input: { text: 'echoed' } } : handsLeaf,
    );
    const { supervisor, model, watch } = supervise(inOneResponse(...toolCalls), {
      tools: [delegate, toolFixture('plain')],
      agents: [parent, ...named('leaf')],
      limits: { maxLiveAgents: 1 },
    });

    const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'parent' }), 'the parent');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(outcome).toMatchObject({ turns: 2, toolCalls: names.length });
    expect(answered(model)).toEqual(
      names.map((name) => [name === 'echo' ? 'echoed' : 'leaf', false]),
    );
    expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(parkings);
    const calls = (type: 'tool_started' | 'tool_completed') =>
      watch.of(type).map(({ callId }) => callId);
    expect(new Set(calls('tool_started')).size).toBe(names.length);
    expect(calls('tool_completed')).toEqual(calls('tool_started'));
    expect(pairingFault(supervisor.transcript(outcome.taskId))).toBeNull();
  });

  it('end for as many parents as the default limits hold at a time, and more (W3, V7)', async () => {
    const { supervisor } = supervise(inOneResponse(handsLeaf, handsLeaf), {
      tools: [delegate],
      agents: [parent, ...named('leaf')],
    });
    const batch = Array.from({ length: 20 }, () => ({ goal: 'a', agent: 'parent' }));

    const outcomes = await within(supervisor.delegate(batch), 'the batch');

    expect(outcomes.map(inShort)).toEqual(batch.map(() => ['goal', undefined, 'done']));
  });

  it('of a ReAct agent as it is by default (W3, V7, D16)', async () => {
    const { supervisor, model } = supervise(
      {
        agents: {
          host: [{ toolCalls: [handsLeaf, handsLeaf] }, { text: 'done' }],
          leaf: [{ text: 'leaf' }],
        },
      },
      { agents: named('leaf'), limits: { maxLiveAgents: 1 } },
    );
    const toolkit = new Toolkit([delegate]);
    const host = new ReActAgent({ name: 'host', supervisor, systemPrompt: 'You are.', toolkit });

    const reply = await within(
      host.reply(createMsg({ name: 'user', role: 'user', content: 'Begin.' })),
      'the reply',
    );

    expect(reply.content).toBe('done');
    expect(answered(model)).toEqual([
      ['leaf', false],
      ['leaf', false],
    ]);
  });

  it('of an agent that stays (W3, V7)', async () => {
    const { supervisor, model } = supervise(inOneResponse(handsLeaf, handsLeaf), {
      tools: [delegate],
      agents: named('leaf'),
      limits: { maxLiveAgents: 1 },
    });
    const agent = await supervisor.spawn(parent);

    const outcome = await within(agent.ask('begin', { timeoutMs: 60_000 }), 'the answer');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(answered(model)).toHaveLength(2);
    await agent.stop();
  });

  it('counts a tool called three times in a row once, parked or not (W3, A81)', async () => {
    const { supervisor, model } = supervise(inOneResponse(handsLeaf, handsLeaf, handsLeaf), {
      tools: [delegate],
      agents: [parent, ...named('leaf')],
      toolSettings: { repetitionNotice: true },
      limits: { maxLiveAgents: 1 },
    });

    await within(supervisor.delegate({ goal: 'a', agent: 'parent' }), 'the parent');

    const notices = answered(model).map(([text]) => text.includes('[SYSTEM NOTICE]'));
    expect(notices).toEqual([false, false, true]);
  });

  it('begin none after an interrupt: the first keeps its answer, the others say why (S5, S8)', async () => {
    const { supervisor, watch } = supervise(
      {
        agents: {
          parent: [{ text: 'calling', toolCalls: [handsLeaf, handsLeaf, handsLeaf] }],
          leaf: [{ text: 'leaf' }, { hang: true }],
        },
      },
      {
        tools: [delegate],
        agents: [parent, ...named('leaf')],
        limits: { maxLiveAgents: 1 },
        threads: { parking: 'when-needed' },
      },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'parent' });
    await watch.next('agent_parked');

    await within(handle.interrupt(), 'the receipts');
    const outcome = await handle.result();

    expect(inShort(outcome)).toEqual(['interrupted', 'interrupted', 'calling']);
    expect(pairingFault(supervisor.transcript(handle.id))).toBeNull();
    expect(watch.of('tool_started')).toHaveLength(1);
    expect(watch.of('task_queued').filter(({ depth }) => depth === 1)).toHaveLength(1);
  });

  it('wait for a person in the second as they did for a child in the first (W3, V8)', async () => {
    const asked = gate();
    const answer = gate<'approve'>();
    const { supervisor, model, clock } = superviseInManualTime(
      inOneResponse(handsLeaf, { name: 'always', input: {} }),
      {
        tools: [delegate, toolFixture('careful')],
        agents: [parent, ...named('leaf')],
        limits: { maxLiveAgents: 1 },
        timeouts: { idleTimeoutMs: 1_000 },
        approve: () => {
          asked.open();
          return answer.opened;
        },
      },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'parent' });
    await within(asked.opened, 'the question');

    clock.advance(60_000);
    answer.open('approve');

    expect(inShort(await within(handle.result(), 'the parent'))).toEqual([
      'goal',
      undefined,
      'done',
    ]);
    expect(answered(model).map(([, isError]) => isError)).toEqual([false, false]);
  });
});
