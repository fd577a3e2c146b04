// Checks that an ended call answers with what its children came to: in the history of their parent, and to a loop (S9).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pairingFault } from '#src/agent/history-repair.js';
import { agentTools, taskTool } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { subagentManager, subagentTools } from '#src/dialects/subagent-manager/index.js';
import {
  defineTool,
  type Model,
  type SessionTools,
  type Supervisor,
  type SupervisorOptions,
} from '#src/index.js';
import type { Script, ScriptStep } from '#src/testing.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { dialectTools } from '../support/dialect-tools.ts';
import { named, untilCalled } from './family.ts';
import {
  supervise,
  superviseInManualTime,
  toolFixture,
  turns,
  type Watch,
  within,
} from './support.ts';

/** Delegates to agents by name and answers with how each ended. */
const gather = defineTool({
  name: 'gather',
  description: 'Hands tasks to other agents.',
  input: z.object({ agents: z.array(z.string()) }),
  async run({ agents }, tool) {
    const outcomes = await tool.delegate(agents.map((agent) => ({ goal: 'Do it.', agent })));
    return outcomes.map(({ status, text }) => `${status}: ${text}`).join('; ');
  },
});

const hangs: ScriptStep = { chunks: ['so far'], hang: true };
const calling = (name: string, input: unknown, more: readonly ScriptStep[] = []): Script => ({
  agents: {
    parent: [{ text: 'calling', toolCalls: [{ name, input }] }, ...more],
    quick: [{ text: 'found it' }],
    hang: [hangs],
    deaf: [{ text: 'before', toolCalls: [{ name: 'ignore', input: {} }] }],
    subagent: [hangs],
    task: [hangs],
  },
});

/** What the calls of an ended run were answered with, as its history has it. */
function answersIn(supervisor: Supervisor, taskId: string): readonly string[] {
  const messages = supervisor.transcript(taskId);
  expect(pairingFault(messages)).toBeNull();
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [String(block.content)] : [])),
  );
}

const hasTextSoFar = (watch: Watch) => watch.next('model_delta', ({ text }) => text === 'so far');

describe('the call of an interrupted parent', () => {
  const interrupted = async (
    agents: readonly string[],
    options: Partial<SupervisorOptions> = {},
    tools: SupervisorOptions['tools'] = [gather],
  ) => {
    const started = supervise(calling('gather', { agents }), {
      tools: [...tools, toolFixture('stubborn')],
      agents: named('parent', 'quick', 'hang', 'deaf'),
      ...options,
    });
    const { supervisor, watch } = started;
    const handle = supervisor.start({ goal: 'a', agent: 'parent' });
    return { ...started, supervisor, watch, handle };
  };

  it.each([
    ['many are live', 16],
    ['one is', 1],
  ])(
    'has what finished whole and the others as far as they came, where %s (S5, S9)',
    async (_where, slots) => {
      const { supervisor, watch, handle } = await interrupted(['quick', 'hang'], {
        limits: { maxLiveAgents: slots },
      });
      await watch.next('task_completed');
      await hasTextSoFar(watch);

      await within(handle.interrupt(), 'the receipts');
      const outcome = await within(handle.result(), 'the outcome');

      expect(outcome.status).toBe('interrupted');
      expect(answersIn(supervisor, handle.id)).toEqual([
        'completed: found it; interrupted: so far',
      ]);
      expect(outcome.partial?.toolTrace).toMatchObject([{ name: 'gather', status: 'completed' }]);
    },
  );

  it('has it when a child ends with its thread, and the parent in the same moment (S7, S9)', async () => {
    const { supervisor, watch, handle } = await interrupted(['quick', 'deaf'], {
      timeouts: { interruptGraceMs: 50, stopGraceMs: 50 },
    });
    await watch.next('task_completed');
    await watch.next('tool_started', ({ name }) => name === 'ignore');

    const receipts = await within(handle.interrupt(), 'the receipts');

    expect(answersIn(supervisor, handle.id)).toEqual(['completed: found it; interrupted: before']);
    expect(receipts.map(({ partial }) => partial !== null)).toEqual([true, true]);
    expect(supervisor.tree()).toEqual([]);
  });

  it('has it when an agent that stays is killed (S6, S9)', async () => {
    const { supervisor, watch } = supervise(calling('gather', { agents: ['hang'] }), {
      tools: [gather],
      agents: named('parent', 'hang'),
    });
    const agent = await supervisor.spawn('parent', { name: 'stays' });
    const asked = agent.ask('begin', { timeoutMs: 60_000 }).catch(() => null);
    await hasTextSoFar(watch);

    await within(agent.kill(), 'the receipts');
    await asked;

    expect(JSON.stringify(agent.history())).toMatch(/"(interrupted|killed): so far"/);
  });

  it('has it when the tool runs in the thread (S9)', async () => {
    const { supervisor, watch, handle } = await interrupted(['quick', 'hang'], {}, [
      toolFixture('family'),
    ]);
    await watch.next('task_completed');
    await hasTextSoFar(watch);

    await within(handle.interrupt(), 'the receipts');

    expect(answersIn(supervisor, handle.id)).toEqual(['completed: found it; interrupted: so far']);
  });

  it.each(['when-needed', 'always'] as const)(
    'has it when a clock ends the run, with parking %s (S9, V8)',
    async (parking) => {
      const { supervisor, watch, clock, model } = superviseInManualTime(
        calling('gather', { agents: ['quick', 'hang'] }),
        {
          tools: [gather],
          agents: named('parent', 'quick', 'hang'),
          timeouts: { totalTimeoutMs: 60_000 },
          threads: { parking },
        },
      );
      const handle = supervisor.start({ goal: 'a', agent: 'parent' });
      await watch.next('task_completed');
      while (!model.requests().some(({ agent }) => agent.name === 'hang')) await turns(1);

      await clock.advance(60_000);
      const outcome = await within(handle.result(), 'the outcome');

      expect(outcome.exitReason).toBe('total_timeout');
      expect(answersIn(supervisor, handle.id)[0]).toMatch(/^completed: found it; \w+: so far$/);
    },
  );

  it.each([
    [
      'delegate_task',
      { tasks: [{ goal: 'a' }] },
      delegateTaskTool(),
      /"status":"interrupted".*so far/,
    ],
    ['Agent', { description: 'a', prompt: 'b', subagent_type: 'hang' }, agentTools()[0], /so far$/],
    ['task', { prompt: 'b' }, taskTool(), /so far$/],
  ])('of %s tells what there was (S9, C33, D54)', async (name, input, tool, expected) => {
    const { supervisor, watch } = supervise(calling(name, input), {
      agents: [{ name: 'parent', ownTools: tool === undefined ? [] : [tool] }, ...named('hang')],
    });
    const handle = supervisor.start({ goal: 'a', agent: 'parent' });
    await hasTextSoFar(watch);

    await within(handle.interrupt(), 'the receipts');

    expect(answersIn(supervisor, handle.id)).toEqual([expect.stringMatching(expected)]);
  });

  it('of a wait for a task in the background has its end: it ends with the run (S9, X5)', async () => {
    const begin = { description: 'a', prompt: 'b', subagent_type: 'hang', run_in_background: true };
    const { tools: ownTools, called } = untilCalled(agentTools(), 'TaskOutput');
    const { supervisor, watch } = supervise(
      calling('Agent', begin, [{ toolCalls: [{ name: 'TaskOutput', input: { task_id: 't2' } }] }]),
      { agents: [{ name: 'parent', ownTools }, ...named('hang')] },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'parent' });
    await hasTextSoFar(watch);
    // A call that has started may not have come to its tool yet.
    await within(called, 'the call of TaskOutput');
    await turns();

    await within(handle.interrupt(), 'the receipts');

    expect(answersIn(supervisor, handle.id)[1]).toMatch(
      /did not finish: .*\nWhat it had so far:\nso far$/,
    );
  });
});

/** Answers the task `alpha`; every other one it begins to answer. */
const oneAnswersOneHangs: Model = {
  id: 'in-two',
  async respond({ messages }, call) {
    if (!JSON.stringify(messages).includes('alpha')) {
      call.onDelta({ type: 'text', text: 'so far' });
      const { signal } = call;
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    }
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const content = [{ type: 'text' as const, text: 'found it' }];
    return { content, stopReason: 'end_turn', usage, isEstimated: false, model: 'in-two' };
  },
};

describe('an aborted call of a loop', () => {
  const aborted = async (
    given: SessionTools,
    name: string,
    input: unknown,
    options: Partial<SupervisorOptions> = {},
  ) => {
    const started = supervise(calling('', {}), { agents: named('quick', 'hang'), ...options });
    const { supervisor, watch } = started;
    const tools = supervisor.session('chat').tools(given);
    const abort = new AbortController();
    const called = tools.call(name, input, { signal: abort.signal });
    await hasTextSoFar(watch);
    return { ...started, abort, called, tools };
  };

  it('answers with all its children, once the last of them has ended (S9, C9, C33)', async () => {
    const { supervisor, watch, abort, called } = await aborted(
      delegateTaskTool({ toolsets: [] }),
      'delegate_task',
      { tasks: [{ goal: 'alpha' }, { goal: 'beta' }] },
      { model: oneAnswersOneHangs },
    );
    await watch.next('task_completed');

    abort.abort();
    const { content } = await within(called, 'the answer');

    expect(supervisor.tree()).toEqual([]);
    expect(JSON.parse(String(content)).results).toMatchObject([
      { status: 'completed', summary: 'found it' },
      { status: 'interrupted', summary: '', partial: { text: 'so far' } },
    ]);
  });

  it.each([
    ['agent', 'Agent', { description: 'a', prompt: 'b', subagent_type: 'hang' }],
    ['task', 'task', { prompt: 'b' }],
  ] as const)(
    'of the dialect %s answers with what there was (S9)',
    async (dialect, name, input) => {
      const { supervisor, abort, called } = await aborted(dialectTools(dialect), name, input);

      abort.abort();
      const result = await within(called, 'the answer');

      expect(supervisor.tree()).toEqual([]);
      expect(result).toMatchObject({ isError: true, content: expect.stringMatching(/so far$/) });
    },
  );

  it('of a handoff answers with what there was (S9, A34)', async () => {
    const { supervisor, watch } = supervise(
      { agents: { scout: [hangs] } },
      { workspace: temporaryFolder() },
    );
    const session = supervisor.session('chat');
    const tools = session.tools(
      subagentTools(session, { config: { enabled: true, dynamicEnabled: true } }),
    );
    await subagentManager(session).create({ name: 'scout' });
    const abort = new AbortController();
    const called = tools.call('transfer_to_scout', { input: 'a' }, { signal: abort.signal });
    await hasTextSoFar(watch);

    abort.abort();
    const result = await within(called, 'the answer');

    expect(supervisor.tree()).toEqual([]);
    expect(result).toMatchObject({ isError: true, content: expect.stringMatching(/so far$/) });
    expect(subagentManager(session).status('scout')).toBe('FAILED');
  });
});
