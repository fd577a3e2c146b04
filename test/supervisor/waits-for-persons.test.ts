// Checks that the time a hook or a tool of the service waits for a person is no time of the run, its call, those above (V8).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Hooks } from '#src/index.js';
import { hookFixture } from './hook-support.ts';
import {
  answered,
  calls,
  gate,
  inShort,
  rejection,
  supervise,
  superviseInManualTime,
  toolFixture,
  turns,
  within,
} from './support.ts';

const timeouts = { idleTimeoutMs: 1_000, totalTimeoutMs: 2_000, toolTimeoutMs: 500 };
const careful = defineTool({
  name: 'careful',
  description: 'Does it.',
  input: z.object({}),
  run: () => 'done on the host',
});
const sometimes: readonly [string, unknown] = ['sometimes', { amount: 5 }];

/** Hooks that ask at one place, and wait for the answer as `wait` says. */
function asksAt(place: keyof Hooks, answer: Promise<unknown>, onAsked: () => void): Hooks {
  return {
    [place]: async (_: unknown, { waitForPerson }: { waitForPerson: (p: unknown) => unknown }) => {
      onAsked();
      await waitForPerson(answer);
      return null;
    },
  };
}

describe('a hook that waits for a person', () => {
  it.each([
    ['beforeRun', 'careful'],
    ['beforeTurn', 'careful'],
    ['afterTurn', 'careful'],
    ['beforeTool', 'careful'],
    ['beforeTool', sometimes],
    ['afterTool', 'careful'],
    ['afterTool', sometimes],
    ['afterRun', 'careful'],
  ] as const)('costs the run no time (%s of a run that calls %j)', async (place, call) => {
    const asked = gate();
    const answer = gate();
    const { supervisor, clock, watch } = superviseInManualTime(calls(call), {
      tools: [careful, toolFixture('careful')],
      timeouts,
    });
    const hooks = asksAt(place, answer.opened, () => asked.open());
    const handle = supervisor.start({ goal: 'a', hooks });
    await within(asked.opened, 'the question');

    await clock.advance(1_000_000);
    answer.open();

    expect(inShort(await within(handle.result(), 'it'))).toEqual(['goal', undefined, 'done']);
    expect(watch.of('timeout_fired')).toEqual([]);
    expect(watch.of('idle_warning')).toEqual([]);
  });

  it('costs those who wait above it no time either', async () => {
    const asked = gate();
    const answer = gate();
    const handOver = defineTool({
      name: 'hand_over',
      description: 'Hands over.',
      input: z.object({}),
      run: async (_, tool) => (await tool.delegate([{ goal: 'b', agent: 'child' }]))[0]?.text,
    });
    const use = (name: string) => [{ toolCalls: [{ name, input: {} }] }, { text: `${name} done` }];
    const { supervisor, clock, watch } = superviseInManualTime(
      { agents: { boss: use('hand_over'), child: use('careful') } },
      {
        tools: [careful, handOver],
        agents: [
          { name: 'boss' },
          { name: 'child', hooks: asksAt('beforeTool', answer.opened, () => asked.open()) },
        ],
        timeouts,
      },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'boss' });
    await within(asked.opened, 'the question');

    await clock.advance(1_000_000);
    answer.open();

    expect((await within(handle.result(), 'it')).text).toBe('hand_over done');
    expect(watch.of('timeout_fired')).toEqual([]);
  });

  it('costs time again once the answer is there, and for one that waits otherwise', async () => {
    const asked = gate();
    const answer = gate();
    const { supervisor, clock, watch } = superviseInManualTime(calls('careful'), {
      tools: [careful],
      timeouts: { idleTimeoutMs: 1_000 },
    });
    const hooks: Hooks = {
      beforeTool: async (_, { waitForPerson }) => {
        asked.open();
        await waitForPerson(answer.opened);
        await new Promise(() => {});
        return null;
      },
    };
    const handle = supervisor.start({ goal: 'a', hooks });
    await within(asked.opened, 'the question');
    await clock.advance(100_000);
    expect(watch.of('timeout_fired')).toEqual([]);
    answer.open();
    await turns();

    await clock.advance(1_000);

    expect((await within(handle.result(), 'it')).exitReason).toBe('idle_timeout');
  });

  it('lets time pass again after the limit for a person', async () => {
    const asked = gate();
    const { supervisor, clock } = superviseInManualTime(calls('careful'), {
      tools: [careful],
      timeouts: { idleTimeoutMs: 1_000, approvalTimeoutMs: 60_000 },
    });
    const hooks = asksAt('beforeTool', new Promise(() => {}), () => asked.open());
    const handle = supervisor.start({ goal: 'a', hooks });
    await within(asked.opened, 'the question');

    await clock.advance(60_000);
    expect(handle.status()).toBe('waiting');
    await clock.advance(1_000);

    expect((await within(handle.result(), 'it')).exitReason).toBe('idle_timeout');
  });

  it('waits no longer when its run is interrupted (S5)', async () => {
    const asked = gate();
    let why: Promise<unknown> = Promise.resolve();
    const { supervisor } = supervise(calls('careful'), { tools: [careful] });
    const hooks: Hooks = {
      beforeTool: async (_, { waitForPerson }) => {
        const answer = waitForPerson(new Promise<null>(() => {}));
        why = rejection(answer);
        asked.open();
        return answer;
      },
    };
    const handle = supervisor.start({ goal: 'a', hooks });
    await within(asked.opened, 'the question');

    await within(handle.interrupt(), 'the interrupt');

    expect(await within(why, 'the reason')).toMatchObject({ code: 'interrupted' });
    expect((await within(handle.result(), 'it')).status).toBe('interrupted');
  });

  it('passes on what the person answers, and what fails', async () => {
    const { supervisor, model } = supervise(calls('careful', 'careful'), { tools: [careful] });
    const answers = [Promise.resolve({ deny: 'not today' }), Promise.resolve(null)];
    const hooks: Hooks = {
      beforeTool: (_, { waitForPerson }) => waitForPerson(answers.shift() ?? Promise.resolve(null)),
    };

    await within(supervisor.delegate({ goal: 'a', hooks }), 'the outcome');

    expect(answered(model)).toEqual([
      ['not today', true],
      ['done on the host', false],
    ]);
  });

  it('of a module is refused: the clocks are the service’s', async () => {
    const { supervisor } = supervise(calls('careful'), { tools: [careful] });

    const hooks = hookFixture('asks');
    const outcome = await within(supervisor.delegate({ goal: 'a', hooks }), 'the outcome');

    expect(outcome.error).toMatchObject({
      code: 'hook_failed',
      message: expect.stringContaining('waitForPerson is for tools and hooks of the service'),
    });
  });
});

describe('a tool that waits for a person', () => {
  const asking = (answer: Promise<unknown>, onAsked: () => void) =>
    defineTool({
      name: 'ask_user',
      description: 'Asks the user.',
      input: z.object({}),
      timeoutMs: 500,
      run: async (_, tool) => {
        onAsked();
        return await tool.waitForPerson(answer);
      },
    });

  it('costs the run and the call no time, and may give its thread up (V8, W1)', async () => {
    const asked = gate();
    const answer = gate<string>();
    const { supervisor, clock, watch, model } = superviseInManualTime(calls('ask_user'), {
      tools: [asking(answer.opened, () => asked.open())],
      timeouts,
      threads: { max: 1, parking: 'always' },
    });
    const handle = supervisor.start({ goal: 'a' });
    await within(asked.opened, 'the question');
    await watch.next('agent_parked');

    await clock.advance(1_000_000);
    answer.open('blue');

    expect(inShort(await within(handle.result(), 'it'))).toEqual(['goal', undefined, 'done']);
    expect(answered(model)).toEqual([['blue', false]]);
    expect(watch.of('timeout_fired')).toEqual([]);
  });

  it('costs a call of a session no time', async () => {
    const answer = gate<string>();
    const { supervisor, clock } = superviseInManualTime({ default: [] });
    const tool = asking(answer.opened, () => {});
    const result = supervisor.session('chat').tools(tool).call('ask_user', {});
    await turns();

    await clock.advance(1_000_000);
    answer.open('blue');

    expect(await within(result, 'the result')).toEqual({ content: 'blue', isError: false });
  });

  it('in a thread is refused: the clocks are the service’s', async () => {
    const { supervisor, model } = supervise(calls('asks'), { tools: [toolFixture('asks')] });

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(answered(model)).toEqual([
      [expect.stringContaining('waitForPerson is for tools and hooks of the service'), true],
    ]);
  });
});

it('an answer that is there already, and is no promise, is what the wait comes to', async () => {
  const asks = defineTool({
    ...careful,
    name: 'asks',
    // JavaScript hands over what it has.
    run: async (_, tool) => `person: ${await tool.waitForPerson('yes' as never)}`,
  });
  const { supervisor, model } = supervise(calls('asks'), { tools: [asks] });

  await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
  const result = supervisor.session('chat').tools(asks).call('asks', {});

  expect(answered(model)).toEqual([['person: yes', false]]);
  expect(await within(result, 'the result')).toMatchObject({ content: 'person: yes' });
});
