// Checks questions upward: who is asked and with what, every answer and every race, clocks that stand still (F20, V8).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SupervisorOptions } from '#src/index.js';
import { askParentTool, defineTool, type OnQuestion, type Question } from '#src/index.js';
import { delegate, handsTo, named } from './family.ts';
import {
  answered,
  calls,
  gate,
  inShort,
  rejection,
  supervise,
  superviseInManualTime,
  within,
} from './support.ts';

const question = { question: 'Which branch?', options: ['main', 'next'] };
const asking = { text: 'asking', toolCalls: [{ name: 'ask_parent', input: question }] };
const ask = calls(['ask_parent', question]);
const never: OnQuestion = () => new Promise(() => {});

/** Three levels, of which the last asks. */
const chain = {
  agents: {
    top: [handsTo('middle'), { text: 'top done' }],
    middle: [handsTo('bottom'), { text: 'middle done' }],
    bottom: [asking, { text: 'bottom done' }],
  },
};
const chainOf = (
  more: Partial<SupervisorOptions>,
  tool = askParentTool(),
): Partial<SupervisorOptions> => ({
  tools: [delegate, tool],
  agents: named('top', 'middle', 'bottom'),
  ...more,
  limits: { maxSpawnDepth: 2, ...more.limits },
});

describe('a question of an agent', () => {
  it('surfaces at the root with the paths of asker and parent, and its answer is the result', async () => {
    const asked: Question[] = [];
    const signals: AbortSignal[] = [];
    const { supervisor, model, watch } = supervise(
      chain,
      chainOf({
        onQuestion: async (each, { signal }) => {
          asked.push(each);
          signals.push(signal);
          return 'main';
        },
      }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'top', name: 'a' }), 'it');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'top done']);
    const [event] = watch.of('question_asked');
    expect(event).toMatchObject({ ...question, questionId: 'q1', depth: 2 });
    expect(event?.path).toMatch(/^\/a\/[^/]+\/[^/]+$/);
    expect(event?.parentPath).toBe(event?.path?.split('/').slice(0, -1).join('/'));
    const { questionId, callId, parentPath, taskId, path } = event ?? {};
    expect(asked).toMatchObject([
      { ...question, questionId, callId, parentPath, taskId, agent: { name: 'bottom', path } },
    ]);
    expect(signals[0]?.aborted).toBe(true);
    const last = model.requests().filter(({ agent }) => agent.name === 'bottom');
    expect(last[1]?.messages.at(-1)?.content).toMatchObject([
      { type: 'tool_result', tool_use_id: callId, content: 'main' },
    ]);
  });

  it('is answered by its id, once: a late and an unknown answer are refused', async () => {
    const { supervisor, model, watch } = supervise(ask, { tools: [askParentTool()] });
    const handle = supervisor.start({ goal: 'a', name: 'one' });
    const { questionId, parentPath } = await watch.next('question_asked');

    supervisor.answer(questionId, 'next');
    const late = expect.objectContaining({ code: 'unknown_question' });
    expect(() => supervisor.answer(questionId, 'main')).toThrow(late);
    await within(handle.result(), 'the outcome');

    expect(parentPath).toBeNull();
    expect(answered(model)).toEqual([['next', false]]);
    expect(() => supervisor.answer(questionId, 'main')).toThrow(late);
    expect(() => supervisor.answer('q99', 'main')).toThrow(late);
    expect(() => supervisor.answer(questionId, 7 as never)).toThrow(
      expect.objectContaining({ code: 'invalid_options' }),
    );
  });

  it('is left to `answer` by a callback that answers nothing, and may be answered from its event', async () => {
    const silent = supervise(ask, { tools: [askParentTool()], onQuestion: () => undefined });
    silent.supervisor.on('question_asked', ({ questionId }) => {
      silent.supervisor.answer(questionId, 'from the listener');
    });

    await within(silent.supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(answered(silent.model)).toEqual([['from the listener', false]]);
  });

  it.each<[string, OnQuestion, string]>([
    ['throws', () => Promise.reject(new Error('nobody home')), 'asking failed: nobody home'],
    ['answers no text', (() => 7) as never, 'the answer was 7, no text'],
  ])(
    'goes on with the default, told as one, when the program %s',
    async (_how, onQuestion, why) => {
      const withDefault = supervise(ask, {
        tools: [askParentTool({ defaultAnswer: 'main' })],
        onQuestion,
      });
      const without = supervise(ask, { tools: [askParentTool()], onQuestion });

      await within(withDefault.supervisor.delegate({ goal: 'a' }), 'the outcome');
      await within(without.supervisor.delegate({ goal: 'a' }), 'the outcome');

      expect(answered(withDefault.model)).toEqual([
        [
          `No answer: ${why}. Go on with this default, and say in your result that you did: main`,
          false,
        ],
      ]);
      expect(answered(without.model)).toEqual([[expect.stringContaining(why), true]]);
      expect(without.watch.of('tool_completed')[0]?.failure?.code).toBe('question_unanswered');
    },
  );

  it('costs no run time, and ends at its own limit with the default (V8)', async () => {
    const { supervisor, watch, clock, model } = superviseInManualTime(
      chain,
      chainOf(
        {
          onQuestion: never,
          timeouts: { idleTimeoutMs: 1_000, totalTimeoutMs: 2_000, toolTimeoutMs: 500 },
        },
        askParentTool({ timeoutMs: 60_000, defaultAnswer: 'main' }),
      ),
    );
    const handle = supervisor.start({ goal: 'a', agent: 'top' });
    const { questionId } = await watch.next('question_asked');
    await clock.advance(59_999);
    expect(handle.status()).toBe('waiting');

    await clock.advance(1);
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'top done']);
    expect(JSON.stringify(model.requests())).toContain('no answer came within 60000 ms');
    expect([...watch.of('timeout_fired'), ...watch.of('idle_warning')]).toEqual([]);
    expect(() => supervisor.answer(questionId, 'x')).toThrow(
      expect.objectContaining({ code: 'unknown_question' }),
    );
  });

  it('is ended by an interrupt from above, and the program is told that it is of no use (S5)', async () => {
    const signals: AbortSignal[] = [];
    const { supervisor, watch } = supervise(
      chain,
      chainOf({
        onQuestion: (_question, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
        timeouts: { interruptGraceMs: 3_600_000 },
      }),
    );
    const handle = supervisor.start({ goal: 'a', agent: 'top' });
    const { questionId } = await watch.next('question_asked');

    const receipts = await within(handle.interrupt(), 'the receipts');

    expect(receipts).toHaveLength(3);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(() => supervisor.answer(questionId, 'x')).toThrow(
      expect.objectContaining({ code: 'unknown_question' }),
    );
  });

  it('gives its thread up meanwhile, with one slot in a tree of three levels (V7)', async () => {
    const { supervisor, watch } = supervise(chain, chainOf({ limits: { maxLiveAgents: 1 } }));
    const handle = supervisor.start({ goal: 'a', agent: 'top' });
    const { questionId, agentId } = await watch.next('question_asked');

    const other = supervisor.start({ goal: 'b', agent: 'bottom' });
    const second = await watch.next('question_asked', (each) => each.agentId !== agentId);
    supervisor.answer(second.questionId, 'next');
    await within(other.result(), 'the other');
    supervisor.answer(questionId, 'main');

    expect((await within(handle.result(), 'the outcome')).text).toBe('top done');
    expect(watch.of('agent_parked').map((each) => each.agentId)).toContain(agentId);
  });

  it('is offered to an agent only when it is named or registered for it, and reaches no person (C17)', async () => {
    const none = supervise(ask, { approve: () => 'approve' });
    const granted = supervise(
      { agents: { boss: [handsTo('child'), { text: 'done' }], child: [asking, { text: 'ok' }] } },
      {
        tools: [delegate, askParentTool()],
        agents: [
          { name: 'boss', tools: ['delegate'] },
          { name: 'child', grantedTools: ['ask_parent'] },
        ],
        onQuestion: () => 'main',
      },
    );

    await within(none.supervisor.delegate({ goal: 'a' }), 'the outcome');
    await within(granted.supervisor.delegate({ goal: 'a', agent: 'boss' }), 'the outcome');

    expect(none.model.requests()[0]?.tools).toEqual([]);
    expect(answered(none.model)[0]?.[1]).toBe(true);
    expect(none.watch.of('question_asked')).toEqual([]);
    const offered = granted.model.requests().map(({ agent, tools }) => {
      return [agent.name, tools.some(({ name }) => name === 'ask_parent')];
    });
    expect(offered).toEqual([
      ['boss', false],
      ['child', true],
      ['child', true],
      ['boss', false],
    ]);
  });

  it.each([{ timeoutMs: 0 }, { timeoutMs: Infinity }, { defaultAnswer: '' }, { limit: 1 }])(
    'is refused as a tool with wrong settings (%j)',
    (options) => {
      expect(() => askParentTool(options as never)).toThrow(
        expect.objectContaining({ code: 'invalid_options' }),
      );
    },
  );

  it('with arguments that do not fit is an error for the model, and no person is asked', async () => {
    const { supervisor, model, watch } = supervise(
      calls(['ask_parent', { question: ' ' }], ['ask_parent', null]),
      { tools: [askParentTool()] },
    );

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(answered(model).map(([, isError]) => isError)).toEqual([true, true]);
    expect(watch.of('question_asked')).toEqual([]);
  });

  it('in a loop of the program’s own is a tool with no agent above it', async () => {
    const run = askParentTool().run as () => unknown;
    expect(await rejection((async () => run())())).toMatchObject({ code: 'tool_failed' });
  });
});

describe('an approval', () => {
  it('of a tool two levels down surfaces at the root with the path of who asks (F19)', async () => {
    const careful = defineTool({
      name: 'ask_parent',
      description: 'Needs a word.',
      input: z.object({ question: z.string(), options: z.array(z.string()) }),
      needsApproval: true,
      run: () => 'ran',
    });
    const answer = gate<'approve'>();
    const paths: string[] = [];
    const { supervisor, watch } = supervise(
      chain,
      chainOf(
        {
          approve: ({ agent }) => {
            paths.push(agent.path);
            return answer.opened;
          },
        },
        careful as never,
      ),
    );
    const handle = supervisor.start({ goal: 'a', agent: 'top', name: 'a' });
    const seen = await watch.next('approval_requested');

    answer.open('approve');
    await within(handle.result(), 'the outcome');

    expect(seen).toMatchObject({ depth: 2, name: 'ask_parent' });
    expect(seen.path).toMatch(/^\/a\/[^/]+\/[^/]+$/);
    expect(paths).toEqual([seen.path]);
  });
});
