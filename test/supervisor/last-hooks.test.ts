// Checks the hooks after a run that is interrupted while it has no thread: it gets one for them, at once (W6, D23).
import { BroadcastChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSupervisor, defineTool, type Hooks } from '#src/index.js';
import { acting, givenUp, goalOf } from '../field/support.ts';
import { hookFixture } from './hook-support.ts';
import { gate, toolFixture, turns, type Watch, watched, within } from './support.ts';

/** Given up with the call that it is made for. */
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const waits = defineTool({
  name: 'waits',
  description: 'Waits.',
  input: z.object({}),
  run: (_input, { signal }) => never(signal),
});

/** What the run waits for, by the phase that says so: its model, a tool of the service, a person, a hook before a tool. */
const open = {
  waiting_for_model: null,
  in_tool: 'waits',
  waiting_for_approval: 'always',
  in_hook: null,
} as const;
type Phase = keyof typeof open;

function arrange(phase: Phase, hooks: readonly (Hooks | URL)[]) {
  const tool = open[phase];
  const model = acting((_request, call) => {
    if (tool !== null) return { calls: [[tool, {}]] };
    return phase === 'in_hook' ? { text: 'done' } : givenUp(call);
  });
  const before: Hooks = {
    beforeTurn: (_turn, { signal }) => (phase === 'in_hook' ? never(signal) : null),
  };
  const { supervisor, watch } = watched(
    createSupervisor({
      model,
      tools: [toolFixture('careful'), waits],
      approve: ({ signal }) => never(signal),
      agents: [{ name: 'one', hooks: [before, ...hooks] }],
      threads: { parking: 'always', max: 1 },
      // Nothing but the hooks themselves ends the run.
      timeouts: { interruptGraceMs: 3_600_000 },
      logDirectory: false,
      logger: false,
    }),
  );
  return { supervisor, watch };
}

/** The run has left its thread and waits. */
async function untilLeft(watch: Watch, phaseNow: () => string | undefined, phase: Phase) {
  const isLeft = (): boolean =>
    phaseNow() === phase && watch.of('agent_parked').length > watch.of('agent_activated').length;
  await expect.poll(isLeft, { timeout: 20_000 }).toBe(true);
}

const phases = Object.keys(open) as Phase[];
const cases = phases.flatMap((phase) => [[phase, 'task'] as const, [phase, 'persistent'] as const]);

describe.each(cases)('a run that is %s, of an agent with the lifetime %s', (phase, lifetime) => {
  async function interrupted(hooks: readonly (Hooks | URL)[]) {
    const { supervisor, watch } = arrange(phase, hooks);
    const phaseNow = () => supervisor.tree()[0]?.phase;
    if (lifetime === 'task') {
      const handle = supervisor.start({ goal: 'a', agent: 'one' });
      await untilLeft(watch, phaseNow, phase);
      await within(handle.interrupt({ reason: 'enough' }), 'the receipts');
      return { outcome: await within(handle.result(), 'the outcome'), watch };
    }
    const agent = await within(supervisor.spawn('one', { name: 'p' }), 'the agent');
    const asked = agent.ask('a', { timeoutMs: 60_000 });
    await untilLeft(watch, phaseNow, phase);
    await within(agent.interrupt({ reason: 'enough' }), 'the receipts');
    return { outcome: await within(asked, 'the outcome'), watch };
  }

  it('awaits its last hooks of the service (W6, D23)', async () => {
    const order: string[] = [];
    const last: Hooks = {
      afterRun: async ({ exitReason }) => {
        await turns();
        order.push(exitReason);
      },
    };

    const { outcome } = await interrupted([last]);

    order.push(`outcome: ${outcome.status}`);
    expect(order).toEqual(['interrupted', 'outcome: interrupted']);
  });

  it('has its last hooks in a thread (W6, D23)', async () => {
    const { outcome, watch } = await interrupted([hookFixture('ends')]);

    expect(outcome.exitReason).toBe('interrupted');
    const failed = watch.of('log').flatMap(({ failure }) => failure?.message ?? []);
    expect(failed.join()).toContain('after the run: interrupted');
  });
});

describe('a run that has what it waited for and no thread yet', () => {
  it.each([1, 2])(
    'has its last hooks in one when it is interrupted %i times meanwhile (W6, S1, D23)',
    async (times) => {
      const { opened, open: answer } = gate();
      const spinning = gate();
      const late = defineTool({
        name: 'late',
        description: 'Waits until the test goes on.',
        input: z.object({}),
        run: () => opened.then(() => 'there'),
      });
      const model = acting(({ agent, messages }) => {
        if (messages.length > 1) return { text: 'done' };
        return { calls: [agent.name === 'one' ? ['late', {}] : ['hold', {}]] };
      });
      const { supervisor, watch } = watched(
        createSupervisor({
          model,
          tools: [late, toolFixture('holds')],
          agents: [{ name: 'one', hooks: [hookFixture('ends')] }, { name: 'other' }],
          threads: { parking: 'always', max: 1 },
          timeouts: { interruptGraceMs: 3_600_000 },
          logDirectory: false,
          logger: false,
        }),
      );
      const handle = supervisor.start({ goal: 'a', agent: 'one' });
      await untilLeft(watch, () => supervisor.tree()[0]?.phase, 'in_tool');
      const channel = new BroadcastChannel('troupe-test-holds');
      channel.onmessage = () => spinning.open();
      const other = supervisor.start({ goal: 'b', agent: 'other' });
      await within(spinning.opened, 'the tool that holds the thread');
      answer();
      await expect.poll(() => handle.status(), { timeout: 20_000 }).toBe('ready');

      const receipts = Array.from({ length: times }, () => handle.interrupt({ reason: 'enough' }));
      channel.postMessage('go on');

      await within(Promise.all(receipts), 'the receipts');
      channel.close();
      expect((await within(handle.result(), 'the outcome')).status).toBe('interrupted');
      expect((await within(other.result(), 'the other')).status).toBe('completed');
      const failed = watch.of('log').flatMap(({ failure }) => failure?.message ?? []);
      expect(failed.filter((text) => text.includes('after the run: interrupted'))).toHaveLength(1);
    },
  );
});

it('a run that is interrupted as it leaves its thread is parked first, and gets one again after that (W6, O1)', async () => {
  const { supervisor, watch } = watched(
    createSupervisor({
      model: acting((request, call) =>
        goalOf(request).includes('one') ? givenUp(call) : { text: 'done' },
      ),
      agents: [{ name: 'one', hooks: { afterRun: async () => {} } }],
      threads: { max: 1, parking: 'when-needed' },
      logDirectory: false,
      logger: false,
    }),
  );
  const seen: string[] = [];
  supervisor.on('agent_parked', ({ taskId }) => seen.push(`${taskId} parked`));
  supervisor.on('agent_activated', ({ taskId }) => seen.push(`${taskId} activated`));
  supervisor.on('turn_started', ({ taskId }) => {
    if (taskId === handle.id) void handle.interrupt({ reason: 'enough' });
  });
  const handle = supervisor.start({ goal: 'the one', agent: 'one' });
  // Waits for the one thread, so that the first leaves it instead of asking its model.
  const other = supervisor.start({ goal: 'b', agent: 'one' });

  expect((await within(handle.result(), 'the outcome')).status).toBe('interrupted');
  expect((await within(other.result(), 'the other')).status).toBe('completed');
  const { id: taskId } = handle;
  expect(seen.filter((each) => each.startsWith(`${taskId} `))).toEqual([
    `${taskId} parked`,
    `${taskId} activated`,
  ]);
  expect(watch.of('log')).toEqual([]);
});
