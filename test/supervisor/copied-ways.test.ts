// Checks that every way to hand something over takes it as it is then: map, spawn, session tools, hooks, approvals.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { defineTool, type Hooks, type Task } from '#src/index.js';
import { hookFixture } from './hook-support.ts';
import { rejection, supervise, toolFixture, within } from './support.ts';

const done = [{ text: 'done', repeat: true }] as const;

const echo = { toolCalls: [{ name: 'echo', input: { text: 'as said' } }] };

const userMessages = (text: string) => [
  { role: 'user' as const, content: [{ type: 'text' as const, text }] },
  { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Yes.' }] },
];

/** Changes every text below a value. */
function change(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (typeof part === 'string' && !['type', 'role', 'name', 'agent'].includes(key)) {
      Object.assign(value, { [key]: 'CHANGED' });
    }
    change(part);
  }
}

/** A hook that changes all it is told and asks for nothing. */
const meddling = (payload: unknown): null => {
  change(payload);
  return null;
};

describe('what a caller hands over', () => {
  it('is sent as it was when map pulled it (A56)', async () => {
    const { supervisor, model } = supervise({ default: done });
    const task = {
      goal: 'as given',
      history: userMessages('history as given'),
      metadata: { note: { text: 'note as given' } },
      agent: {
        name: 'mapped',
        prompt: 'prompt as given',
        initialMessages: userMessages('example as given'),
      },
    };
    supervisor.pause();
    const outcomes = supervisor.map([task]);

    const first = outcomes.next();
    // The source is pulled within the turn of the event loop that asks for the outcome.
    await new Promise((resolve) => setImmediate(resolve));
    change(task);
    supervisor.resume();

    const { value } = await within(first, 'the outcome');
    expect(value).toMatchObject({ metadata: { note: { text: 'note as given' } } });
    const sent = JSON.stringify(model.requests());
    for (const part of ['prompt', 'history', 'example']) expect(sent).toContain(`${part} as given`);
    expect(sent).not.toContain('CHANGED');
  });

  it('is kept as it was by a spawned agent, and what it is asked with (A56)', async () => {
    const { supervisor, model } = supervise({ default: done });
    const definition = {
      name: 'kept',
      prompt: 'as given',
      initialMessages: userMessages('as given'),
    };
    const metadata = { note: { text: 'as given' } };

    const spawned = supervisor.spawn(definition, { lazy: true });
    change(definition);
    const agent = await within(spawned, 'the agent');
    const asked = agent.ask('Go.', { metadata, timeoutMs: 20_000 });
    change(metadata);

    const outcome = await within(asked, 'the answer');
    expect(outcome.metadata).toEqual({ note: { text: 'as given' } });
    expect(JSON.stringify(model.requests())).not.toContain('CHANGED');
  });

  it('is what a tool of a session was called with (A56)', async () => {
    const { supervisor, model } = supervise({ default: done });
    const tools = supervisor.session('chat').tools(delegateTaskTool());
    const input = { tasks: [{ goal: 'goal as given', context: 'context as given' }] };

    const called = tools.call('delegate_task', input);
    change(input);
    await within(called, 'the result');

    const sent = JSON.stringify(model.requests());
    expect(sent).toContain('goal as given');
    expect(sent).not.toContain('CHANGED');
  });

  it.each([
    [
      'a property named by a symbol',
      { a: [{ [Symbol('s')]: 1 }] },
      /metadata\.a\[0\]\[Symbol\(s\)\]/,
    ],
    [
      'a function in a map',
      { a: new Map([['f', () => {}]]) },
      /metadata\.a\.a map value is a function/,
    ],
  ])('is refused with its path when it holds %s (M6)', (_, metadata, path) => {
    const { supervisor } = supervise({ default: [] });

    const start = (): unknown => supervisor.start({ goal: 'Go.', metadata });

    expect(start).toThrowError(
      expect.objectContaining({ code: 'invalid_task', message: expect.stringMatching(path) }),
    );
  });

  it.each([
    [
      'beside what a message has',
      { content: 'hi', more: [() => {}] },
      /history\[0\]\.more\[0\] is a f/,
    ],
    [
      'in the input of a call',
      { content: [{ type: 'tool_use', id: 'a', name: 'b', input: { f: () => {} } }] },
      /history .*\[0\]\.content\[0\]\.input\.f is a function/,
    ],
  ])('is refused with its path when it stands in a history, %s (M6)', (_, message, path) => {
    const { supervisor } = supervise({ default: [] });
    const history = [{ role: 'assistant', ...message }] as unknown as Task['history'];

    const start = (): unknown => supervisor.start({ goal: 'Go.', history } as Task);

    expect(start).toThrowError(path);
  });

  it('is refused where a task itself has a property named by a symbol, and a definition (M6)', async () => {
    const { supervisor } = supervise({ default: [] });
    const key = Symbol('tag');

    const task = { goal: 'Go.', [key]: 1 } as Task;
    const agent = { name: 'tagged', [key]: 1 };

    expect(() => supervisor.start(task)).toThrowError(/\[Symbol\(tag\)\]/);
    expect(() => supervisor.start({ goal: 'Go.', agent })).toThrowError(/\[Symbol\(tag\)\]/);
    expect(await rejection(supervisor.spawn(agent))).toMatchObject({ code: 'invalid_agent' });
  });
});

describe('hooks', () => {
  it.each([
    [
      'of the service',
      {
        beforeRun: meddling,
        beforeTurn: meddling,
        afterTurn: meddling,
        beforeTool: meddling,
        afterTool: meddling,
        afterRun: meddling,
      },
    ],
    ['of a module', hookFixture('meddles')],
  ])('change nothing by changing what they are told, %s (D5)', async (_, hooks) => {
    const { supervisor, model } = supervise(
      { default: [{ ...echo, text: 'as said' }, { text: 'done' }] },
      { tools: [toolFixture('plain')] },
    );

    const outcome = await within(
      supervisor.delegate({ goal: 'as given', agent: { name: 'a', hooks: hooks as Hooks } }),
      'the outcome',
    );

    expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
    const kept = [model.requests(), supervisor.transcript(outcome.taskId)];
    expect(JSON.stringify(kept)).not.toContain('CHANGED');
  });

  it('are those that an object had when it was handed over, and methods of it (D5)', async () => {
    const { supervisor } = supervise({ default: done });
    const called: string[] = [];
    class Own {
      readonly #label = 'early';
      beforeTurn(): null {
        called.push(this.#label);
        return null;
      }
    }
    const given: Hooks = new Own();
    supervisor.pause();
    const handle = supervisor.start({ goal: 'Go.', hooks: given });

    Object.assign(given, {
      beforeTurn: () => called.push('late'),
      afterTurn: () => called.push('late'),
    });
    supervisor.resume();
    await within(handle.result(), 'the outcome');

    expect(called).toEqual(['early']);
  });

  it('are told what is no data in the input that they answer, by its path (M6)', async () => {
    const { supervisor } = supervise(
      { default: [echo, { text: 'done' }] },
      { tools: [toolFixture('plain')] },
    );
    const hooks: Hooks = {
      beforeTool: () => ({ input: { text: 'hi', more: [{ [Symbol('s')]: 1 }] } }),
    };

    const outcome = await within(supervisor.delegate({ goal: 'Go.', hooks }), 'the outcome');

    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } });
    expect(outcome.error?.message).toContain('input.more[0][Symbol(s)]');
  });
});

describe('who approves', () => {
  it('changes nothing of the call by changing its input (M6)', async () => {
    const ran: unknown[] = [];
    const wipe = defineTool({
      name: 'wipe',
      description: 'Wipes.',
      input: z.looseObject({ paths: z.array(z.any()) }),
      needsApproval: true,
      run: (input) => {
        ran.push(input);
        return 'ok';
      },
    });
    const { supervisor, model } = supervise(
      { default: [{ toolCalls: [{ name: 'wipe', input: { paths: [{ at: 'a' }] } }] }, ...done] },
      {
        tools: [wipe],
        approve: ({ input }) => {
          const [path] = (input as { paths: object[] }).paths;
          Object.assign(path ?? {}, { at: 'CHANGED', [Symbol('s')]: () => {} });
          return 'approve';
        },
      },
    );

    const outcome = await within(supervisor.delegate({ goal: 'Go.' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(ran).toEqual([{ paths: [{ at: 'a' }] }]);
    expect(JSON.stringify(model.requests())).not.toContain('CHANGED');
  });
});
