// Checks what an interrupt does that overtakes a request on its way to a model of the host: nobody is asked (S8).
import { describe, expect, it } from 'vitest';
import { inShort, supervise, within } from './support.ts';

const soon = { timeoutMs: 20_000 };

describe('a request to a model that an interrupt overtakes', () => {
  it('reaches no model when its task is interrupted in the tick it comes (S8)', async () => {
    const { supervisor, model } = supervise({ default: [{ hang: true }] });
    const handle = supervisor.start({ goal: 'a' });
    const receipts = new Promise((resolve) => {
      // Told of in the same batch, right before the request.
      supervisor.on('turn_started', () => resolve(handle.interrupt()));
    });

    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['interrupted', 'interrupted', '']);
    expect(await within(receipts, 'the receipts')).toMatchObject([{ stage: 'interrupted' }]);
    expect(model.requests()).toHaveLength(0);
  });

  it('is known to the next run of its agent, which asks (S5, S8)', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'answer' }] });
    const agent = await within(supervisor.spawn({ name: 'a' }), 'the agent');
    const off = supervisor.on('turn_started', () => {
      off();
      void agent.interrupt({ reason: 'enough' });
    });
    const first = await within(agent.ask('one', soon), 'the first answer');

    const second = await within(agent.ask('two', soon), 'the second answer');

    expect([first.exitReason, second.exitReason]).toEqual(['interrupted', 'goal']);
    const contents = model.requests().map(({ messages }) => messages.map(({ content }) => content));
    expect(contents).toHaveLength(1);
    expect(JSON.stringify(contents)).toMatch(/one.*two/);
    expect(agent.history().map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  });
});
