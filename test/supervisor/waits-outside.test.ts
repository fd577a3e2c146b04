// Checks that a run leaves its thread while a person or the service is asked, and goes on with the answer (W1, W3, W6).
import { describe, expect, it } from 'vitest';
import { type ApprovalAnswer, createSupervisor, type Hooks } from '#src/index.js';
import type { Script } from '#src/testing.js';
import { acting } from '../field/support.ts';
import {
  answered,
  calls,
  gate,
  supervise,
  toolFixture,
  turns,
  watched,
  within,
} from './support.ts';

const always = { max: 1, parking: 'always' } as const;

/** Two agents on one thread: `asks` waits for `opened`, the other ends meanwhile. */
const script: Script = {
  default: [{ text: 'done' }],
  agents: { asks: calls('always').default ?? [] },
};

describe('a thread tool that a person is asked for', () => {
  it.each([
    ['approve' as const, 'ran in its thread', false],
    [{ deny: 'not now' }, 'not now', true],
  ])('needs no thread until the answer (%j) is there (W1, W3)', async (answer, text, isError) => {
    const { opened, open } = gate<ApprovalAnswer>();
    const { supervisor, model, watch } = supervise(script, {
      tools: [toolFixture('careful')],
      agents: [{ name: 'asks' }],
      approve: () => opened,
      threads: { max: 1 },
      limits: { maxLiveAgents: 1 },
    });
    const asking = supervisor.start({ goal: 'a', agent: 'asks' });
    await watch.next('approval_requested');

    const other = await within(supervisor.delegate({ goal: 'b' }), 'the other');
    expect(other.status).toBe('completed');
    expect(asking.status()).toBe('waiting');
    const [seen] = supervisor.tree();
    expect(seen).toMatchObject({ status: 'waiting', phase: 'waiting_for_approval' });
    expect(seen?.waitingMs).toBeGreaterThan(0);
    open(answer);

    expect((await within(asking.result(), 'the outcome')).status).toBe('completed');
    const results = JSON.stringify(model.requests().map(({ messages }) => messages.at(-1)));
    expect(results).toContain(text);
    const ends = watch.of('tool_completed').map((event) => [event.name, event.isError]);
    expect(ends).toEqual([['always', isError]]);
  });

  it.each([always, { max: 1 }])(
    'is called once with each answer, where several come at once and one comes alone (%j; W3, W4)',
    async (threads) => {
      const answers: ((answer: ApprovalAnswer) => void)[] = [];
      const { supervisor, model, watch } = supervise(calls('always', 'always', 'always'), {
        tools: [toolFixture('careful')],
        approve: () => new Promise((resolve) => answers.push(resolve)),
        threads,
      });
      const handle = supervisor.start({ goal: 'a' });
      await expect.poll(() => answers.length, { timeout: 20_000 }).toBe(3);
      answers[0]?.('approve');
      // It runs though the others are open.
      await watch.next('tool_completed');
      answers[1]?.('approve');
      answers[2]?.({ deny: 'no' });

      expect((await within(handle.result(), 'the outcome')).status).toBe('completed');
      expect(answered(model).map(([, isError]) => isError)).toEqual([false, false, true]);
    },
  );

  it('is not run when its run is interrupted meanwhile (W6, S5)', async () => {
    let signal: AbortSignal | null = null;
    const { supervisor, watch } = supervise(script, {
      tools: [toolFixture('careful')],
      agents: [{ name: 'asks' }],
      approve: (request) => {
        ({ signal } = request);
        return new Promise(() => {});
      },
      threads: always,
    });
    const asking = supervisor.start({ goal: 'a', agent: 'asks' });
    await watch.next('approval_requested');
    await watch.next(
      'agent_parked',
      (event) => event.seq > (watch.of('approval_requested')[0]?.seq ?? 0),
    );

    const receipts = await within(asking.interrupt({ reason: 'enough' }), 'the receipts');

    expect(receipts).toMatchObject([{ stage: 'interrupted' }]);
    expect(await within(asking.result(), 'the outcome')).toMatchObject({ status: 'interrupted' });
    expect(signal).toMatchObject({ aborted: true });
    expect(watch.of('agent_activated')).toHaveLength(1);
  });
});

/** Hooks of the service, one of which waits. */
function waiting(name: keyof Hooks, opened: Promise<void>, called: string[]): Hooks {
  const hook = async () => {
    called.push(name);
    await opened;
    return null;
  };
  return { [name]: hook };
}

describe('a hook of the service', () => {
  it.each(['beforeRun', 'beforeTurn', 'afterTurn', 'beforeTool', 'afterTool'] as const)(
    '%s needs no thread of its run, and is called once for each thing (W1, W3, D23)',
    async (name) => {
      const { opened, open } = gate();
      const called: string[] = [];
      const { supervisor, watch } = supervise(script, {
        tools: [toolFixture('careful')],
        agents: [{ name: 'asks', hooks: [waiting(name, opened, called)] }],
        approve: () => 'approve',
        threads: { max: 1 },
        limits: { maxLiveAgents: 2 },
      });
      const asking = supervisor.start({ goal: 'a', agent: 'asks' });
      await within(expect.poll(() => called.length, { timeout: 20_000 }).toBe(1), 'the hook');

      const other = await within(supervisor.delegate({ goal: 'b' }), 'the other');
      expect(other.status).toBe('completed');
      const isOfTool = name === 'beforeTool' || name === 'afterTool';
      const phase = isOfTool ? 'in_tool' : 'in_hook';
      expect(supervisor.tree()).toMatchObject([{ status: 'waiting', phase }]);
      open();

      expect(await within(asking.result(), 'the outcome')).toMatchObject({
        status: 'completed',
        turns: 2,
      });
      expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(1);
      const perTurn = name === 'beforeTurn' || name === 'afterTurn';
      expect(called).toHaveLength(perTurn ? 2 : 1);
    },
  );

  it.each([1, 2])(
    'after the run is awaited when a run with %i calls is interrupted in a hook before them (S5, D23)',
    async (count) => {
      const order: string[] = [];
      const hooks: Hooks = {
        beforeTool: () => new Promise(() => {}),
        afterRun: async ({ exitReason }) => {
          await turns();
          order.push(`hook: ${exitReason}`);
        },
      };
      const wanted = Array.from({ length: count }, () => 'always');
      const { supervisor, watch } = supervise(calls(...wanted), {
        tools: [toolFixture('careful')],
        approve: () => 'approve',
        threads: always,
      });
      const handle = supervisor.start({ goal: 'a', hooks: [hooks] });
      await watch.next('tool_started');

      await within(handle.interrupt({ reason: 'enough' }), 'the receipts');

      const outcome = await within(handle.result(), 'the outcome');
      order.push(`outcome: ${outcome.status}`);
      expect(order).toEqual(['hook: interrupted', 'outcome: interrupted']);
    },
  );

  it('keeps what it changed for the run that left its thread meanwhile (W3)', async () => {
    const seen: string[] = [];
    const model = acting((request) => {
      const [last] = request.messages.at(-1)?.content ?? [];
      seen.push(JSON.stringify(request.messages.at(-1)?.content));
      return last?.type === 'tool_result'
        ? { text: 'done' }
        : { calls: [['sometimes', { amount: 1 }]] };
    });
    const { supervisor, watch } = watched(
      createSupervisor({
        model,
        tools: [toolFixture('careful')],
        threads: always,
        logDirectory: false,
        logger: false,
      }),
    );
    const hooks: Hooks = {
      beforeTurn: () => ({ append: 'be brief' }),
      beforeTool: () => ({ input: { amount: 7 } }),
      afterTool: ({ result }) => ({ result: `${result}, checked` }),
    };

    const task = { goal: 'pay', hooks: [hooks] };
    const outcome = await within(supervisor.delegate(task), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(seen[0]).toContain('be brief');
    expect(seen[1]).toContain('paid 7, checked');
    expect(watch.of('agent_parked').length).toBeGreaterThan(2);
  });

  it('before a run that is paused meanwhile leaves the thread to others until the run is resumed (W1, C46)', async () => {
    const { opened, open } = gate();
    const { supervisor, watch } = supervise(script, {
      tools: [toolFixture('careful')],
      agents: [{ name: 'asks', hooks: [waiting('beforeRun', opened, [])] }],
      approve: () => 'approve',
      threads: always,
    });
    const asking = supervisor.start({ goal: 'a', agent: 'asks' });
    await watch.next('agent_parked');
    asking.pause();
    open();

    const other = await within(supervisor.delegate({ goal: 'b' }), 'the other');
    expect(other.status).toBe('completed');
    expect(watch.of('turn_started').filter(({ taskId }) => taskId === asking.id)).toEqual([]);
    asking.resume();

    expect((await within(asking.result(), 'the outcome')).status).toBe('completed');
  });

  it('may show the model blocks that no other part knows, while the next hook waits (W3)', async () => {
    const shown = [{ role: 'user', content: [{ type: 'document', source: 'x', cache: true }] }];
    const first: Hooks = { beforeTurn: () => ({ messages: shown as never }) };
    const second: Hooks = {
      beforeTurn: async () => {
        await turns();
        return null;
      },
    };
    const { supervisor, model } = supervise({ default: [{ text: 'done' }] }, { threads: always });

    const task = { goal: 'a', hooks: [first, second] };
    const outcome = await within(supervisor.delegate(task), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed' });
    expect(model.requests().at(-1)?.messages).toEqual(shown);
  });

  it('that fails while its run has no thread ends the run as any other does (W3, D23)', async () => {
    const { supervisor } = supervise(calls('always'), {
      tools: [toolFixture('careful')],
      approve: () => 'approve',
      threads: always,
    });
    const hooks: Hooks = {
      beforeTool: async () => {
        throw new Error('no');
      },
    };

    const task = { goal: 'a', hooks: [hooks] };
    const outcome = await within(supervisor.delegate(task), 'the outcome');

    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'hook_failed', message: 'hook beforeTool failed: no' },
    });
  });

  it('before a tool ends with that call when its time is over, though the run has no thread (W6, V8)', async () => {
    let signal: AbortSignal | null = null;
    const { supervisor, watch } = supervise(calls('always'), {
      tools: [toolFixture('careful')],
      approve: () => 'approve',
      threads: always,
      timeouts: { toolTimeoutMs: 200 },
    });
    const hooks: Hooks = {
      beforeTool: (_call, context) => {
        ({ signal } = context);
        return new Promise(() => {});
      },
    };

    const task = { goal: 'a', hooks: [hooks] };
    const outcome = await within(supervisor.delegate(task), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(watch.of('tool_completed')).toMatchObject([
      { isError: true, failure: { code: 'tool_timeout' } },
    ]);
    expect(signal).toMatchObject({ aborted: true });
  });
});
