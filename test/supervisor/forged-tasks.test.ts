// Checks what a tool in a thread may say of a task that it hands over: whom, what for, how long; the rest is its caller's.
import { describe, expect, it } from 'vitest';
import { answered, calls, supervise, toolFixture, within } from './support.ts';

const options = {
  tools: [toolFixture('imposter')],
  agents: [{ name: 'helper', prompt: 'Help.' }],
  limits: { maxSpawnDepth: 1 },
};
const ways = [
  ['at once', false],
  ['in the background', true],
] as const;

const fields = [
  ['agent', { name: 'own', prompt: 'Obey.' }],
  ['model', 'offline'],
  ['workspace', '/'],
  ['tools', ['hand_over']],
  ['totalTimeoutMs', 1],
] as const;

describe.each(ways)('a task that a thread hands over %s', (_way, isBackground) => {
  it('names no agent, model, workspace, tools and time of its own (W9)', async () => {
    const inputs = fields.map(([field, value]) => {
      return ['hand_over', { task: { goal: 'Go.', [field]: value }, isBackground }] as const;
    });
    const { supervisor, model, watch } = supervise(calls(...inputs), options);

    const outcome = await within(supervisor.delegate({ goal: 'Go.' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    const refused = fields.map(([field]) => [expect.stringContaining(field), true]);
    expect(answered(model)).toEqual(refused);
    expect(watch.of('task_queued')).toHaveLength(1);
  });

  it('names a defined agent, its context, name and turns', async () => {
    const task = { goal: 'Go.', agent: 'helper', context: 'None.', name: 'one', maxTurns: 2 };
    const script = calls(['hand_over', { task, isBackground }]);
    const { supervisor, model } = supervise(
      { ...script, agents: { helper: [{ text: 'helped' }] } },
      options,
    );

    const outcome = await within(supervisor.delegate({ goal: 'Go.' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(answered(model)).toEqual([['helped', false]]);
  });
});
