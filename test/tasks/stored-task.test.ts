// Checks what the journal has of a task: plain data, names of what was given as objects, no keys.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import { placeOf } from '#src/tasks/decide/admission.js';
import { jsonOf, readTask, storedTask } from '#src/tasks/journal/stored-task.js';
import type { Task } from '#src/tasks/task.js';

const was = { depth: 0, profile: undefined };
const place = { index: 1, width: 2, was };
const tool = defineTool({ name: 'add', description: 'Adds.', input: z.object({}), run: () => '' });
const model = { id: 'mine', respond: async () => ({ content: [] }) };

const readAgain = (task: Task) => readTask(storedTask(task, place).text);

it('a task of plain data is read as it was', () => {
  const task: Task = {
    goal: 'go',
    context: 'here',
    agent: 'ada',
    model: ['anthropic:a', 'openai:b'],
    budget: { maxTurns: 3 },
    metadata: { row: [1, null, { deep: true }] },
  };

  expect(readAgain(task)).toEqual({ task, ...place, missing: [] });
});

it('what was given as an object is its name, and a module its address', () => {
  const url = new URL('file:///tools.js');
  const task: Task = { goal: 'go', agent: { name: 'ada' }, tools: [tool, 'web', url], hooks: url };

  expect(readAgain(task).task).toEqual({
    goal: 'go',
    agent: 'ada',
    tools: ['add', 'web', url],
    hooks: url,
  });
});

it('a key is not written down', () => {
  const endpoint = { provider: 'openai', model: 'm', apiKey: 'secret-key' } as const;

  const { text } = storedTask({ goal: 'go', model: [endpoint, 'offline'] }, place);

  expect(text).not.toContain('secret-key');
  expect(readTask(text).task.model).toEqual([{ provider: 'openai', model: 'm' }, 'offline']);
});

it.each([
  ['a model', { model }],
  ['one of several models', { model: ['offline', model] }],
  ['hooks', { hooks: { beforeTurn: () => null } }],
  ['one of several hooks', { hooks: [new URL('file:///h.js'), { beforeTurn: () => null }] }],
] as const)('%s that is an object of the program is missing', (_what, settings) => {
  const { text, missing } = storedTask({ goal: 'go', ...settings } as Task, place);

  expect(missing).toEqual(Object.keys(settings));
  expect(readTask(text)).toMatchObject({ missing, task: { goal: 'go' } });
});

it('a schema judges as it did', async () => {
  const outputSchema = z.object({ sum: z.number().max(9) });

  const { outputSchema: read } = readAgain({ goal: 'go', outputSchema }).task;

  expect(await read?.['~standard'].validate({ sum: 3 })).toMatchObject({ value: { sum: 3 } });
  expect(await read?.['~standard'].validate({ sum: 10 })).toHaveProperty('issues');
});

it('what JSON does not know is a text', () => {
  const shared = { a: 1 };
  const circular: Record<string, unknown> = { big: 2n ** 64n, twice: [shared, shared] };
  circular['self'] = circular;

  expect(JSON.parse(jsonOf(circular))).toEqual({
    big: '18446744073709551616',
    twice: [{ a: 1 }, { a: 1 }],
    self: '[circular]',
  });
});

it('what outlives the run that asked for it has no more rights after a restart', () => {
  const below = { depth: 2, profile: { net: 'none', fs: { read: ['/data'] } } } as const;
  const { text } = storedTask({ goal: 'go', profile: 'wide' }, { index: 0, width: 1, was: below });
  const { was } = readTask(text);
  const parent = null;

  expect(was).toEqual(below);
  expect(placeOf({ parent, index: 0, width: 1, was })).toMatchObject({
    parent: undefined,
    ...below,
  });
});
