// Checks the asking of a person before a tool runs: every answer, both places of tools, clocks that stand still (V8).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ApprovalAnswer, type ApprovalRequest, defineTool } from '#src/index.js';
import {
  answered,
  calls,
  gate,
  inShort,
  supervise,
  superviseInManualTime,
  toolFixture,
  within,
} from './support.ts';

let runs = 0;
const careful = defineTool({
  name: 'careful',
  description: 'Needs a word.',
  input: z.object({ path: z.string().default('x') }),
  needsApproval: true,
  run: () => {
    runs += 1;
    return 'ran on the host';
  },
});

const tools = [careful, toolFixture('careful')];
const refusal = (name: string, why: string) =>
  `Tool "${name}" needs a person's approval and did not get it: ${why}${why.endsWith('.') ? '' : '.'} It was not run.`;

describe('a tool that needs approval', () => {
  it.each([
    ['careful', 'ran on the host'],
    ['always', 'ran in its thread'],
  ])('runs once a person approved of it (%s)', async (name, text) => {
    const asked: ApprovalRequest[] = [];
    const { supervisor, model, watch } = supervise(calls(name), {
      tools,
      approve: (request) => {
        asked.push(request);
        return 'approve';
      },
    });

    const outcome = await within(supervisor.delegate({ goal: 'a', name: 'n' }), 'the outcome');

    expect(answered(model)).toEqual([[text, false]]);
    expect(asked).toMatchObject([
      { tool: name, input: {}, agent: { path: '/n', name: 'agent' }, taskId: outcome.taskId },
    ]);
    expect(watch.of('approval_requested')).toMatchObject([
      { name, callId: asked[0]?.callId, path: '/n' },
    ]);
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  it.each(['careful', 'always'])('runs when approve answers true (%s)', async (name) => {
    const { supervisor, model } = supervise(calls(name), { tools, approve: () => true });

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(answered(model).map(([, isError]) => isError)).toEqual([false]);
  });

  it.each([
    [false, 'it was denied'],
    ['deny', 'it was denied'],
    [{ deny: 'not on a Friday' }, 'not on a Friday'],
    [{ deny: 'Not on a Friday.' }, 'Not on a Friday.'],
    ['yes', 'the answer was "yes"'],
    [undefined, 'the answer was undefined'],
  ])('does not run after the answer %j, and the model is told', async (answer, why) => {
    runs = 0;
    const { supervisor, model, watch } = supervise(calls('careful', 'always'), {
      tools,
      approve: () => answer as ApprovalAnswer,
    });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(answered(model)).toEqual([
      [refusal('careful', why), true],
      [refusal('always', why), true],
    ]);
    expect(runs).toBe(0);
    expect(watch.of('tool_completed').map(({ failure }) => failure?.code)).toEqual([
      'approval_denied',
      'approval_denied',
    ]);
  });

  it('is denied when asking fails, and when there is no person to ask', async () => {
    const failing = supervise(calls('careful'), {
      tools,
      approve: () => Promise.reject(new Error('the line is down')),
    });
    const alone = supervise(calls('careful', 'always'), { tools });

    await within(failing.supervisor.delegate({ goal: 'a' }), 'the outcome');
    await within(alone.supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(answered(failing.model)).toEqual([
      [refusal('careful', 'asking failed: the line is down'), true],
    ]);
    expect(answered(alone.model)).toEqual([
      [refusal('careful', 'the service has no approve option'), true],
      [refusal('always', 'the service has no approve option'), true],
    ]);
    expect(alone.watch.of('approval_requested')).toEqual([]);
  });

  it('asks only when its input says so, and never for input that does not fit', async () => {
    const asked: unknown[] = [];
    const { supervisor, model } = supervise(
      calls(['sometimes', { amount: 5 }], ['sometimes', { amount: 500 }], ['sometimes', null]),
      {
        tools,
        approve: ({ input }) => {
          asked.push(input);
          return 'deny';
        },
      },
    );

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(asked).toEqual([{ amount: 500 }]);
    expect(answered(model).map(([, isError]) => isError)).toEqual([false, true, true]);
  });

  it.each(['careful', 'always'])(
    'costs the run no time: idle, total and tool clocks stand still (%s) (V8)',
    async (name) => {
      const answer = gate<ApprovalAnswer>();
      const { supervisor, watch, clock, model } = superviseInManualTime(calls(name), {
        tools,
        approve: () => answer.opened,
        timeouts: { idleTimeoutMs: 1_000, totalTimeoutMs: 2_000, toolTimeoutMs: 500 },
      });
      const handle = supervisor.start({ goal: 'a' });
      await watch.next('approval_requested');

      await clock.advance(1_000_000);
      answer.open('approve');
      const outcome = await within(handle.result(), 'the outcome');

      expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
      expect(answered(model)[0]?.[1]).toBe(false);
      expect(watch.of('timeout_fired')).toEqual([]);
      expect(watch.of('idle_warning')).toEqual([]);
    },
  );

  it('costs those who wait above it no time either (V8)', async () => {
    const answer = gate<ApprovalAnswer>();
    const delegate = defineTool({
      name: 'delegate',
      description: 'Delegates.',
      input: z.object({}),
      run: async (_input, tool) => (await tool.delegate([{ goal: 'b', agent: 'child' }]))[0]?.text,
    });
    const use = (name: string) => [{ toolCalls: [{ name, input: {} }] }, { text: `${name} done` }];
    const { supervisor, watch, clock } = superviseInManualTime(
      { agents: { boss: use('delegate'), child: use('careful') } },
      {
        tools: [careful, delegate],
        agents: [{ name: 'boss' }, { name: 'child', tools: ['careful'] }],
        approve: () => answer.opened,
        timeouts: { idleTimeoutMs: 1_000, totalTimeoutMs: 2_000, toolTimeoutMs: 500 },
      },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'boss' });
    await watch.next('approval_requested');

    await clock.advance(1_000_000);
    answer.open('approve');

    expect(inShort(await within(handle.result(), 'it'))).toEqual([
      'goal',
      undefined,
      'delegate done',
    ]);
    expect(watch.of('timeout_fired')).toEqual([]);
  });

  it('starts the clocks again with what was left of them (V8)', async () => {
    const answer = gate<ApprovalAnswer>();
    const deaf = defineTool({
      name: 'deaf',
      description: 'Never ends.',
      input: z.object({}),
      needsApproval: true,
      run: () => new Promise<never>(() => {}),
    });
    const { supervisor, watch, clock, model } = superviseInManualTime(calls('deaf'), {
      tools: [deaf],
      approve: () => answer.opened,
      timeouts: { toolTimeoutMs: 500 },
    });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('approval_requested');
    await clock.advance(10_000);
    answer.open('approve');
    await clock.advance(499);
    expect(watch.of('timeout_fired')).toEqual([]);

    await clock.advance(1);
    await within(handle.result(), 'the outcome');

    expect(answered(model)).toEqual([['the tool took longer than 500 ms', true]]);
  });

  it('is denied when no answer comes within the limit', async () => {
    const { supervisor, watch, clock, model } = superviseInManualTime(calls('careful'), {
      tools,
      approve: () => new Promise(() => {}),
      timeouts: { approvalTimeoutMs: 60_000 },
    });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('approval_requested');

    await clock.advance(60_000);
    await within(handle.result(), 'the outcome');

    expect(answered(model)).toEqual([[refusal('careful', 'no answer came within 60000 ms'), true]]);
  });

  it.each(['careful', 'always'])(
    'an interrupt ends the question, and the person is told that it is of no use (%s) (S5)',
    async (name) => {
      let signal: AbortSignal | undefined;
      const { supervisor, watch } = supervise(calls(name), {
        tools,
        approve: (request) => {
          signal = request.signal;
          return new Promise(() => {});
        },
        timeouts: { interruptGraceMs: 3_600_000 },
      });
      const handle = supervisor.start({ goal: 'a' });
      await watch.next('approval_requested');

      const receipts = await within(handle.interrupt(), 'the receipts');

      expect(receipts.map(({ stage }) => stage)).toEqual(['interrupted']);
      expect(signal?.aborted).toBe(true);
    },
  );

  it('gives its thread up while a person is asked (V7)', async () => {
    const answer = gate<ApprovalAnswer>();
    const { supervisor, watch } = supervise(
      {
        default: [{ text: 'done' }],
        agents: { asks: [{ toolCalls: [{ name: 'careful', input: {} }] }, { text: 'done' }] },
      },
      {
        tools: [careful],
        agents: [{ name: 'asks' }],
        approve: () => answer.opened,
        limits: { maxLiveAgents: 1 },
      },
    );
    const asking = supervisor.start({ goal: 'a', agent: 'asks' });
    await watch.next('approval_requested');

    const other = await within(supervisor.delegate({ goal: 'b' }), 'the other');
    answer.open('approve');

    expect(other.status).toBe('completed');
    expect((await within(asking.result(), 'the outcome')).status).toBe('completed');
    expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(1);
  });
});
