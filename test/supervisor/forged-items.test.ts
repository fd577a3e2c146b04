// Checks what a thread that posts in its activation's name can reach of other agents and of the registry: nothing, and it ends for it.
import { describe, expect, it } from 'vitest';
import { calls, inShort, supervise, toolFixture, within } from './support.ts';

const imposter = { tools: [toolFixture('imposter')], limits: { maxLiveAgents: 2 } };
const forgedRun = {
  type: 'run',
  runId: 'x',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Forged.' }] }],
};

const posting = (items: readonly object[]) => calls(['impersonate', { items }]).default ?? [];

const toOthers = (actor: object): readonly (readonly [string, object])[] => [
  ['tells it a run', { t: 'tell', to: actor, message: forgedRun, bytes: 1 }],
  ['tells it what is no run', { t: 'tell', to: actor, message: 'x', bytes: 1 }],
  ['offers it a run', { t: 'offer', callId: 1, to: actor, message: forgedRun, timeoutMs: 1_000 }],
  ['asks it for a run', { t: 'ask', callId: 1, to: actor, message: forgedRun, timeoutMs: 1_000 }],
];

describe('a thread reaches no other agent when it (W9)', () => {
  it.each(toOthers({}).map(([name], at) => [name, at] as const))('%s', async (_name, at) => {
    const items: object[] = [];
    const { supervisor, model } = supervise(
      { agents: { victim: [{ text: 'well', repeat: true }] }, default: posting(items) },
      imposter,
    );
    const victim = await within(supervisor.spawn({ name: 'victim' }), 'the other agent');
    await within(victim.ask('How are you?', { timeoutMs: 20_000 }), 'its first answer');
    const { id, path } = victim;
    items.push(toOthers({ id, path })[at]?.[1] ?? {});

    const outcome = await within(supervisor.delegate({ goal: 'Go.' }), 'the outcome');
    const answer = await within(victim.ask('And now?', { timeoutMs: 20_000 }), 'its answer');

    expect(inShort(outcome)).toEqual(['crashed', 'protocol_violation', 'calling']);
    expect(answer).toMatchObject({ status: 'completed', text: 'well' });
    expect(victim.history()).toHaveLength(4);
    const asked = model.requests().filter(({ agent }) => agent.name === 'victim');
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(asked)).not.toContain('Forged.');
  });
});

const exit = (reason: string) => ({
  t: 'ended',
  exit: { reason },
  inHand: 'started',
  leaks: ['code'],
});
const anyFailure = { code: 'crashed', message: 'x', retryable: false };

const unknown = { id: 'nobody', path: '/nobody' };
const items: Readonly<Record<string, object>> = {
  isUnresponsive: exit('unresponsive'),
  restartedTooOften: exit('restart_intensity'),
  startsAgain: { t: 'started' },
  didNotStart: { t: 'start_failed', failure: anyFailure },
  gaveItsSlotUp: { t: 'passivated', kept: null, leaks: [] },
  keepsItsSlot: { t: 'stayed' },
  isToBeWoken: { t: 'timer', timerId: 1, delayMs: 1, message: forgedRun },
  stopsAnother: { t: 'stop', actor: unknown },
  keepsAState: { t: 'commit', snapshot: 'x' },
  wantsItsMailBack: { t: 'unstash' },
};

it('a thread ends alone, and its slot is free, when it says of its activation what is not so (V1)', {
  timeout: 120_000,
}, async () => {
  const agents = Object.entries(items).map(([name, item]) => [name, posting([item])] as const);
  const script = { agents: Object.fromEntries(agents), default: [{ text: 'well' }] };
  const { supervisor } = supervise(script, imposter);

  for (const name of Object.keys(items)) {
    const task = { goal: 'Go.', agent: { name } };
    const outcome = await within(supervisor.delegate(task), `the outcome of ${name}`);
    expect([name, ...inShort(outcome)]).toEqual([name, 'crashed', 'protocol_violation', 'calling']);
  }
  const after = await within(supervisor.delegate({ goal: 'Go.' }), 'the outcome of another');
  expect(inShort(after)).toEqual(['goal', undefined, 'well']);
});
