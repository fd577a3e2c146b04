// Checks what users say of rights and questions: children hold too much or too little, approvals and questions get lost below.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  askParentTool,
  defineTool,
  type Question,
} from '#src/index.js';
import { delegate, handsTo, named } from '../supervisor/family.ts';
import {
  gate,
  inShort,
  supervise,
  superviseInManualTime,
  toolFixture,
  within,
} from '../supervisor/support.ts';
import { directing, resultsIn, toolsOf } from '../support/directed.ts';

let writes = 0;
const write = defineTool({
  name: 'write_file',
  description: 'Writes.',
  input: z.object({}),
  tags: ['file', 'write'],
  run: () => {
    writes += 1;
    return 'written';
  },
});
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  tags: ['file', 'read'],
  run: () => 'seen',
});

const steps = (...names: readonly string[]) =>
  names.map((name) => ({ text: 'trying', toolCalls: [{ name, input: {} }] }));

describe('F18', () => {
  it('what a parent may not do, no agent below it may, though it declares it and calls it all the same (F18)', async () => {
    writes = 0;
    const { supervisor, model, watch } = supervise(
      {
        agents: {
          reader: [handsTo('writer'), { text: 'done' }],
          writer: [...steps('write_file', 'look'), handsTo('deep'), { text: 'writer done' }],
          deep: [...steps('write_file'), { text: 'deep done' }],
        },
      },
      {
        tools: [delegate, write, look],
        agents: [
          { name: 'reader', disallowedTools: ['tag:write'] },
          { name: 'writer', tools: ['delegate', 'write_file', 'look'] },
          { name: 'deep', tools: ['write_file', 'look'] },
        ],
        limits: { maxSpawnDepth: 2 },
      },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'reader' }), 'it');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(writes).toBe(0);
    const offered = (name: string) =>
      model
        .requests()
        .find(({ agent }) => agent.name === name)
        ?.tools.map((tool) => tool.name);
    expect([offered('writer'), offered('deep')]).toEqual([['delegate', 'look'], ['look']]);
    const ends = watch.of('tool_completed').map(({ name, depth, failure }) => {
      return [depth, name, failure?.code];
    });
    expect(ends.filter(([, name]) => name === 'write_file')).toEqual([
      [1, 'write_file', 'tool_denied'],
      [2, 'write_file', 'tool_denied'],
    ]);
    expect(ends).toContainEqual([1, 'look', undefined]);
  });

  it('a child keeps what its parent has and may, and no more than it declares (F18)', async () => {
    const { supervisor, model } = directing(
      {
        plan: [{ calls: [['delegate', { agents: ['heir', 'modest'] }]] }, { text: 'done' }],
      },
      {
        tools: [delegate, write, look, toolFixture('plain')],
        agents: [{ name: 'heir' }, { name: 'modest', tools: ['look'] }],
      },
    );

    await within(
      supervisor.delegate({ goal: 'plan', tools: ['delegate', 'write_file', 'look', 'echo'] }),
      'the outcome',
    );

    // The module has more tools than `echo`: what the parent did not name, its heir does not have.
    expect(toolsOf(model, 'Do part 0.')).toEqual(['delegate', 'write_file', 'look', 'echo']);
    expect(toolsOf(model, 'Do part 1.')).toEqual(['look']);
  });

  it('a model that delegates cannot grant its child a group of tools that it lacks itself (F18)', async () => {
    const { supervisor, model } = directing(
      {
        plan: [
          { calls: [['delegate_task', { goal: 'part', toolsets: ['terminal', 'file'] }]] },
          { text: 'done' },
        ],
      },
      { tools: [delegateTaskTool()] },
    );

    await within(supervisor.delegate({ goal: 'plan', toolsets: ['file'] }), 'the outcome');

    expect(toolsOf(model, 'part')).toEqual([
      'list',
      'glob',
      'read',
      'grep',
      'edit',
      'apply_patch',
      'write',
    ]);
  });
});

describe('F19', () => {
  const deploy = defineTool({
    name: 'deploy',
    description: 'Needs a word.',
    input: z.object({ to: z.string() }),
    needsApproval: true,
    run: ({ to }) => `deployed to ${to}`,
  });
  const chain = {
    agents: {
      top: [handsTo('middle'), { text: 'top done' }],
      middle: [handsTo('bottom', 'other'), { text: 'middle done' }],
      bottom: [
        { toolCalls: [{ name: 'deploy', input: { to: 'production' } }] },
        { text: 'bottom done' },
      ],
      other: [{ text: 'other done' }],
    },
  };

  it.each([
    ['approve', 'deployed to production', false],
    [{ deny: 'not today' }, /not today/, true],
  ] as const)(
    'an approval two levels down is asked at the root with its path, and answered a day later: %j (F19)',
    async (answer, expected, isError) => {
      const asked: ApprovalRequest[] = [];
      const answered = gate<ApprovalAnswer>();
      const { supervisor, watch, clock, model } = superviseInManualTime(chain, {
        tools: [delegate, deploy],
        agents: named('top', 'middle', 'bottom', 'other'),
        limits: { maxSpawnDepth: 2 },
        approve: (request) => {
          asked.push(request);
          return answered.opened;
        },
        timeouts: { approvalTimeoutMs: 7 * 86_400_000 },
      });
      const handle = supervisor.start({ goal: 'a', agent: 'top', name: 'root' });
      const event = await watch.next('approval_requested');
      await watch.next('task_completed', ({ outcome }) => outcome.text === 'other done');
      await clock.advance(86_400_000);

      answered.open(answer);
      const outcome = await within(handle.result(), 'the outcome');

      expect(inShort(outcome)).toEqual(['goal', undefined, 'top done']);
      expect(asked).toHaveLength(1);
      expect(asked[0]).toMatchObject({ tool: 'deploy', input: { to: 'production' } });
      expect(asked[0]?.agent.path).toMatch(/^\/root\/[^/]+\/[^/]+$/);
      expect(event).toMatchObject({ name: 'deploy', depth: 2, path: asked[0]?.agent.path });
      const last = model.requests().filter(({ agent }) => agent.name === 'bottom');
      const [result] = resultsIn(last[1]);
      expect(result?.[0]).toMatch(expected);
      expect(result?.[1]).toBe(isError);
    },
  );

  it('an approval that no person can give ends the call at once, and no agent hangs (F19)', async () => {
    const { supervisor, watch } = supervise(chain, {
      tools: [delegate, deploy],
      agents: named('top', 'middle', 'bottom', 'other'),
      limits: { maxSpawnDepth: 2 },
    });

    const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'top' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    const end = watch.of('tool_completed').find(({ name }) => name === 'deploy');
    expect(end?.failure?.code).toBe('approval_denied');
  });
});

describe('F20', () => {
  const asks = {
    toolCalls: [{ name: 'ask_parent', input: { question: 'Which branch?', options: ['a', 'b'] } }],
  };
  const chain = {
    agents: {
      top: [handsTo('middle'), { text: 'top done' }],
      middle: [handsTo('bottom'), { text: 'middle done' }],
      bottom: [asks, { text: 'bottom done' }],
    },
  };
  const family = named('top', 'middle', 'bottom');

  it('a grandchild asks instead of guessing, its run goes on with the answer, and no clock ran (F20)', async () => {
    const answer = gate<string>();
    const questions: Question[] = [];
    const { supervisor, watch, clock, model } = superviseInManualTime(chain, {
      tools: [delegate, askParentTool({ timeoutMs: 7_200_000 })],
      agents: family,
      limits: { maxSpawnDepth: 2 },
      onQuestion: (question) => {
        questions.push(question);
        return answer.opened;
      },
      timeouts: { idleTimeoutMs: 1_000, totalTimeoutMs: 10_000, toolTimeoutMs: 1_000 },
    });
    const handle = supervisor.start({ goal: 'a', agent: 'top', name: 'root' });
    await watch.next('question_asked');

    await clock.advance(3_600_000);
    answer.open('b');
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'top done']);
    expect(questions).toMatchObject([{ question: 'Which branch?', options: ['a', 'b'] }]);
    expect(questions[0]?.parentPath).toBe(questions[0]?.agent.path.replace(/\/[^/]+$/, ''));
    const bottom = model.requests().filter(({ agent }) => agent.name === 'bottom');
    expect(resultsIn(bottom[1])).toEqual([['b', false]]);
    expect([...watch.of('timeout_fired'), ...watch.of('idle_warning')]).toEqual([]);
  });

  it('an unanswered question ends with its limit and its default, marked as one (F20)', async () => {
    const { supervisor, watch, clock, model } = superviseInManualTime(chain, {
      tools: [delegate, askParentTool({ timeoutMs: 60_000, defaultAnswer: 'a' })],
      agents: family,
      limits: { maxSpawnDepth: 2 },
    });
    const handle = supervisor.start({ goal: 'a', agent: 'top' });
    await watch.next('question_asked');

    await clock.advance(60_000);
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome.status).toBe('completed');
    const bottom = model.requests().filter(({ agent }) => agent.name === 'bottom');
    const [result] = resultsIn(bottom[1]);
    expect(result?.[0]).toMatch(/^No answer: .*Go on with this default.*: a$/);
    expect(result?.[1]).toBe(false);
  });
});
