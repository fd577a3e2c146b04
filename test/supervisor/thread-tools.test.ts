// Checks thread tools: exported from a module, run in the agent's own thread, whatever they do.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { answered, calls, inShort, rejection, supervise, toolFixture, within } from './support.ts';

const plain = { tools: [toolFixture('plain')] };

describe('thread tools', () => {
  it('answer in call order', async () => {
    const { supervisor, model, watch } = supervise(
      calls(['echo', { text: 'a' }], ['touch', { path: 'x.txt' }], ['echo', { text: 'b' }]),
      plain,
    );

    const outcomes = await within(
      supervisor.delegate([{ goal: 'one' }, { goal: 'two' }]),
      'the outcomes',
    );

    expect(outcomes.map(inShort)).toEqual([
      ['goal', undefined, 'done'],
      ['goal', undefined, 'done'],
    ]);
    expect(answered(model)).toEqual([
      ['a', false],
      ['touched', false],
      ['b', false],
    ]);
    expect(outcomes[0]).toMatchObject({ toolCalls: 3, filesTouched: ['x.txt'] });
    expect(watch.of('tool_progress')[0]).toMatchObject({ fraction: 0.5, note: 'half way' });
    expect(watch.of('task_progress')).toHaveLength(2);
  });

  it('know their agent, their call and their workspace', async () => {
    const workspace = dirname(fileURLToPath(import.meta.url));
    const { supervisor, model } = supervise(calls('report'), { ...plain, workspace });

    const { agent, taskId } = await within(
      supervisor.delegate({ goal: 'a', name: 'here' }),
      'the outcome',
    );

    expect(JSON.parse(answered(model)[0]?.[0] ?? '')).toEqual({
      agent: { id: agent.id, name: 'agent', path: '/here', depth: 0 },
      callId: 'call_1',
      idempotencyKey: `${taskId}:call_1`,
      workspace,
    });
  });

  it('that throw, are unknown or get bad arguments are results the model sees', async () => {
    const bad = [null, 'text', ['a'], {}].map((input) => ['echo', input] as const);
    // The schema of the last is zod's.
    const script = calls('fail', 'nonsense', ...bad, ['count_letters', {}]);
    const tools = [...plain.tools, toolFixture('offline')];
    const { supervisor, model, watch } = supervise(script, { tools });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    const codes = watch.of('tool_completed').map(({ failure }) => failure?.code);

    expect(outcome).toMatchObject({ status: 'completed', toolCalls: 7 });
    expect(answered(model).map(([, isError]) => isError)).toEqual(Array(7).fill(true));
    expect(answered(model)[0]?.[0]).toBe('Tool "fail" failed: the tool broke');
    expect([...codes].sort()).toEqual([
      ...Array(5).fill('tool_arguments_invalid'),
      'tool_denied',
      'tool_failed',
    ]);
  });

  it('that report what is no progress fail as calls, and their agent goes on', async () => {
    const { supervisor, model } = supervise(calls('bad_progress', 'bad_path'), plain);

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(answered(model)).toEqual([
      [expect.stringContaining('NaN'), true],
      [expect.stringContaining('42'), true],
    ]);
  });

  it.each([
    ['that does not exist', 'missing'],
    ['that throws when it is loaded', 'throws-at-load'],
    ['that exports no tool', 'no-tools'],
    ['that exports one name twice', 'twice'],
  ])('of a module %s reject the delegation, and nothing starts', async (_what, name) => {
    const { supervisor, model, watch } = supervise({ default: [{ text: 'done' }] });
    const url = toolFixture(name);

    const error = await rejection(
      within(supervisor.delegate([{ goal: 'fine' }, { goal: 'bad', tools: [url] }]), 'the refusal'),
    );

    expect(error).toMatchObject({
      code: 'tool_module_failed',
      message: expect.stringContaining(`${name}.js`),
    });
    expect([watch.of('task_queued'), model.requests()]).toEqual([[], []]);
    const good = await within(supervisor.delegate({ goal: 'good' }), 'the outcome');
    expect(good.status).toBe('completed');
  });
});
