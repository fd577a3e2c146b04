// Checks the clocks of runs in time that is moved by hand: idle in each phase, total, what counts as activity (V8, V9).
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import { threadSpins } from '../support/processes.ts';
import {
  calls,
  gate,
  inShort,
  superviseInManualTime,
  superviseUnacknowledged,
  toolFixture,
  turns,
  within,
} from './support.ts';

const idleIn1s = { timeouts: { idleTimeoutMs: 1_000 } };
const nothing = z.object({});
const stubborn = { ...idleIn1s, tools: [toolFixture('stubborn')] };

/** A host tool that waits until the test lets it go; `waiting` resolves with its context. */
function hostWait() {
  const waiting = gate<Parameters<Parameters<typeof defineTool>[0]['run']>[1]>();
  const release = gate();
  const tool = defineTool({
    name: 'hold',
    description: 'Waits to be let go.',
    input: nothing,
    async run(_input, context) {
      waiting.open(context);
      await release.opened;
      return 'let go';
    },
  });
  return { tool, waiting: waiting.opened, release: release.open };
}

/** Resolves when the tool has beaten since the call: a count of two more has a whole beat in it. */
async function someBeats(file: string): Promise<void> {
  const count = async (): Promise<number> => Number(await readFile(file, 'utf8').catch(() => '0'));
  const before = await count();
  while ((await count()) < before + 2) await turns(1);
}

describe('the idle timeout', () => {
  it('says that the run waited for its model, after a warning at 80 % (V9)', async () => {
    const { supervisor, watch, clock } = superviseInManualTime(
      { default: [{ hang: true }] },
      idleIn1s,
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');

    await clock.advance(799);
    expect(watch.of('idle_warning')).toEqual([]);
    await clock.advance(1);
    expect(watch.of('idle_warning')).toMatchObject([{ idleMs: 800, limitMs: 1_000 }]);
    expect(handle.status()).toBe('waiting');
    await clock.advance(200);
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({
      status: 'timeout',
      exitReason: 'idle_timeout',
      error: {
        code: 'idle_timeout',
        message: 'no activity for 1000 ms while waiting for model',
      },
      partial: { phase: 'waiting_for_model' },
    });
    expect(watch.of('timeout_fired')).toMatchObject([
      { clock: 'idle', limitMs: 1_000, phase: 'waiting_for_model' },
    ]);
  });

  it.each(['wait', 'deaf'])('says that the run was in its tool %s (V9)', async (name) => {
    const { supervisor, watch, clock } = superviseInManualTime(calls(name), stubborn);
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');

    await clock.advance(1_000);
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({
      exitReason: 'idle_timeout',
      error: { message: 'no activity for 1000 ms while in tool' },
      partial: { phase: 'in_tool', text: 'calling', toolTrace: [{ name }] },
    });
  });

  it('says that the run spun, and is a timeout although the ladder had to kill (V9)', async () => {
    const { supervisor, watch, clock } = superviseUnacknowledged(calls('ignore'), {
      ...stubborn,
      timeouts: { idleTimeoutMs: 1_000, interruptGraceMs: 500, stopGraceMs: 500 },
    });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');
    await threadSpins(process.pid);

    // What works without a word has six periods where no other limit is set.
    await clock.advance(5_999);
    expect(handle.status()).toBe('running');
    await clock.advance(2_000);
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({
      status: 'timeout',
      exitReason: 'idle_timeout',
      error: { message: 'no activity for 6000 ms while spinning' },
      partial: { phase: 'spinning', toolTrace: [{ name: 'ignore', status: 'running' }] },
    });
  });

  it('starts again with every sign of activation of a tool (V8)', async () => {
    const { tool, waiting, release } = hostWait();
    const { supervisor, clock, watch } = superviseInManualTime(calls('hold'), {
      ...idleIn1s,
      tools: [tool],
    });
    const handle = supervisor.start({ goal: 'a' });
    const context = await within(waiting, 'the tool');

    await clock.advance(700);
    context.heartbeat();
    await clock.advance(700);
    context.progress(0.5);
    await clock.advance(700);
    context.recordFile('a.txt');
    await clock.advance(700);
    context.recordFile('a.txt');
    await clock.advance(700);
    expect([watch.of('idle_warning'), handle.status()]).toEqual([[], 'waiting']);
    release();

    expect(inShort(await within(handle.result(), 'the outcome'))[0]).toBe('goal');
  });

  it.each(['beat', 'touch_again'])(
    'starts again with each %s of a loop that never awaits (V8)',
    async (name) => {
      const folder = await mkdtemp(join(tmpdir(), 'troupe-beats-'));
      const file = join(folder, 'beats');
      // Its thread has to beat while this one looks without a pause: behind it in line it could starve.
      const { supervisor, clock, watch } = superviseInManualTime(calls([name, { file }]), {
        ...stubborn,
        threads: { profile: { niceness: 0 } },
      });
      const handle = supervisor.start({ goal: 'a' });
      await watch.next('tool_started');

      for (let round = 0; round < 5; round += 1) {
        await within(someBeats(file), 'a heartbeat');
        await clock.advance(700);
      }
      expect([watch.of('timeout_fired'), handle.status()]).toEqual([[], 'running']);
      await within(handle.interrupt(), 'the receipts');
      await rm(folder, { recursive: true });
    },
  );

  it('lets a waiting parent live on its children’s activity, and hang with them (V8)', async () => {
    const { supervisor, clock, watch } = superviseInManualTime(
      {
        default: [{ toolCalls: [{ name: 'delegate', input: {} }] }, { text: 'done' }],
        agents: {
          busy: [
            { delayMs: 900, toolCalls: [{ name: 'echo', input: { text: 'a' } }] },
            { delayMs: 900, toolCalls: [{ name: 'echo', input: { text: 'b' } }] },
            { hang: true },
          ],
        },
      },
      {
        ...idleIn1s,
        agents: [{ name: 'busy', idleTimeoutMs: 60_000 }],
        tools: [
          toolFixture('plain'),
          defineTool({
            name: 'delegate',
            description: 'Delegates.',
            input: nothing,
            run: (_input, tool) => tool.delegate([{ goal: 'below', agent: 'busy' }]),
          }),
        ],
      },
    );
    const handle = supervisor.start({ goal: 'a' });
    for (const turn of [1, 2, 3]) {
      await watch.next('turn_started', (event) => event.depth === 1 && event.turn === turn);
      expect(handle.status()).toBe('waiting');
      if (turn < 3) await clock.advance(900);
    }

    await clock.advance(1_000);
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({
      exitReason: 'idle_timeout',
      error: { message: 'no activity for 1000 ms while waiting for child' },
      partial: { phase: 'waiting_for_child' },
    });
    const [child] = watch.of('task_completed');
    expect(child?.outcome).toMatchObject({ status: 'interrupted', agent: { depth: 1 } });
  });

  it('stands still while a task waits in the queue or is paused (V8)', async () => {
    const { supervisor, clock, watch } = superviseInManualTime(
      { default: [{ hang: true }], agents: { quick: [{ text: 'done' }] } },
      { agents: [{ name: 'quick', idleTimeoutMs: 1_000 }], limits: { maxLiveAgents: 2 } },
    );
    const paused = supervisor.start({ goal: 'paused', agent: 'quick' });
    paused.pause();
    const running = supervisor.start({ goal: 'running' });
    const queued = supervisor.start({ goal: 'queued', agent: 'quick' });
    await watch.next('turn_started', ({ taskId }) => taskId === running.id);

    await clock.advance(60_000);
    expect([paused.status(), queued.status()]).toEqual(['running', 'queued']);
    paused.resume();

    expect((await within(paused.result(), 'the paused one')).status).toBe('completed');
    expect((await within(queued.result(), 'the queued one')).status).toBe('completed');
    await within(running.interrupt(), 'the receipts');
  });
});

describe('the total timeout', () => {
  it('ends a run that makes progress, apart from the idle one (V8)', async () => {
    const { supervisor, clock, watch } = superviseInManualTime(
      {
        default: [
          {
            text: 'step',
            delayMs: 400,
            toolCalls: [{ name: 'echo', input: { text: 'a' } }],
            repeat: true,
          },
        ],
      },
      { ...idleIn1s, tools: [toolFixture('plain')] },
    );
    const handle = supervisor.start({ goal: 'a', totalTimeoutMs: 1_000 });
    for (const turn of [1, 2]) {
      await watch.next('turn_started', (event) => event.turn === turn);
      await clock.advance(400);
    }
    await watch.next('turn_started', (event) => event.turn === 3);

    await clock.advance(200);
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({
      status: 'timeout',
      exitReason: 'total_timeout',
      text: 'step',
      error: { code: 'total_timeout' },
      partial: { phase: 'waiting_for_model', turns: 3 },
    });
    expect(watch.of('idle_warning')).toEqual([]);
  });
});
