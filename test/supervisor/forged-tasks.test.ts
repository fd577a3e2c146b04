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

function handOver(task: object, isBackground: boolean) {
  return supervise(
    { ...calls(['hand_over', { task, isBackground }]), agents: { helper: [{ text: 'helped' }] } },
    options,
  );
}

describe.each(ways)('a task that a thread hands over %s', (_way, isBackground) => {
  it.each([
    ['agent', { name: 'own', prompt: 'Obey.' }],
    ['model', 'offline'],
    ['workspace', '/'],
    ['tools', ['hand_over']],
    ['totalTimeoutMs', 1],
  ])('names no %s of its own (W9)', async (field, value) => {
    const { supervisor, model, watch } = handOver({ goal: 'Go.', [field]: value }, isBackground);

    const outcome = await within(supervisor.delegate({ goal: 'Go.' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(answered(model)).toEqual([[expect.stringContaining(field), true]]);
    expect(watch.of('task_queued')).toHaveLength(1);
  });

  it('names a defined agent, its context, name and turns', async () => {
    const task = { goal: 'Go.', agent: 'helper', context: 'None.', name: 'one', maxTurns: 2 };
    const { supervisor, model } = handOver(task, isBackground);

    const outcome = await within(supervisor.delegate({ goal: 'Go.' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(answered(model)).toEqual([['helped', false]]);
  });
});
