// Checks the interrupt ladder over tools that spin, wait and do not listen, on real threads.
import { describe, expect, it } from 'vitest';
import { calls, supervise, superviseUnacknowledged, toolFixture, within } from './support.ts';

const stubborn = { tools: [toolFixture('stubborn')] };
/** Long enough never to be reached: what ends before it ended by itself. */
const patient = { ...stubborn, timeouts: { interruptGraceMs: 3_600_000 } };
const impatient = { ...stubborn, timeouts: { interruptGraceMs: 50, stopGraceMs: 50 } };

describe('the interrupt ladder', () => {
  it('reaches a tool that spins and looks; what it finished is kept (S2)', async () => {
    const { supervisor, watch } = supervise(calls('spin'), patient);
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');

    const receipts = await within(handle.interrupt(), 'the receipts');
    const outcome = await within(handle.result(), 'the outcome');

    expect(receipts[0]?.stage).toBe('interrupted');
    expect(outcome).toMatchObject({
      exitReason: 'interrupted',
      partial: { toolTrace: [{ name: 'spin', status: 'completed' }] },
    });
    expect(supervisor.transcript(handle.id).at(-1)?.content).toMatchObject([
      { type: 'tool_result', content: 'saw the interrupt' },
    ]);
  });

  it('aborts the signal of a tool that waits (S2)', async () => {
    const { supervisor, watch } = supervise(calls('wait'), patient);
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');

    const receipts = await within(handle.interrupt(), 'the receipts');

    expect(receipts[0]?.stage).toBe('interrupted');
    expect((await handle.result()).partial?.toolTrace).toMatchObject([{ status: 'failed' }]);
  });

  it('kills a tool that ignores it; text and trace are kept, and the next task runs (S3)', async () => {
    const { supervisor, watch } = supervise(
      { ...calls('ignore'), agents: { good: [{ text: 'good' }] } },
      { ...impatient, agents: [{ name: 'good', tools: [] }], limits: { maxLiveAgents: 1 } },
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');

    const receipts = await within(handle.interrupt(), 'the receipts');
    const outcome = await within(handle.result(), 'the outcome');

    expect(receipts).toMatchObject([{ stage: 'killed', partial: { text: 'calling' } }]);
    expect(outcome).toMatchObject({
      status: 'interrupted',
      exitReason: 'killed',
      text: 'calling',
      partial: { toolTrace: [{ name: 'ignore', status: 'running' }], phase: 'in_tool' },
    });
    const next = await within(supervisor.delegate({ goal: 'b', agent: 'good' }), 'the next');
    expect(next.text).toBe('good');
  });

  it('climbs on the supervisor’s clock, not on the wall (S3)', async () => {
    const { supervisor, watch, clock } = superviseUnacknowledged(calls('ignore'), {
      ...stubborn,
      timeouts: { interruptGraceMs: 60_000, stopGraceMs: 30_000 },
    });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');

    const interrupting = handle.interrupt();
    await clock.advance(89_999);
    expect(handle.status()).toBe('running');
    await clock.advance(1);

    expect(await within(interrupting, 'the receipts')).toMatchObject([
      { stage: 'killed', elapsedMs: 90_000 },
    ]);
  });

  it('gives a tool up that waits and never looks, and retires its thread', async () => {
    const { supervisor, watch } = supervise(calls('deaf'), patient);
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');

    const receipts = await within(handle.interrupt(), 'the receipts');

    expect(receipts[0]?.stage).toBe('interrupted');
    await watch.next('thread_lost');
  });

  it('takes an interrupt that comes again for the same, with receipts for both (S1)', async () => {
    const { supervisor, watch } = supervise(calls('wait'), patient);
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');

    const both = await within(
      Promise.all([handle.interrupt({ reason: 'first' }), supervisor.interrupt(handle.id)]),
      'the receipts',
    );

    expect(both.map(([receipt]) => receipt?.stage)).toEqual(['interrupted', 'interrupted']);
    expect((await handle.result()).error?.message).toBe('first');
  });

  it('keeps a completion that an interrupt races (S9)', async () => {
    const { supervisor, watch } = supervise({ default: [{ text: 'done' }] });
    const stages: Record<string, number> = {};
    for (let round = 0; round < 20; round += 1) {
      const handle = supervisor.start({ goal: 'a' });
      await watch.next('turn_started', ({ taskId }) => taskId === handle.id);

      const [receipt] = await within(handle.interrupt(), 'the receipts');
      const { exitReason, text } = await within(handle.result(), 'the outcome');

      const stage = receipt?.stage ?? 'none';
      stages[stage] = (stages[stage] ?? 0) + 1;
      expect(['completed', 'already_dead', 'interrupted']).toContain(stage);
      if (exitReason === 'goal') expect(text).toBe('done');
      else expect(exitReason).toBe('interrupted');
      if (stage === 'completed') expect(exitReason).toBe('goal');
    }
  });
});
