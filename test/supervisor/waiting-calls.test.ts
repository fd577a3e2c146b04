// Checks that the limit of tool calls is no deadline of a call that only waits, and that such a call may have its own
// (V8, decision 3).
import { describe, expect, it } from 'vitest';
import { makeSubagentTool } from '#src/dialects/agent-family/subagent/subagent-tool.js';
import { agentTools, taskTool } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { subagentManager } from '#src/dialects/subagent-manager/index.js';
import type { SupervisorOptions } from '#src/index.js';
import type { ManualClock, Script, ScriptedModel, ScriptStep } from '#src/testing.js';
import { scout, spec } from '../dialects/agent-family/subagent-support.ts';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { dialectTools } from '../support/dialect-tools.ts';
import { delegate, named } from './family.ts';
import {
  answered,
  inShort,
  superviseInManualTime,
  toolFixture,
  turns,
  type Watch,
  within,
} from './support.ts';

/** A child's model is being asked: the time it takes for that counts from now on. */
async function childAsked(model: ScriptedModel, watch: Watch): Promise<void> {
  const parentId = (): string | undefined =>
    watch.of('agent_started').find(({ name }) => name === 'parent')?.agentId;
  await watch.next('turn_started', ({ agentId }) => agentId !== parentId());
  for (let turn = 0; turn < 1_000_000; turn += 1) {
    if (model.requests().some(({ agent }) => agent.name !== 'parent')) return turns();
    await turns(1);
  }
  throw new Error('the model of no child was asked');
}

/** It has begun to answer: what a model streams is told 50 ms later. */
async function childText(model: ScriptedModel, watch: Watch, clock: ManualClock): Promise<void> {
  await childAsked(model, watch);
  await clock.advance(100);
  await watch.next('model_delta', ({ text }) => text === 'so far');
}

const aMinute: readonly ScriptStep[] = [{ delayMs: 60_000, text: 'found it' }];
const hangs: readonly ScriptStep[] = [{ chunks: ['so far'], hang: true }];

function script(child: readonly ScriptStep[], ...calls: readonly (readonly [string, object])[]) {
  const parent = calls.map(([name, input]) => ({ toolCalls: [{ name, input }] }));
  const children = Object.fromEntries(
    ['slow', 'subagent', 'task', 'a'].map((each) => [each, child]),
  );
  return { agents: { parent: [...parent, { text: 'done' }], ...children } } satisfies Script;
}

const family = (timeoutMs?: number) =>
  makeSubagentTool(scout(), spec('a'), {
    host: { name: 'parent', contextOf: () => emptyContext, keepContext: () => {} },
    permissions: { supervisorName: 'parent', logger: { warn: () => {} } },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }).tool;
const emptyContext = { conversation: [], recentToolResults: [], longTermRefs: [] };

const agentInput = { description: 'a', prompt: 'b', subagent_type: 'slow' };
const goals = { tasks: [{ goal: 'a' }] };

const arrange = (
  child: readonly ScriptStep[],
  calls: readonly (readonly [string, object])[],
  ownTools: SupervisorOptions['tools'],
  options: Partial<SupervisorOptions> = {},
) =>
  superviseInManualTime(script(child, ...calls), {
    tools: [toolFixture('family')],
    agents: [{ name: 'parent', ownTools: ownTools as never }, ...named('slow')],
    workspace: temporaryFolder(),
    ...options,
  });

describe('the time of a call that waits', () => {
  const limited = { timeouts: { toolTimeoutMs: 1_000 } };

  it.each([
    ['delegate', { agents: ['slow'] }, [delegate], 16],
    ['delegate', { agents: ['slow'] }, [delegate], 1],
    ['delegate_task', goals, [delegateTaskTool({ toolsets: [] })], 16],
    ['Agent', agentInput, agentTools(), 16],
    ['task', { prompt: 'b' }, [taskTool()], 16],
    ['invoke_a', { query: 'b' }, [family()], 16],
    ['hand_over', { agent: 'slow' }, [], 16],
  ])(
    'of %s is not cut by the limit of tools (V8)',
    async (name, input, ownTools, maxLiveAgents) => {
      const { supervisor, watch, clock, model } = arrange(aMinute, [[name, input]], ownTools, {
        ...limited,
        limits: { maxLiveAgents },
      });
      const handle = supervisor.start({ goal: 'a', agent: 'parent' });
      await childAsked(model, watch);

      await clock.advance(60_000);
      const outcome = await within(handle.result(), 'the outcome');

      expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
      expect(answered(model)).toEqual([[expect.stringContaining('found it'), false]]);
      expect(watch.of('timeout_fired')).toEqual([]);
    },
  );

  it.each([
    ['delegate_task', goals, [delegateTaskTool({ toolsets: [] })]],
    ['Agent', agentInput, agentTools()],
    ['task', { prompt: 'b' }, [taskTool()]],
    ['invoke_a', { query: 'b' }, [family()]],
  ])('of %s is not cut by it ahead of its wait either (V8)', async (name, input, ownTools) => {
    const child: readonly ScriptStep[] = [{ text: 'found it' }];
    const { supervisor, watch, clock, model } = arrange(child, [[name, input]], ownTools, limited);
    // What stands between the start of a call and its wait takes longer than a tool may: here a hook, else a busy host.
    const hooks = { beforeTool: () => clock.advance(2_000).then(() => null) };

    const outcome = await within(
      supervisor.delegate({ goal: 'a', agent: 'parent', hooks }),
      'the outcome',
    );

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(answered(model)).toEqual([[expect.stringContaining('found it'), false]]);
    expect(watch.of('timeout_fired')).toEqual([]);
  });

  it('of a wait for a background task is not cut by it (V8)', async () => {
    const { supervisor, watch, clock, model } = arrange(
      aMinute,
      [
        ['Agent', { ...agentInput, run_in_background: true }],
        ['TaskOutput', { task_id: 't2', timeout: 120_000 }],
      ],
      agentTools(),
      limited,
    );
    const handle = supervisor.start({ goal: 'a', agent: 'parent' });
    await childAsked(model, watch);
    await watch.next('tool_started', ({ name }) => name === 'TaskOutput');
    await turns();

    await clock.advance(60_000);
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(answered(model)).toEqual([['found it', false]]);
    expect(watch.of('timeout_fired')).toEqual([]);
  });

  it.each([
    ['a handoff', [['transfer_to_subagent', { name: 'slow', input: 'b' }]]],
    [
      'wait_for_subagent',
      [
        ['transfer_to_subagent', { name: 'slow', input: 'b', background_task: true }],
        ['wait_for_subagent', { subagent_name: 'slow', timeout: 120 }],
      ],
    ],
  ] as const)('of %s is not cut by it (V8, A48)', async (_what, calls) => {
    const { supervisor, watch, clock, model } = arrange(aMinute, calls, [], limited);
    const subagents = subagentManager(supervisor.session('chat'));
    subagents.configure({ enabled: true, dynamicEnabled: true });
    await subagents.create({ name: 'slow' });
    const main = { name: 'parent', ...subagents.mainAgent() };
    const hooks = { beforeTool: () => clock.advance(2_000).then(() => null) };
    const handle = supervisor.start({ goal: 'a', agent: main, hooks });
    await childAsked(model, watch);
    await watch.next('tool_started', ({ name }) => name === calls.at(-1)?.[0]);
    await turns();

    await clock.advance(60_000);
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(answered(model)).toEqual([[expect.stringContaining('found it'), false]]);
  });

  it.each([
    ['delegate_task', goals, [delegateTaskTool({ toolsets: [], timeoutMs: 500 })]],
    ['Agent', agentInput, agentTools({ timeoutMs: 500 })],
    ['task', { prompt: 'b' }, [taskTool({ timeoutMs: 500 })]],
    ['invoke_a', { query: 'b' }, [family(500)]],
  ])(
    'of %s has a limit of its own, and its answer has what there was (V8, S9)',
    async (name, input, ownTools) => {
      const { supervisor, watch, clock, model } = arrange(hangs, [[name, input]], ownTools);
      const handle = supervisor.start({ goal: 'a', agent: 'parent' });
      await childText(model, watch, clock);

      await clock.advance(400);
      const outcome = await within(handle.result(), 'the outcome');

      expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
      expect(answered(model)).toEqual([[expect.stringContaining('so far'), expect.anything()]]);
      expect(watch.of('timeout_fired')).toMatchObject([{ clock: 'tool', limitMs: 500 }]);
    },
  );

  it.each([
    ['delegate-task', 'delegate_task', goals],
    ['agent', 'Agent', agentInput],
    ['task', 'task', { prompt: 'b' }],
  ] as const)(
    'of the dialect %s has one in a loop of the program too (V8, S9)',
    async (dialect, name, input) => {
      const { supervisor, model, watch, clock } = arrange(hangs, [], []);
      const tools = supervisor.session('chat').tools(dialectTools(dialect, { timeoutMs: 500 }));
      const called = tools.call(name, input);
      await childText(model, watch, clock);

      await clock.advance(400);
      const { content } = await within(called, 'the answer');

      expect(content).toContain('so far');
      expect(supervisor.tree()).toEqual([]);
    },
  );

  it('refuses a limit that no timer takes (V8)', () => {
    expect(() => taskTool({ timeoutMs: 0 })).toThrow(/taskTool: timeoutMs is 0/);
    expect(() => agentTools({ timeoutMs: -1 })).toThrow(/agentTools: timeoutMs is -1/);
    expect(() => delegateTaskTool({ timeoutMs: Number.NaN })).toThrow(/timeoutMs is NaN/);
  });
});
