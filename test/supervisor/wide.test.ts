// Checks what is wide: many tasks at the default options, and an interrupt of more agents than outcomes are kept of.
import { expect, it } from 'vitest';
import { createSupervisor, type ModelResponse } from '#src/index.js';
import { scripted } from '#src/testing.js';
import { delegate, named } from './family.ts';
import { gate, turns, within } from './support.ts';

const atOnce = 500;
const answer: ModelResponse = {
  content: [{ type: 'text', text: 'done' }],
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  isEstimated: false,
  model: 'patient',
};

it('ten thousand tasks need few threads at the default options, however many wait (W1, W2)', async () => {
  const { opened, open } = gate();
  let asked = 0;
  const model = {
    id: 'patient',
    async respond() {
      asked += 1;
      // No call is answered before so many wait.
      if (asked === atOnce) open();
      await opened;
      return answer;
    },
  };
  const supervisor = createSupervisor({ model, logDirectory: false });
  let threads = 0;
  supervisor.on('thread_spawned', () => {
    threads += 1;
  });
  try {
    const goals = Array.from({ length: 10_000 }, (_, at) => ({ goal: `Summarise page ${at}.` }));
    const outcomes = await within(supervisor.delegate(goals), '10,000 tasks', 100_000);

    expect(outcomes.filter(({ status }) => status !== 'completed')).toEqual([]);
    expect(outcomes.map(({ index }) => index)).toEqual([...goals.keys()]);
    expect(asked).toBe(10_000);
    expect(threads).toBeLessThan(atOnce / 4);
  } finally {
    await supervisor.close();
  }
}, 120_000);

it('an interrupt of more agents than outcomes are kept of has the partial work of each (S4, W6)', async () => {
  const width = 1_010;
  const leaves = Array.from({ length: width }, () => 'leaf');
  const model = scripted({
    default: [{ toolCalls: [{ name: 'delegate', input: { agents: leaves } }] }, { text: 'done' }],
    agents: { leaf: [{ hang: true }] },
  });
  const supervisor = createSupervisor({
    model,
    logDirectory: false,
    tools: [delegate],
    agents: named('leaf'),
    limits: { maxLiveAgents: width + 1, maxConcurrentChildren: width },
  });
  try {
    const root = supervisor.start({ goal: 'a' });
    const allAsk = async () => {
      while (model.requests().length < width + 1) await turns(1);
    };
    await within(allAsk(), 'every agent to wait for its model');

    const receipts = await within(root.interrupt({ reason: 'enough' }), 'all receipts');

    expect(receipts).toHaveLength(width + 1);
    expect(new Set(receipts.map(({ agentId }) => agentId)).size).toBe(width + 1);
    expect(receipts.filter(({ stage }) => stage !== 'interrupted')).toEqual([]);
    expect(receipts.filter(({ partial }) => partial === null)).toEqual([]);
  } finally {
    await supervisor.close();
  }
}, 60_000);
