// Checks hooks around runs, turns and tools on real threads: of the service, of modules, of both; what they may change.
import { describe, expect, it } from 'vitest';
import type { HookReference, Hooks } from '#src/index.js';
import { delegate, handsTo, named } from './family.ts';
import {
  echoes,
  greets,
  hookFixture,
  lastTexts,
  namesIn,
  recorder,
  tools,
} from './hook-support.ts';
import { answered, calls, inShort, supervise, within } from './support.ts';

describe('hooks', () => {
  it.each(['greet', 'echo'])(
    'are called before and after run, turn and tool (%s) (D5)',
    async (name) => {
      const log: unknown[][] = [];
      const input = name === 'greet' ? { name: 'Ada' } : { text: 'hello Ada' };
      const { supervisor } = supervise(calls([name, input]), { tools });

      const outcome = await within(
        supervisor.delegate({ goal: 'Be kind.', hooks: recorder(log) }),
        'the outcome',
      );

      expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
      const callId = expect.any(String);
      const prompt = { role: 'user', content: [{ type: 'text', text: 'Be kind.' }] };
      expect(log).toMatchObject([
        ['beforeRun', { messages: [prompt] }],
        ['beforeTurn', { turn: 1, messages: [prompt] }],
        ['afterTurn', { turn: 1, message: { role: 'assistant' }, stopReason: 'tool_use' }],
        ['beforeTool', { turn: 1, callId, name, input }],
        ['afterTool', { turn: 1, callId, name, input, result: 'hello Ada', isError: false }],
        ['beforeTurn', { turn: 2, messages: { length: 3 } }],
        [
          'afterTurn',
          { turn: 2, stopReason: 'end_turn', usage: { outputTokens: expect.any(Number) } },
        ],
        ['afterRun', { exitReason: 'goal', text: 'done' }],
      ]);
    },
  );

  it('of the definition come first, then those of the task, in the service and in the thread (D5)', async () => {
    const onHost: Hooks = {
      beforeTurn: ({ turn }) => ({ append: `host at turn ${turn}` }),
      beforeTool: ({ input }) => ({
        input: { text: `${Reflect.get(Object(input), 'text')}, host` },
      }),
      afterTool: ({ result }) => ({ result: `${result} (seen by the host)` }),
    };
    const run = async (definition: HookReference, task: HookReference) => {
      const { supervisor, model } = supervise(echoes, { tools });
      await within(
        supervisor.delegate({ goal: 'a', agent: { name: 'a', hooks: definition }, hooks: task }),
        'the outcome',
      );
      return [lastTexts(model)[0]?.at(-1), answered(model)];
    };

    expect(await run(onHost, hookFixture('marking'))).toEqual([
      'host at turn 1\n\nmodule at turn 1',
      [['hi, host, module (seen by the host) (seen by the module)', false]],
    ]);
    expect(await run(hookFixture('marking'), onHost)).toEqual([
      'module at turn 1\n\nhost at turn 1',
      [['hi, module, host (seen by the module) (seen by the host)', false]],
    ]);
  });

  it('append to one request, and neither to the memory nor to the system prompt (A38)', async () => {
    const { supervisor, model } = supervise(
      {
        agents: { a: [{ toolCalls: [{ name: 'greet', input: { name: 'Ada' } }] }, { text: 'x' }] },
      },
      { tools },
    );
    const hooks: Hooks = { beforeTurn: ({ turn }) => ({ append: `board ${turn}` }) };
    const agent = await within(
      supervisor.spawn({ name: 'a', prompt: 'Be brief.', hooks }),
      'the agent',
    );

    await within(agent.ask('one', { timeoutMs: 20_000 }), 'the first answer');
    await within(agent.ask('two', { timeoutMs: 20_000 }), 'the second answer');

    expect(lastTexts(model)).toEqual([
      ['one', 'board 1'],
      ['board 2'],
      ['two', 'board 1'],
      ['board 2'],
    ]);
    expect(new Set(model.requests().map(({ system }) => system)).size).toBe(1);
    expect(JSON.stringify(agent.history())).not.toContain('board');
    // Each request holds no word that an earlier one was given.
    const boards = model.requests().map(({ messages }) => JSON.stringify(messages).match(/board/g));
    expect(boards.map((found) => found?.length)).toEqual([1, 1, 1, 1]);
  });

  it('refuse a run before its first turn', async () => {
    const ends: unknown[] = [];
    const hooks: Hooks = {
      beforeRun: () => ({ deny: 'not today' }),
      afterRun: ({ exitReason, error }) => ends.push([exitReason, error?.message]),
    };
    const { supervisor, model } = supervise(greets, { tools });

    const outcome = await within(supervisor.delegate({ goal: 'a', hooks }), 'the outcome');

    expect(outcome).toMatchObject({
      status: 'failed',
      exitReason: 'refused',
      turns: 0,
      error: { code: 'hook_denied', message: 'not today' },
    });
    expect(model.requests()).toEqual([]);
    expect(ends).toEqual([['refused', 'not today']]);
  });

  it.each([
    ['greet', { name: 'Ada' }],
    ['echo', { text: 'hi' }],
  ])('deny a call, which the model is told and no hook after it (%s)', async (name, input) => {
    const log: unknown[][] = [];
    const { supervisor, model, watch } = supervise(calls([name, input]), { tools });
    const hooks = [{ beforeTool: () => ({ deny: 'not that one' }) }, recorder(log)];

    const outcome = await within(supervisor.delegate({ goal: 'a', hooks }), 'the outcome');

    expect(outcome.exitReason).toBe('goal');
    expect(answered(model)).toEqual([['not that one', true]]);
    expect(namesIn(log)).not.toContain('beforeTool');
    expect(namesIn(log)).not.toContain('afterTool');
    expect(watch.of('tool_completed')[0]?.failure?.code).toBe('hook_denied');
  });

  it.each(['greet', 'echo'])('give input that the tool judges as any other (%s)', async (name) => {
    const { supervisor, model } = supervise(calls([name, { name: 'Ada', text: 'hi' }]), { tools });
    const hooks: Hooks = { beforeTool: () => ({ input: { name: 5, text: 5 } }) };

    await within(supervisor.delegate({ goal: 'a', hooks }), 'the outcome');

    expect(answered(model)).toMatchObject([[expect.stringContaining('are invalid'), true]]);
  });

  it('are told nothing twice by a run that was parked (V7)', async () => {
    const log: unknown[][] = [];
    const { supervisor, watch, model } = supervise(
      { agents: { parent: [handsTo('leaf'), { text: 'done' }], leaf: [{ text: 'leaf' }] } },
      { tools: [delegate], agents: named('parent', 'leaf'), limits: { maxLiveAgents: 1 } },
    );
    const hooks = [recorder(log), { afterTool: () => ({ result: 'changed' }) }];

    const outcome = await within(
      supervisor.delegate({ goal: 'a', agent: 'parent', hooks }),
      'the outcome',
    );

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(watch.of('agent_parked').length).toBeGreaterThan(0);
    expect(namesIn(log)).toEqual([
      'beforeRun',
      'beforeTurn',
      'afterTurn',
      'beforeTool',
      'afterTool',
      'beforeTurn',
      'afterTurn',
      'afterRun',
    ]);
    expect(answered(model)).toEqual([['changed', false]]);
  });
});
