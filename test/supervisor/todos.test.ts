// Checks the tool `todo_write`: which lists it takes, what observers see, and what is left of a list in a long run.
import { describe, expect, it } from 'vitest';
import { loadAgentFiles } from '#src/index.js';
import type { ScriptStep } from '#src/testing.js';
import { callTool } from '#src/tools/call.js';
import { builtinToolsets } from '#src/tools/toolsets.js';
import { toolContext } from '../fixtures/tool-context.ts';
import { folderOf, markdown } from '../sessions/folders.ts';
import { supervise, within } from './support.ts';

type Todo = { readonly content: string; readonly status: string };

const item = (content: string, status = 'pending'): Todo => ({ content, status });
const writes = (id: string, todos: readonly Todo[]): ScriptStep => ({
  toolCalls: [{ id, name: 'todo_write', input: { todos } }],
});
const todoTool = builtinToolsets
  .flatMap(({ tools }) => tools)
  .find((tool) => tool.name === 'todo_write');

async function write(todos: unknown) {
  const reports: unknown[] = [];
  const progress = (...report: readonly unknown[]) => reports.push(report);
  if (todoTool === undefined) throw new Error('there is no todo_write');
  const result = await callTool(todoTool, { todos }, toolContext({ progress }));
  return { ...result, reports };
}

describe('todo_write', () => {
  it('answers with the whole list, and reports how far it is', async () => {
    const todos = [item('read', 'completed'), item('fix\nit', 'in_progress'), item('test')];

    expect(await write(todos)).toEqual({
      content: '- [x] read\n- [ ] fix it (in progress)\n- [ ] test',
      isError: false,
      reports: [[1 / 3, 'fix\nit']],
    });
    expect(await write([])).toMatchObject({ content: '(the list is empty)', reports: [] });
  });

  it.each<[string, unknown, RegExp]>([
    [
      'two todos in progress',
      [item('a', 'in_progress'), item('b', 'in_progress')],
      /0, 1 are in_progress/,
    ],
    ['a blank todo', [item('a'), item(' ')], /todos\[1\].content is blank/],
    [
      'an unknown status',
      [item('a', 'done')],
      /0.status\]: expected one of pending, in_progress, completed/,
    ],
    ['a long todo', [item('x'.repeat(501))], /at most 500 characters/],
    ['too many todos', Array.from({ length: 101 }, () => item('a')), /list of 0 to 100/],
    ['no list', undefined, /todos: expected a list/],
  ])('refuses %s', async (_what, todos, message) => {
    const { isError, content, failure, reports } = await write(todos);

    expect({ isError, code: failure?.code }).toEqual({
      isError: true,
      code: 'tool_arguments_invalid',
    });
    expect(content).toMatch(message);
    expect(reports).toEqual([]);
  });
});

describe('an agent with todos', () => {
  it('has its list after every turn in another thread, and events show how far it is', async () => {
    const { supervisor, model, watch } = supervise(
      {
        default: [
          writes('c1', [item('look', 'in_progress'), item('fix')]),
          writes('c2', [item('look', 'completed'), item('fix', 'in_progress')]),
          { text: 'done' },
        ],
      },
      { threads: { parking: 'always' } },
    );

    const outcome = await within(
      supervisor.delegate({ goal: 'Fix it.', toolsets: ['todo'] }),
      'the outcome',
    );

    expect(outcome).toMatchObject({ status: 'completed', toolCalls: 2 });
    expect(watch.of('agent_parked').length).toBeGreaterThan(0);
    expect(JSON.stringify(model.requests().at(-1)?.messages.at(-1))).toContain(
      String.raw`- [x] look\n- [ ] fix (in progress)`,
    );
    expect(watch.of('tool_progress').map(({ fraction, note }) => [fraction, note])).toEqual([
      [0, 'look'],
      [0.5, 'fix'],
    ]);
  });

  it('keeps the list it wrote last when the call is left out of a full window', async () => {
    const folder = folderOf({ 'page.txt': 'x'.repeat(900) });
    const reads: ScriptStep = { toolCalls: [{ name: 'read', input: { path: 'page.txt' } }] };
    const { supervisor, model } = supervise({
      default: [
        writes('c1', [item('an older list')]),
        writes('c2', [item('look', 'completed'), item('fix', 'in_progress')]),
        writes('c3', [item('a', 'in_progress'), item('b', 'in_progress')]),
        ...Array.from({ length: 12 }, () => reads),
        { throw: { status: 400, message: 'prompt is too long: 9 > 8' } },
        { text: 'done' },
      ],
    });

    const outcome = await within(
      supervisor.delegate({ goal: 'Go.', toolsets: ['todo', 'file'], workspace: folder }),
      'the outcome',
    );

    expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
    const [, notice, ...rest] = model.requests().at(-1)?.messages ?? [];
    expect(JSON.stringify(notice)).toContain(
      String.raw`Your todos, as you wrote them last:\n- [x] look\n- [ ] fix (in progress)`,
    );
    expect(JSON.stringify(rest)).not.toContain('todo_write');
  });
});

describe('TodoWrite of an agent file', () => {
  it('is todo_write', async () => {
    const folder = folderOf({
      'planner.md': markdown('name: planner\ndescription: Plans.\ntools: TodoWrite', 'You plan.'),
    });
    const { agents, diagnostics } = await loadAgentFiles([folder]);
    const { supervisor, model } = supervise(
      { agents: { planner: [writes('c1', [item('plan')]), { text: 'planned' }] } },
      { agents },
    );

    const outcome = await within(
      supervisor.delegate({ goal: 'Plan.', agent: 'planner' }),
      'the outcome',
    );

    expect(diagnostics).toEqual([]);
    expect(outcome).toMatchObject({ status: 'completed', toolCalls: 1 });
    expect(model.requests()[0]?.tools.map(({ name }) => name)).toEqual(['todo_write']);
    expect(JSON.stringify(model.requests()[1]?.messages.at(-1))).toContain('- [ ] plan');
  });
});
