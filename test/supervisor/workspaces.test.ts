// Checks which folder a run works in, and that one which is none is refused before anything starts (X18).
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSupervisor, defineAgent, defineTool } from '#src/index.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { delegate, handsTo, named } from './family.ts';
import { answered, rejection, supervise, within } from './support.ts';

const where = defineTool({
  name: 'where',
  description: 'Says where it is.',
  input: z.object({}),
  run: (_input, tool) => tool.workspace,
});
const step = (name: string) => ({ toolCalls: [{ name, input: {} }] });
const asks = { default: [step('where'), { text: 'done' }] };

function folders() {
  const base = realpathSync(temporaryFolder());
  mkdirSync(join(base, 'of-task'));
  mkdirSync(join(base, 'of-agent'));
  writeFileSync(join(base, 'file'), '');
  return { base, ofTask: join(base, 'of-task'), ofAgent: join(base, 'of-agent') };
}

describe('a workspace', () => {
  it.each([
    ['relative', 'work/here', 'expected an absolute path'],
    ['missing', 'BASE/nowhere', 'expected a folder that exists'],
    ['a file', 'BASE/file', 'expected a folder that exists'],
  ])('of a task that is %s is refused, naming field and value', async (_what, asked, why) => {
    const { base } = folders();
    const { supervisor, watch } = supervise(asks, { tools: [where] });
    const workspace = asked.replace('BASE', base);
    const seen = JSON.stringify(workspace);

    const error = await rejection(supervisor.delegate([{ goal: 'a' }, { goal: 'b', workspace }]));

    expect(error).toMatchObject({
      code: 'invalid_task',
      message: `task 1: workspace is ${seen}: ${why}`,
      detail: { field: 'workspace', seen },
    });
    expect(watch.of('task_queued')).toEqual([]);
  });

  it.each(['nowhere', 'file'])('of a supervisor that is none is refused: %s', (name) => {
    const workspace = join(folders().base, name);

    expect(() => createSupervisor({ model: 'offline', workspace })).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: `createSupervisor: workspace is ${JSON.stringify(workspace)}: expected a folder that exists`,
      }),
    );
  });

  it('of a supervisor is absolute for its tools, however it was given', async () => {
    const { base } = folders();
    const workspace = relative(process.cwd(), base);
    const { supervisor, model } = supervise(asks, { tools: [where], workspace });

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(answered(model)).toEqual([[base, false]]);
  });

  it('of a definition is refused when it is relative, and when a task meets it missing', async () => {
    const { base } = folders();
    expect(() => defineAgent({ name: 'a', workspace: 'work' })).toThrow(
      expect.objectContaining({
        code: 'invalid_agent',
        message: expect.stringContaining('workspace is "work"'),
      }),
    );

    const workspace = join(base, 'later');
    const late = defineAgent({ name: 'late', workspace });
    const { supervisor, watch, model } = supervise(asks, { tools: [where], agents: [late] });
    const task = { goal: 'a', agent: 'late' };
    const error = await rejection(supervisor.delegate(task));

    expect(error).toMatchObject({
      code: 'invalid_agent',
      message: expect.stringContaining(`late: workspace is ${JSON.stringify(workspace)}`),
      detail: { field: 'workspace' },
    });
    expect(watch.of('task_queued')).toEqual([]);
    mkdirSync(workspace);
    await within(supervisor.delegate(task), 'the outcome');
    expect(answered(model)).toEqual([[workspace, false]]);
  });

  it('is the task’s, else the definition’s, else the supervisor’s (X18)', async () => {
    const { base, ofTask, ofAgent } = folders();
    const agents = [defineAgent({ name: 'placed', workspace: ofAgent })];
    const { supervisor, model } = supervise(asks, { tools: [where], agents, workspace: base });
    const seen: unknown[] = [];
    for (const task of [{ agent: 'placed', workspace: ofTask }, { agent: 'placed' }, {}]) {
      await within(supervisor.delegate({ goal: 'a', ...task }), 'the outcome');
      seen.push(answered(model)[0]?.[0]);
    }

    expect(seen).toEqual([ofTask, ofAgent, base]);
  });

  it('of a child that names none is its parent’s (X18)', async () => {
    const { base, ofTask } = folders();
    const script = {
      agents: {
        agent: [handsTo('child'), { text: 'done' }],
        child: [step('where'), { text: 'looked' }],
      },
    };
    const { supervisor, model } = supervise(script, {
      tools: [where, delegate],
      agents: named('child'),
      workspace: base,
    });

    const outcome = await within(
      supervisor.delegate({ goal: 'a', workspace: ofTask }),
      'the outcome',
    );

    expect(outcome.text).toBe('done');
    const ofChild = model.requests().filter(({ agent }) => agent.name === 'child');
    expect(JSON.stringify(ofChild[1]?.messages.at(-1))).toContain(ofTask);
  });
});
