// Checks that misuse is told by a code, the field and the value seen, before anything starts.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createSupervisor,
  defineAgent,
  defineTool,
  type SupervisorOptions,
  type Task,
} from '#src/index.js';
import { scripted } from '#src/testing.js';
import { census } from '../leaks.ts';
import { rejection, supervise, turns, within } from './support.ts';

const model = scripted({ default: [{ text: 'done' }] });
const tool = (name: string) =>
  defineTool({ name, description: name, input: z.object({}), run: () => name });

/** A value from outside of the types. */
function odd<Type>(value: unknown): Type {
  return value as Type;
}

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('expected it to throw');
}

describe('createSupervisor', () => {
  it.each([
    ['limits.maxLiveAgents', { limits: { maxLiveAgents: 0 } }, '0'],
    ['limits.maxSpawnDepth', { limits: { maxSpawnDepth: -1 } }, '-1'],
    ['limits.maxConcurrentChildren', { limits: { maxConcurrentChildren: 1.5 } }, '1.5'],
    ['limits.maxQueued', { limits: { maxQueued: Number.NaN } }, 'NaN'],
    ['limits.overflow', { limits: { overflow: 'drop' } }, '"drop"'],
    ['limits.maxAgents', { limits: { maxAgents: 3 } }, 'maxAgents'],
    ['timeouts.idleTimeoutMs', { timeouts: { idleTimeoutMs: 0 } }, '0'],
    ['timeouts.interruptGraceMs', { timeouts: { interruptGraceMs: -5 } }, '-5'],
    ['budget.maxTokens', { budget: { maxTokens: '9' } }, '"9"'],
    ['budget.perTree.maxCostUsd', { budget: { perTree: { maxCostUsd: -1 } } }, '-1'],
    ['agents.0.name', { agents: [{ name: 'a b' }] }, '"a b"'],
    ['tools.0', { tools: [{ name: 'plain object' }] }, 'plain object'],
    ['threads.reuse', { threads: { reuse: 'cold' } }, '"cold"'],
    ['threads.profile.maxHeapMb', { threads: { profile: { maxHeapMb: 1 } } }, '1'],
    ['keepAlive', { keepAlive: 'yes' }, '"yes"'],
    ['logger', { logger: { warn: () => {} } }, '{}'],
    ['clock', { clock: {} }, '{}'],
    ['random', { random: 4 }, '4'],
    ['colour', { colour: 'red' }, 'colour'],
  ])('refuses %s, naming the value seen', (field, options, seen) => {
    const error = thrownBy(() => createSupervisor(odd<SupervisorOptions>({ model, ...options })));

    expect(error).toMatchObject({ name: 'TroupeError', code: 'invalid_options' });
    const { message } = error as Error;
    expect(message).toContain(field);
    expect(message).toContain(seen);
  });

  it.each([undefined, null, 'offline', 7])('refuses %o for options', (options) => {
    expect(thrownBy(() => createSupervisor(odd<SupervisorOptions>(options)))).toMatchObject({
      code: 'invalid_options',
    });
  });

  it('refuses to choose a model by itself', () => {
    expect(thrownBy(() => createSupervisor(odd<SupervisorOptions>({})))).toMatchObject({
      code: 'model_missing',
      message: expect.stringContaining("'offline'"),
    });
  });

  it.each([
    ['gpt-9', '"gpt-9"'],
    ['anthropic:', '"anthropic:"'],
    [{ id: 'no respond' }, 'no respond'],
  ])('refuses the unknown model %o', (unknown, seen) => {
    for (const options of [
      { model: unknown },
      { model, agents: [{ name: 'a', model: unknown }] },
    ]) {
      const error = thrownBy(() => createSupervisor(odd<SupervisorOptions>(options)));
      expect(error).toMatchObject({
        code: 'model_unknown',
        message: expect.stringContaining(seen),
      });
    }
  });

  it('refuses two agents of one name', () => {
    const agents = [{ name: 'same' }, { name: 'same' }];

    expect(thrownBy(() => createSupervisor({ model, agents }))).toMatchObject({
      code: 'invalid_agent',
      message: expect.stringContaining('"same"'),
    });
  });
});

describe('a missing key', () => {
  const before = process.env['ANTHROPIC_API_KEY'];
  beforeEach(() => {
    delete process.env['ANTHROPIC_API_KEY'];
  });
  afterEach(() => {
    if (before !== undefined) process.env['ANTHROPIC_API_KEY'] = before;
  });

  it('is named by its variable, with what works without', () => {
    expect(thrownBy(() => createSupervisor({ model: 'anthropic:claude-sonnet-5' }))).toMatchObject({
      code: 'model_key_missing',
      message: expect.stringMatching(/ANTHROPIC_API_KEY.*offline/),
    });
  });

  it('of a task’s own model rejects the task', async () => {
    const { supervisor, watch } = supervise({ default: [{ text: 'done' }] });

    const error = await rejection(
      supervisor.delegate([{ goal: 'fine' }, { goal: 'a', model: 'anthropic:claude-sonnet-5' }]),
    );

    expect(error).toMatchObject({ code: 'model_key_missing' });
    expect(watch.of('task_queued')).toEqual([]);
  });
});

describe('a wrong task', () => {
  const wrong: readonly (readonly [what: string, task: unknown, code: string, seen: string])[] = [
    ['no task', null, 'invalid_task', 'null'],
    ['a text', 'Do it.', 'invalid_task', '"Do it."'],
    ['no goal', {}, 'invalid_task', 'goal is undefined'],
    ['a blank goal', { goal: ' \n' }, 'invalid_task', 'goal'],
    ['a goal of no text', { goal: 5 }, 'invalid_task', 'goal is 5'],
    ['a name with a slash', { goal: 'a', name: '../b' }, 'invalid_task', '"../b"'],
    ['half a turn', { goal: 'a', maxTurns: 0.5 }, 'invalid_task', 'maxTurns is 0.5'],
    ['no time', { goal: 'a', idleTimeoutMs: 0 }, 'invalid_task', 'idleTimeoutMs is 0'],
    ['an unknown field', { goal: 'a', priority: 1 }, 'invalid_task', 'priority'],
    ['an agent that nobody defined', { goal: 'a', agent: 'x' }, 'unknown_agent', 'one, two'],
    ['a definition that is wrong', { goal: 'a', agent: { name: '' } }, 'invalid_task', 'agent'],
    ['a tool that nobody registered', { goal: 'a', tools: ['x'] }, 'unknown_tool', '"x"'],
    ['a toolset that is none', { goal: 'a', toolsets: ['x'] }, 'unknown_toolset', '"x"'],
    ['a tool of a taken name', { goal: 'a', tools: [tool('echo')] }, 'invalid_tool', '"echo"'],
    ['a model that is none', { goal: 'a', model: 'x' }, 'model_unknown', '"x"'],
  ];

  function arrange() {
    return supervise(
      { default: [{ text: 'done' }] },
      { agents: [{ name: 'one' }, { name: 'two' }], tools: [tool('echo')] },
    );
  }

  it.each(wrong)(
    'with %s rejects delegate, and nothing starts',
    async (_what, task, code, seen) => {
      const { supervisor, watch, model: asked } = arrange();
      const before = census().get('thread');

      const error = await rejection(
        within(supervisor.delegate([{ goal: 'fine' }, odd<Task>(task)]), 'the refusal'),
      );
      await turns();

      expect(error).toMatchObject({ name: 'TroupeError', code });
      expect((error as Error).message).toContain(seen);
      expect([watch.events, asked.requests()]).toEqual([[], []]);
      expect(census().get('thread')).toBe(before);
    },
  );

  it.each(wrong)('with %s makes start throw the same', (_what, task, code) => {
    const { supervisor } = arrange();

    expect(thrownBy(() => supervisor.start(odd<Task>(task)))).toMatchObject({ code });
  });

  it('says which one of a batch it is', async () => {
    const { supervisor } = arrange();

    expect(
      await rejection(supervisor.delegate([{ goal: 'a' }, { goal: 'b' }, odd<Task>({})])),
    ).toMatchObject({ message: expect.stringContaining('task 2: goal') });
  });
});

describe('wrong arguments', () => {
  it('of delegate, interrupt, map, events and on reject or throw by name', async () => {
    const { supervisor, watch } = supervise({ default: [{ text: 'done' }] });
    const task = { goal: 'a' };
    const code = 'invalid_options';

    expect(await rejection(supervisor.delegate(task, odd({ signal: 'now' })))).toMatchObject({
      code,
      message: expect.stringContaining('signal is "now"'),
    });
    expect(await rejection(supervisor.interrupt('t1', odd({ scope: 'tree' })))).toMatchObject({
      code,
      message: expect.stringContaining('"tree"'),
    });
    expect(await rejection(supervisor.interrupt('t1'))).toMatchObject({ code: 'unknown_task' });
    for (const options of [{ concurrency: 0 }, { ordered: 'no' }, { signal: 1 }, { speed: 2 }]) {
      expect(await rejection(supervisor.map([task], odd(options)).next())).toMatchObject({ code });
    }
    expect(await rejection(supervisor.map(odd<Task[]>(5)).next())).toMatchObject({ code });
    expect(thrownBy(() => supervisor.events(odd({ types: ['agent_born'] })))).toMatchObject({
      code,
      message: expect.stringContaining('"agent_born"'),
    });
    expect(thrownBy(() => supervisor.on(odd<'log'>('agent_born'), () => {}))).toMatchObject({
      code,
    });
    expect(thrownBy(() => supervisor.on('log', odd(null)))).toMatchObject({ code });
    expect(thrownBy(() => supervisor.totals('nobody'))).toMatchObject({ code: 'unknown_task' });
    expect(thrownBy(() => supervisor.transcript('nobody'))).toMatchObject({ code: 'unknown_task' });
    expect(watch.of('task_queued')).toEqual([]);
  });

  it('of defineAgent name the field and the value', () => {
    const bad = [{ name: 'a b' }, { name: 'a', maxTurns: 0 }, { name: 'a', colour: 'red' }];
    for (const definition of bad) {
      expect(thrownBy(() => defineAgent(definition))).toMatchObject({ code: 'invalid_agent' });
    }
    expect(
      thrownBy(() => defineAgent({ name: 'a', prompt: 'x', instructions: 'y' })),
    ).toMatchObject({ code: 'invalid_agent', message: expect.stringContaining('2 prompts') });
  });
});
