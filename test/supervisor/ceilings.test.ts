// Checks that what the program set on its supervisor is a ceiling for what tools and models ask: the smaller wins (X8 to X10, V7).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentTools, taskTool } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { type AgentDefinition, defineTool, type Subtask, type Supervisor } from '#src/index.js';
import { ManualClock } from '#src/testing.js';
import { directing, type Parts } from '../support/directed.ts';
import { within } from './support.ts';

const hands = (subtask: Omit<Subtask, 'goal'>) =>
  defineTool({
    name: 'hand',
    description: 'Hands a task over.',
    input: z.object({}),
    run: async (_input, tool) => {
      const [outcome] = await tool.delegate([{ goal: 'part', ...subtask }]);
      return outcome?.exitReason;
    },
  });
const many = { name: 'many', maxTurns: 50, idleTimeoutMs: 900_000, totalTimeoutMs: 900_000 };
const asksAgent = { description: 'part', prompt: 'part', subagent_type: 'many' };

const dialects = [
  ['delegate_task by default', delegateTaskTool(), { goal: 'part' }],
  ['delegate_task asked for more', delegateTaskTool(), { goal: 'part', max_iterations: 40 }],
  [
    'delegate_task that may raise',
    delegateTaskTool({ mayRaiseIterations: true, maxIterations: 9, childTimeoutMs: 900_000 }),
    { goal: 'part', max_iterations: 40 },
  ],
  ['task', taskTool({ maxTurns: 40 }), { prompt: 'part' }],
  ['Agent', agentTools({ agents: [many] })[0], asksAgent],
  ['a task of a tool', hands({ maxTurns: 40 }), {}],
  ['a definition of a tool', hands({ agent: many }), {}],
] as const;

const endless = [{ calls: [['nope', {}]] as const }];

describe.each(dialects)('%s', (_name, tool, input) => {
  if (tool === undefined) throw new Error('there is no such tool');

  it('makes as many turns as the supervisor allows (X8, X9)', async () => {
    const parts: Parts = {
      plan: [{ calls: [[tool.name, input]] }, { text: 'done' }],
      part: endless,
    };
    const { supervisor, model } = directing(parts, { tools: [tool], budget: { maxTurns: 3 } });

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(model.requests('part')).toHaveLength(3);
  });

  it('lives as long as the supervisor allows (X10)', async () => {
    const clock = new ManualClock();
    const parts: Parts = {
      plan: [{ calls: [[tool.name, input]] }, { text: 'done' }],
      part: [{ hang: true }],
    };
    const { supervisor, watch } = directing(parts, {
      tools: [tool],
      clock,
      logDirectory: false,
      timeouts: { idleTimeoutMs: 10_000 },
    });
    const handle = supervisor.start({ goal: 'plan', idleTimeoutMs: 60_000 });
    await watch.next('turn_started', ({ depth }) => depth === 1);

    await clock.advance(10_000);
    const fired = await watch.next('timeout_fired');

    expect(fired).toMatchObject({ depth: 1, limitMs: 10_000 });
    expect((await within(handle.result(), 'the outcome')).status).toBe('completed');
  });
});

describe.each([
  ['delegate_task', delegateTaskTool(), { goal: 'part', max_iterations: 40 }],
  ['task', taskTool({ maxTurns: 40 }), { prompt: 'part' }],
  ['Agent', agentTools({ agents: [many] }), asksAgent],
])('the tool %s in a loop of the program', (name, tools, input) => {
  it('makes as many turns as the supervisor allows (X8, X9)', async () => {
    const { supervisor, model } = directing({ part: endless }, { budget: { maxTurns: 3 } });
    const toolbox = supervisor.session('chat').tools(tools);

    await within(toolbox.call(name, input), 'the result');

    expect(model.requests('part')).toHaveLength(3);
  });
});

describe('what the program says itself', () => {
  const turnsOf = async (
    start: (supervisor: Supervisor) => Promise<unknown>,
    more: { agents?: readonly AgentDefinition[]; tools?: never[] } = {},
  ): Promise<number> => {
    const parts: Parts = {
      plan: [{ calls: [['hand', {}]] }, { text: 'done' }],
      part: endless,
    };
    const { supervisor, model } = directing(parts, { budget: { maxTurns: 3 }, ...more });
    await within(start(supervisor), 'the outcome');
    return model.requests('part').length;
  };

  it('holds in its own task, and in the agent it registered, but for what a tool asks of that (X8)', async () => {
    const agents = [{ name: 'long', maxTurns: 7 }];
    const hand = (subtask: Omit<Subtask, 'goal'>) => [hands(subtask) as never];

    expect(await turnsOf((it) => it.delegate({ goal: 'part', maxTurns: 6 }))).toBe(6);
    expect(await turnsOf((it) => it.delegate({ goal: 'part', agent: 'long' }), { agents })).toBe(7);
    const delegatePlan = (it: Supervisor) => it.delegate({ goal: 'plan' });
    expect(await turnsOf(delegatePlan, { agents, tools: hand({ agent: 'long' }) })).toBe(7);
    expect(
      await turnsOf(delegatePlan, { agents, tools: hand({ agent: 'long', maxTurns: 40 }) }),
    ).toBe(7);
    expect(
      await turnsOf(delegatePlan, { agents, tools: hand({ agent: 'long', maxTurns: 2 }) }),
    ).toBe(2);
  });
});
