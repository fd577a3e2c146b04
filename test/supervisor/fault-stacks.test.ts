// Checks where the stack of what code of the program threw is kept: on the host, and in no text that a model reads.
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type EventType } from '#src/index.js';
import { folderWith } from '../support/command.ts';
import { answered, calls, rejection, supervise, toolFixture, within } from './support.ts';

const throwsOnHost = defineTool({
  name: 'throws',
  description: 'Throws.',
  input: z.object({}),
  run() {
    throw new Error('the thread tool broke', { cause: new TypeError('the cause') });
  },
});

describe('the stack of what was thrown', () => {
  it.each([
    ['host', throwsOnHost, 'fault-stacks.test.ts'],
    ['thread', toolFixture('strays'), 'tools/strays.js:22:'],
  ] as const)(
    'is in the failure of a %s tool, causes chained, and not in its answer',
    async (_where, tool, place) => {
      const { supervisor, model, watch } = supervise(calls('throws'), { tools: [tool] });

      await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

      const [completed] = watch.of('tool_completed');
      expect(completed?.failure?.code).toBe('tool_failed');
      const stack = String(completed?.failure?.detail?.['stack']);
      expect(stack).toMatch(/^Error: the thread tool broke\n {4}at /);
      expect(stack).toContain(place);
      expect(stack).toContain('\nCaused by: TypeError: the cause\n');
      expect(answered(model)).toEqual([['Tool "throws" failed: the thread tool broke', true]]);
      expect(JSON.stringify(model.requests())).not.toContain(place);
    },
  );

  it('is in the outcome of a run that a hook ended, without what looks like a key (D23)', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const beforeRun = () => Promise.reject(new Error('Bearer abcdefghij0123456789'));

    const { error } = await within(supervisor.delegate({ goal: 'a', hooks: { beforeRun } }), 'end');

    expect(error?.detail?.['stack']).toMatch(/^Error: Bearer \[key\]\n/);
    expect(error?.detail?.['stack']).toContain('fault-stacks.test.ts');
  });

  it('names file and line of a module that has a mistake in its syntax', async () => {
    const folder = folderWith({ 'tools.mjs': 'export const a = 1;\n\nconst b = = 2;\n' });
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const tools = [pathToFileURL(`${folder}/tools.mjs`)];

    const refused = await within(
      rejection(supervisor.delegate({ goal: 'a', tools })),
      'the refusal',
    );
    const outcome = await within(supervisor.start({ goal: 'a', tools }).result(), 'the outcome');

    const place = `${folder}/tools.mjs:3`;
    expect(refused).toMatchObject({ code: 'tool_module_failed' });
    expect(String(refused)).toContain(place);
    expect(outcome.error).toMatchObject({ code: 'tool_module_failed' });
    expect(outcome.error?.message).toContain(place);
  });

  it('names file and line of a mistake in the syntax of what a module imports', async () => {
    const folder = folderWith({
      'tools.mjs': "import 'node:fs';\nimport './between.mjs';\nthrow new Error('it ran');\n",
      'between.mjs': "import './tools.mjs';\nexport * from './deep.mjs';\n",
      'deep.mjs': 'export const a = 1;\n\nconst b = = 2;\n',
    });
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const module = pathToFileURL(`${folder}/tools.mjs`);
    const place = `${folder}/deep.mjs:3`;

    for (const task of [{ tools: [module] }, { hooks: module }]) {
      const refused = await within(
        rejection(supervisor.delegate({ goal: 'a', ...task })),
        'the refusal',
      );

      expect(refused).toMatchObject({ code: 'tool_module_failed' });
      expect(String(refused)).toContain(place);
    }
  });

  it('says what to do with a module that is taken for CommonJS', async () => {
    const folder = folderWith({
      'package.json': '{ "type": "commonjs" }',
      'tools.js': "import 'node:fs';\n",
    });
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const tools = [pathToFileURL(`${folder}/tools.js`)];

    const refused = await within(
      rejection(supervisor.delegate({ goal: 'a', tools })),
      'the refusal',
    );

    expect(refused).toMatchObject({ code: 'tool_module_failed' });
    expect(String(refused)).toContain('name it .mjs, or write "type": "module"');
  });

  it('tells of an approver and of somebody asked who throw (O3)', async () => {
    const asks = { ...throwsOnHost, needsApproval: true };
    const { supervisor, watch } = supervise(calls('throws'), {
      tools: [asks],
      approve: () => Promise.reject(new Error('nobody at home')),
    });

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    const failures = watch.of('log' satisfies EventType).map(({ failure }) => failure);
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toBe('nobody at home');
    expect(failures[0]?.detail?.['stack']).toContain('fault-stacks.test.ts');
  });
});
