// Checks steering on real threads: every answer, every race with an end, one end for each steer (M2).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pairingFault } from '#src/agent/history-repair.js';
import { createSupervisor, defineTool } from '#src/index.js';
import type { Message } from '#src/protocol/history.js';
import { delegate, handsTo, named } from './family.ts';
import { gatedModel } from './gated-model.ts';
import { gate, inShort, rejection, supervise, watched, within } from './support.ts';

const tool = (name: string, run: () => unknown) =>
  defineTool({ name, description: 'Of a test.', input: z.object({}), run });
const calling = (name: string) => ({ text: 'calling', toolCalls: [{ name, input: {} }] });
const oneSlot = { limits: { maxLiveAgents: 1 } };

/** A conversation in short: who speaks, and what kinds of blocks. */
const shape = (messages: readonly Message[]) =>
  messages.map(({ role, content }) => {
    const [first] = content;
    return first?.type === 'text' ? `${role}: ${first.text}` : `${role}: ${first?.type}`;
  });

describe('a steer', () => {
  it('is a user message ahead of the next model call when it comes during a tool (M2)', async () => {
    const wait = gate();
    const { supervisor, model, watch } = supervise(
      { default: [calling('wait'), { text: 'done' }] },
      { tools: [tool('wait', () => wait.opened)] },
    );
    const handle = supervisor.start({ goal: 'go' });
    await watch.next('tool_started');

    const first = handle.steer('to the left');
    const second = supervisor.steer(handle.id, 'no, to the right');
    wait.open();

    const receipts = await within(Promise.all([first, second]), 'the receipts');
    expect(receipts).toEqual([
      { id: 's1', status: 'delivered' },
      { id: 's2', status: 'delivered' },
    ]);
    expect(inShort(await within(handle.result(), 'it'))).toEqual(['goal', undefined, 'done']);
    expect(shape(model.requests()[1]?.messages ?? [])).toEqual([
      'user: go',
      'assistant: calling',
      'user: tool_result',
      'user: to the left',
      'user: no, to the right',
    ]);
    const transcript = supervisor.transcript(handle.id);
    expect(transcript.slice(0, -1)).toEqual(model.requests()[1]?.messages);
    expect(pairingFault(transcript)).toBeNull();
    expect(watch.of('steering_updated')).toMatchObject([
      { steerId: 's1', status: 'delivered', turn: 2, taskId: handle.id },
      { steerId: 's2', status: 'delivered', turn: 2, path: (await handle.result()).agent.path },
    ]);
  });

  it('counts when it comes before the last answer: the run takes another turn', async () => {
    const model = gatedModel();
    const { supervisor } = watched(createSupervisor({ model }));
    const handle = supervisor.start({ goal: 'go' });
    await model.isAsked(1);

    // It overtakes the answer: both go to the thread on one port.
    const receipt = handle.steer('and also this');
    model.answer('too early');
    await model.isAsked(2);
    model.answer('with this');

    expect(await within(receipt, 'the receipt')).toMatchObject({ status: 'delivered' });
    expect(inShort(await within(handle.result(), 'it'))).toEqual(['goal', undefined, 'with this']);
    expect(shape(model.asked[1] ?? [])).toEqual([
      'user: go',
      'assistant: too early',
      'user: and also this',
    ]);
  });

  it('does not cost a run its answer when no turn is left: it is missed (S9)', async () => {
    const model = gatedModel();
    const { supervisor, watch } = watched(createSupervisor({ model }));
    const handle = supervisor.start({ goal: 'go', maxTurns: 1 });
    await model.isAsked(1);
    const receipt = handle.steer('more');

    model.answer('all there is');

    expect(await within(receipt, 'the receipt')).toEqual({ id: 's1', status: 'undelivered' });
    expect((await within(handle.result(), 'it')).text).toBe('all there is');
    const order = watch.events.map(({ type }) => type);
    expect(order.indexOf('steering_updated')).toBeLessThan(order.indexOf('task_completed'));
  });

  it('is queued while its task waits, and stands in the first request', async () => {
    const { supervisor, model, watch } = supervise(
      { default: [{ text: 'done' }], agents: { first: [{ hang: true }] } },
      { ...oneSlot, agents: named('first') },
    );
    const first = supervisor.start({ goal: 'a', agent: 'first' });
    const handle = supervisor.start({ goal: 'b' });
    await watch.next('turn_started');

    expect(await within(handle.steer('mind the gap'), 'it')).toEqual({
      id: 's1',
      status: 'queued',
    });
    await within(first.interrupt(), 'the receipts');
    await within(handle.result(), 'the outcome');

    expect(shape(model.requests()[1]?.messages ?? [])).toEqual(['user: b', 'user: mind the gap']);
    expect(watch.of('steering_updated').map(({ status }) => status)).toEqual([
      'queued',
      'delivered',
    ]);
  });

  it('of a task that never starts is missed, once (S8)', async () => {
    const { supervisor, watch } = supervise({ default: [{ hang: true }] }, oneSlot);
    supervisor.start({ goal: 'a' });
    const handle = supervisor.start({ goal: 'b' });
    await watch.next('turn_started');
    await handle.steer('in vain');

    await within(handle.interrupt(), 'the receipts');

    expect(watch.of('steering_updated').map(({ status }) => status)).toEqual([
      'queued',
      'undelivered',
    ]);
  });

  it('of a parked run is kept and handed to its next activation (V7)', async () => {
    const go = gate();
    const { supervisor, model, watch } = supervise(
      {
        agents: {
          boss: [handsTo('leaf'), { text: 'done' }],
          leaf: [calling('wait'), { text: 'leaf' }],
        },
      },
      {
        tools: [delegate, tool('wait', () => go.opened)],
        agents: named('boss', 'leaf'),
        ...oneSlot,
      },
    );
    const handle = supervisor.start({ goal: 'go', agent: 'boss' });
    await watch.next('tool_started', ({ depth }) => depth === 1);
    expect(handle.status()).toBe('waiting');

    const receipt = await within(handle.steer('hurry'), 'the receipt');
    go.open();
    const outcome = await within(handle.result(), 'the outcome');

    expect([receipt.status, outcome.text]).toEqual(['queued', 'done']);
    expect(shape(model.requests().at(-1)?.messages ?? [])).toEqual([
      'user: go',
      'assistant: handing over',
      'user: tool_result',
      'user: hurry',
    ]);
    expect(watch.of('steering_updated').map(({ status }) => status)).toEqual([
      'queued',
      'delivered',
    ]);
  });

  it('that its thread had when it was parked is handed to its next activation all the same (V7)', async () => {
    const go = gate();
    const leaf = [calling('wait'), { text: 'leaf' }];
    const { supervisor, model, watch } = supervise(
      { agents: { boss: [handsTo('leaf'), { text: 'done' }], leaf, other: [{ text: 'other' }] } },
      {
        tools: [delegate, tool('wait', () => go.opened)],
        agents: named('boss', 'leaf', 'other'),
        limits: { maxLiveAgents: 2 },
      },
    );
    const handle = supervisor.start({ goal: 'go', agent: 'boss' });
    await watch.next('tool_started', ({ depth }) => depth === 1);
    const receipt = handle.steer('hurry');

    await within(supervisor.delegate({ goal: 'beside', agent: 'other' }), 'the other');
    expect(watch.of('agent_parked').map(({ taskId }) => taskId)).toContain(handle.id);
    go.open();
    await within(handle.result(), 'the outcome');

    expect((await within(receipt, 'the receipt')).status).toMatch(/^(delivered|queued)$/);
    expect(shape(model.requests().at(-1)?.messages ?? []).slice(-2)).toEqual([
      'user: tool_result',
      'user: hurry',
    ]);
  });

  it.each(['interrupt', 'kill', 'close'])('is missed when the run ends by %s', async (how) => {
    const { opened, open } = gate();
    const { supervisor, watch } = supervise(
      { default: [calling('wait'), { text: 'done' }] },
      { tools: [tool('wait', () => opened)], agents: named('a') },
    );
    const agent = await within(supervisor.spawn('a'), 'the agent');
    const asked = agent.ask('go', { timeoutMs: 60_000 });
    await watch.next('tool_started');
    const receipt = agent.steer('stop that');

    if (how === 'interrupt') await within(agent.interrupt(), 'the receipts');
    else if (how === 'kill') await within(agent.kill(), 'the receipts');
    else await within(supervisor.close(), 'close');
    open();

    expect(await within(receipt, 'the receipt')).toEqual({ id: 's1', status: 'undelivered' });
    expect((await within(asked, 'the outcome')).status).not.toBe('completed');
    expect(watch.of('steering_updated').map(({ status }) => status)).toEqual(['undelivered']);
  });

  it('of what has ended is missed, by every address', async () => {
    const { supervisor, watch } = supervise({ default: [{ text: 'done' }] });
    const handle = supervisor.start({ goal: 'a', name: 'one' });
    const { agent } = await within(handle.result(), 'the outcome');

    const statuses = [
      await handle.steer('a'),
      await supervisor.steer(handle.id, 'b'),
      await supervisor.steer(agent.id, 'c'),
      await supervisor.steer('/one', 'd'),
    ].map(({ status }) => status);

    expect(statuses).toEqual(['undelivered', 'undelivered', 'undelivered', 'undelivered']);
    expect(watch.of('steering_updated')).toHaveLength(4);
    expect(await rejection(supervisor.steer('t99', 'x'))).toMatchObject({ code: 'unknown_task' });
  });

  it('is refused as the 65th that waits, and as no text (M2)', async () => {
    const { supervisor, watch } = supervise({ default: [{ hang: true }] }, oneSlot);
    supervisor.start({ goal: 'a' });
    const handle = supervisor.start({ goal: 'b' });
    await watch.next('turn_started');
    for (let at = 0; at < 64; at += 1) await handle.steer(`word ${at}`);

    expect(await rejection(handle.steer('too much'))).toMatchObject({
      code: 'mailbox_full',
      retryable: true,
    });
    expect(await rejection(handle.steer('  '))).toMatchObject({ code: 'invalid_options' });
    expect(await rejection(handle.steer(7 as never))).toMatchObject({ code: 'invalid_options' });
    await within(handle.interrupt(), 'the receipts');
    expect(
      watch.of('steering_updated').filter(({ status }) => status === 'undelivered'),
    ).toHaveLength(64);
  });

  it('of a spawned agent goes to the run that is on, else to the next, else to none', async () => {
    const wait = gate();
    const { supervisor, model, watch } = supervise(
      { default: [calling('wait'), { text: 'done' }] },
      { tools: [tool('wait', () => wait.opened)], agents: named('a') },
    );
    const agent = await within(supervisor.spawn('a'), 'the agent');
    expect(await agent.steer('nobody hears it')).toMatchObject({ status: 'undelivered' });

    supervisor.pause();
    const asked = agent.ask('go', { timeoutMs: 60_000 });
    const queued = await within(supervisor.steer(agent.path, 'before'), 'the receipt');
    supervisor.resume();
    await watch.next('tool_started');
    const during = agent.steer('during');
    wait.open();

    expect([queued.status, (await within(during, 'it')).status]).toEqual(['queued', 'delivered']);
    await within(asked, 'the outcome');
    expect(shape(model.requests().at(-1)?.messages ?? [])).toEqual([
      'user: go',
      'user: before',
      'assistant: calling',
      'user: tool_result',
      'user: during',
    ]);
    expect(shape(agent.history())).toContain('user: during');
  });
});
