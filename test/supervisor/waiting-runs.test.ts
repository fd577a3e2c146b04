// Checks runs that wait: they leave their threads, lose nothing by it, and end without one (W1, W2, W3, W5, W6).
import { MessagePort } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { createSupervisor } from '#src/index.js';
import { startStubModelServer } from '#src/testing.js';
import { acting, givenUp } from '../field/support.ts';
import { calls, gate, supervise, toolFixture, turns, watched, within } from './support.ts';

const always = { parking: 'always' } as const;

/** A model that says what it has so far, and no more until its call is given up. */
const halting = acting((_request, call) => {
  call.onDelta({ type: 'text', text: 'half of it' });
  return givenUp(call);
});

describe('a run that waits for its model', () => {
  it('leaves its thread to others: two hundred live agents share one (W1, W2)', async () => {
    const { opened, open } = gate();
    let asked = 0;
    const everyone = gate();
    const model = acting(async () => {
      asked += 1;
      if (asked === 200) everyone.open();
      await opened;
      return { text: 'done' };
    });
    const { supervisor, watch } = watched(
      createSupervisor({ model, threads: { max: 1 }, logDirectory: false, logger: false }),
    );
    const handles = Array.from({ length: 200 }, () => supervisor.start({ goal: 'wait' }));

    await within(everyone.opened, 'the last request');
    expect(supervisor.totals()).toMatchObject({ live: 200, queued: 0 });
    open();

    const ends = await within(Promise.all(handles.map((each) => each.result())), 'the outcomes');
    expect(ends.map(({ text }) => text)).toEqual(Array(200).fill('done'));
    expect(ends.map(({ usage }) => usage.own.modelCalls)).toEqual(Array(200).fill(1));
    expect(watch.of('thread_spawned')).toHaveLength(1);
  });

  it('goes on in a thread that has its conversation already: only what is new crosses (W3)', async () => {
    const posted = vi.spyOn(MessagePort.prototype, 'postMessage');
    const model = acting(({ turn, messages }) =>
      messages.length > 6 || turn > 2
        ? { text: 'done' }
        : { calls: [['echo', { text: `${turn}` }]] },
    );
    const { supervisor } = watched(
      createSupervisor({ model, threads: { ...always, max: 1 }, tools: [toolFixture('plain')] }),
    );
    const agent = await within(supervisor.spawn({ name: 'one' }), 'the agent');

    const ask = () => within(agent.ask('go', { timeoutMs: 60_000 }), 'the outcome');
    const ends = [await ask(), await ask()];

    const starts = posted.mock.calls
      .map(([message]) => message)
      .filter(({ type, conversation }) => type === 'start' && conversation !== null);
    posted.mockRestore();
    expect(ends.map(({ text }) => text)).toEqual(['done', 'done']);
    // The agent as it is spawned; then an activation for each tool, and one for what follows the last answer.
    const crossed = starts.map(({ conversation: { from, messages } }) => [from, messages.length]);
    expect(crossed).toEqual([
      [0, 0],
      [0, 2],
      [2, 2],
      [4, 2],
    ]);
  });

  it.each(['interrupt', 'idle_timeout'])(
    'is ended by %s without a thread, with what had arrived (W6, S9)',
    async (how) => {
      const { supervisor, watch } = watched(
        createSupervisor({
          model: halting,
          threads: always,
          timeouts: { idleTimeoutMs: how === 'interrupt' ? 600_000 : 300 },
          logDirectory: false,
          logger: false,
        }),
      );
      const handle = supervisor.start({ goal: 'tell' });
      await watch.next('agent_parked');
      await watch.next('model_delta');
      expect(handle.status()).toBe('waiting');

      if (how === 'interrupt') {
        const receipts = await within(handle.interrupt({ reason: 'enough' }), 'the receipts');
        expect(receipts).toMatchObject([{ stage: 'interrupted' }]);
      }

      const outcome = await within(handle.result(), 'the outcome');
      expect(outcome).toMatchObject({ text: 'half of it', turns: 1 });
      expect(outcome.exitReason).toBe(how === 'interrupt' ? 'interrupted' : 'idle_timeout');
      expect(watch.of('agent_activated')).toEqual([]);
    },
  );

  it('of a persistent agent ends so too, and the agent takes its next run (W6, S5)', async () => {
    const model = acting((request, call) => {
      if (request.messages.length > 1) return { text: 'again' };
      call.onDelta({ type: 'text', text: 'half' });
      return givenUp(call);
    });
    const { supervisor, watch } = watched(createSupervisor({ model, threads: always }));
    const agent = await within(supervisor.spawn({ name: 'one' }), 'the agent');
    const first = agent.ask('a', { timeoutMs: 20_000 });
    await watch.next('model_delta');
    await watch.next('agent_parked');

    await within(agent.interrupt({ reason: 'enough' }), 'the receipts');

    expect(await within(first, 'the first')).toMatchObject({ status: 'interrupted', text: 'half' });
    const second = agent.ask('b', { timeoutMs: 20_000 });
    expect(await within(second, 'the second')).toMatchObject({
      status: 'completed',
      text: 'again',
    });
  });

  it.each(['when-needed', 'always'] as const)(
    'goes on before others begin, and the thread of an agent whose run has ended goes to those (%s; W1, P1)',
    async (parking) => {
      const { supervisor } = watched(
        createSupervisor({
          model: acting(() => ({ text: 'done' })),
          agents: [
            { name: 'one', hooks: [new URL('../fixtures/hooks/passes.js', import.meta.url)] },
          ],
          threads: { max: 1, parking },
          logDirectory: false,
          logger: false,
        }),
      );
      const names = ['a', 'b', 'c'];
      const agents = await Promise.all(names.map((name) => supervisor.spawn('one', { name })));
      for (let round = 0; round < 3; round += 1) {
        const asked = agents.map((agent) => agent.ask('go', { timeoutMs: 60_000 }));

        const outcomes = await within(Promise.all(asked), `the outcomes of round ${round}`);

        expect(outcomes.map(({ text }) => text)).toEqual(['done', 'done', 'done']);
      }
    },
  );

  it('keeps a steer that comes meanwhile, and takes it in its next turn (W6, M2)', async () => {
    const { opened, open } = gate();
    const model = acting((request) =>
      request.turn === 1 ? opened.then(() => ({ text: 'first' })) : { text: 'second' },
    );
    const { supervisor, watch } = watched(createSupervisor({ model, threads: always }));
    const handle = supervisor.start({ goal: 'go' });
    await watch.next('agent_parked');

    const steered = handle.steer('and more');
    open();

    expect(await within(steered, 'the receipt')).toMatchObject({ status: 'delivered' });
    expect(await within(handle.result(), 'the outcome')).toMatchObject({
      text: 'second',
      turns: 2,
    });
  });

  it('by the gateway is answered though its thread serves another, once, with its tokens (W3, W9, V10)', async () => {
    const server = await startStubModelServer(
      Array.from({ length: 20 }, () => ({ type: 'message', text: ['Good ', 'morning.'] })),
    );
    try {
      const { supervisor, watch } = watched(
        createSupervisor({
          model: {
            model: 'claude-sonnet-5',
            apiMode: 'anthropic_messages',
            baseUrl: server.url,
            apiKey: 'any',
          },
          threads: { max: 1, ...always },
          logDirectory: false,
          logger: false,
        }),
      );

      const outcomes = await within(
        supervisor.delegate(Array.from({ length: 20 }, (_, at) => ({ goal: `task ${at}` }))),
        'the outcomes',
      );

      expect(outcomes.map(({ status }) => status)).toEqual(Array(20).fill('completed'));
      expect(outcomes.every(({ usage }) => usage.own.modelCalls === 1)).toBe(true);
      expect(outcomes.every(({ usage }) => usage.own.inputTokens > 0)).toBe(true);
      expect(watch.of('agent_parked')).toHaveLength(20);
    } finally {
      await server.close();
    }
  });
});

describe('a tool that keeps its thread', () => {
  it('has it for all calls of the run, which waits in it (W5)', async () => {
    const { supervisor, watch } = supervise(calls(['stays', {}], ['stays', {}]), {
      tools: [toolFixture('keeps')],
      threads: always,
    });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    const ends = watch.events.map(({ type }) => type);
    const after = watch.events.slice(ends.lastIndexOf('tool_completed'));
    expect(after.filter(({ type }) => type === 'agent_parked')).toEqual([]);
  });

  it('by what it left open is reported, once, and costs no other agent anything (W5)', async () => {
    const { opened, open } = gate();
    const model = acting((request) => {
      if (request.turn === 1) return { calls: [['ticks', {}]] };
      return opened.then(() => ({ text: 'done' }));
    });
    const { supervisor, watch } = watched(
      createSupervisor({ model, tools: [toolFixture('keeps')], threads: always, logger: false }),
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started', ({ turn }) => turn === 2);
    await turns();
    open();

    expect((await within(handle.result(), 'the outcome')).status).toBe('completed');
    await watch.next('thread_lost');
  });
});
