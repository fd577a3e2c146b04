// Checks that code which says more than anybody can hear holds up neither its host nor its own result.
import { getEventListeners } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { taskTool } from '#src/dialects/claude-code/index.js';
import type { Supervisor } from '#src/index.js';
import type { ScriptedModel } from '#src/testing.js';
import { isTool } from '#src/tools/define-tool.js';
import type { AnyTool } from '#src/tools/tool.js';
import { patienceMs } from '../support/systems.ts';
import { calls, supervise, superviseInManualTime, toolFixture, within } from './support.ts';

const floods = { tools: [toolFixture('floods')] };

/** What tools have told the model, the last it was asked with. */
function describeState(model: ScriptedModel): readonly string[] {
  const { messages = [] } = model.requests().findLast((each) => each.messages.length > 1) ?? {};
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [String(block.content)] : [])),
  );
}

/** The same tool as the host runs it. */
async function onHost(name: string): Promise<AnyTool> {
  const module: Readonly<Record<string, unknown>> = await import(toolFixture('floods').href);
  const tool = Object.values(module).find((each) => isTool(each) && each.name === name);
  if (!isTool(tool)) throw new Error(`there is no tool ${name}`);
  return tool;
}

it('tells of a thread tool the newest progress, in order, and the last before its result (V8)', async () => {
  const { supervisor, watch } = supervise(calls(['progresses', { times: 100_000 }]), floods);

  const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the outcome');

  const reports = watch.of('tool_progress');
  const fractions = reports.map(({ fraction }) => fraction);
  expect(outcome.exitReason).toBe('goal');
  expect(reports.length).toBeLessThan(10_000);
  expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
  expect([fractions[0], reports.at(-1)]).toMatchObject([0, { fraction: 1, note: '100000' }]);
  expect(reports.at(-1)?.seq).toBeLessThan(watch.of('tool_completed')[0]?.seq ?? 0);
});

it('tells of a host tool the same on the supervisor’s clock (V8)', async () => {
  const { supervisor, watch } = superviseInManualTime(calls(['progresses', { times: 100_000 }]), {
    tools: [await onHost('progresses')],
  });

  await within(supervisor.delegate({ goal: 'g' }), 'the outcome');

  expect(watch.of('tool_progress').map(({ fraction }) => fraction)).toEqual([0, 1]);
  expect(watch.of('task_progress')).toHaveLength(2);
});

it.each([
  ['a thread', async () => toolFixture('floods')],
  ['the host', () => onHost('delegates')],
])(
  'refuses an agent more than 1,024 children that have not ended, from %s (V7)',
  async (_, tool) => {
    const tools = [await tool()];
    const { supervisor, model } = supervise(
      {
        agents: {
          parent: calls(['delegates', { times: 1_025 }]).default ?? [],
          // None ends before the last is handed over, however the two keep pace.
          child: [{ hang: true, repeat: true }],
        },
      },
      {
        tools,
        agents: [{ name: 'parent' }, { name: 'child', tools: [] }],
        limits: { maxLiveAgents: 2, maxConcurrentChildren: 100_000 },
      },
    );

    const outcome = await within(
      supervisor.delegate({ goal: 'g', agent: 'parent' }),
      'the outcome',
    );

    expect(outcome.exitReason).toBe('goal');
    expect(describeState(model)).toEqual([
      expect.stringContaining(' has 1024 tasks that have not ended, and may have 1024'),
    ]);
  },
);

it.each([
  ['a thread', async () => toolFixture('floods')],
  ['the host', () => onHost('listens')],
])(
  'adds one listener to the signal of a call for all it delegates, from %s (V7)',
  async (_, tool) => {
    const { supervisor, model } = supervise(
      {
        agents: {
          parent: calls(['listens', { times: 1 }], ['listens', { times: 50 }]).default ?? [],
          child: [{ text: 'done', repeat: true }],
        },
      },
      {
        tools: [await tool()],
        agents: [{ name: 'parent' }, { name: 'child', tools: [] }],
        limits: { maxLiveAgents: 2 },
      },
    );

    await within(supervisor.delegate({ goal: 'g', agent: 'parent' }), 'the outcome');

    const [one, many] = describeState(model);
    expect(one).toMatch(/ for 1$/);
    expect(many).toBe(one?.replace(/1$/, '50'));
  },
);

it.each([
  [
    'calls of a toolbox',
    async (supervisor: Supervisor) => {
      const tools = supervisor.session('chat').tools(taskTool());
      return (at: number, signal: AbortSignal) =>
        tools.call('task', { prompt: `${at}` }, { signal });
    },
  ],
  [
    'asks of an agent',
    async (supervisor: Supervisor) => {
      const agent = await within(supervisor.spawn({ name: 'asked' }), 'the agent');
      return (at: number, signal: AbortSignal) => agent.ask(`${at}`, { signal, timeoutMs: 20_000 });
    },
  ],
])('adds one listener to a signal of the program for all its %s (S5)', async (_, prepare) => {
  const done = [{ text: 'done', repeat: true }] as const;
  const limits = { maxLiveAgents: 2 };
  const { supervisor } = supervise({ default: done, agents: { task: done } }, { limits });
  const start = await prepare(supervisor);
  const { signal } = new AbortController();
  const listeners = (): number => getEventListeners(signal, 'abort').length;

  const started = Array.from({ length: 30 }, (_, at) => start(at, signal));
  expect(listeners()).toBe(1);
  await within(Promise.all<unknown>(started), 'the answers');

  expect(listeners()).toBe(0);
});

it('takes a bounded part of what a thread sends in each turn of its own loop (M5)', async () => {
  const { supervisor } = supervise(
    {
      agents: {
        parent: calls(['delegates', { times: 300 }]).default ?? [],
        child: [{ text: 'done', repeat: true }],
      },
    },
    { ...floods, agents: [{ name: 'parent' }, { name: 'child', tools: [] }] },
  );
  let inTurn = 0;
  let max = 0;
  let turn = setImmediate(function next() {
    inTurn = 0;
    turn = setImmediate(next);
  });
  supervisor.on('task_queued', () => {
    inTurn += 1;
    max = Math.max(max, inTurn);
    // A host that is slower than its thread: without a bound, what waits to be read grows with every turn.
    for (let at = 0; at < 100; at += 1) structuredClone({ at });
  });

  await within(supervisor.delegate({ goal: 'g', agent: 'parent' }), 'the outcome');
  clearImmediate(turn);

  expect(max).toBeGreaterThan(0);
  expect(max).toBeLessThan(150);
});

it('ends a thread that sends past the bound, and says why (M5, V1)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-floods-'));
  const file = join(folder, 'sent');
  const sends = calls(['sends', { times: 5_000, file }]).default ?? [];
  const { supervisor, watch } = supervise(
    { agents: { parent: sends, other: [{ text: 'b' }] } },
    { ...floods, agents: [{ name: 'parent' }, { name: 'other' }] },
  );
  // A host that is quick enough would read some of it between two posts: it is held until all lies there.
  supervisor.on('tool_started', () => {
    const until = performance.now() + patienceMs;
    while (!existsSync(file)) {
      if (performance.now() > until) throw new Error('the tool did not send in time');
    }
    rmSync(folder, { recursive: true });
  });

  const outcome = await within(supervisor.delegate({ goal: 'g', agent: 'parent' }), 'the outcome');

  expect(outcome).toMatchObject({ exitReason: 'crashed', error: { code: 'protocol_violation' } });
  expect(outcome.error?.message).toMatch(/sent \d+ messages and calls at once, and may send 512$/);
  await watch.next('thread_lost');
  const next = await within(supervisor.delegate({ goal: 'g', agent: 'other' }), 'the next outcome');
  expect(next.text).toBe('b');
});

it('reads nothing of what a tool posts to the host of its thread (V1)', async () => {
  const emit = vi.spyOn(Worker.prototype, 'emit');
  const { supervisor } = supervise(calls(['posts', { times: 1_000 }]), floods);

  const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the outcome');
  // The thread is gone then, and what it had posted was read before that.
  await within(supervisor.close(), 'the end of the threads');

  const read = emit.mock.calls.filter(([event]) => String(event) === 'message');
  emit.mockRestore();
  expect(outcome.exitReason).toBe('goal');
  expect(read.filter(([, message]) => Object.hasOwn(Object(message), 'flood'))).toEqual([]);
});

it.each([
  ['a thread', async () => toolFixture('floods')],
  ['the host', () => onHost('touches')],
])(
  'lists 10,000 touched files of a run, and says that there are more, from %s (V7)',
  async (_, tool) => {
    const { supervisor, watch } = supervise(calls(['touches', { times: 10_050 }]), {
      tools: [await tool()],
    });

    const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the outcome');

    expect(outcome.filesTouched).toEqual(Array.from({ length: 10_000 }, (_, at) => `${at}`));
    expect(watch.of('log')).toMatchObject([
      { level: 'warn', message: expect.stringContaining(' touched more than 10000 files') },
    ]);
  },
);

it.each([
  ['a thread', async () => toolFixture('floods')],
  ['the host', () => onHost('touches_long')],
])('refuses the path of a touched file beyond 4,096 characters, from %s (V7)', async (_, tool) => {
  const { supervisor, model } = supervise(
    calls(['touches_long', { times: 4_096 }], ['touches_long', { times: 4_097 }]),
    { tools: [await tool()] },
  );

  const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the outcome');

  expect(outcome.filesTouched).toEqual(['x'.repeat(4_096)]);
  expect(describeState(model)).toEqual([
    'touched',
    expect.stringContaining('must be a path of at most 4096 characters, got '),
  ]);
});
