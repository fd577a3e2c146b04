// Checks the end of supervisors: what close ends, what it leaves behind, who keeps a process alive.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSupervisor } from '#src/index.js';
import { scripted } from '#src/testing.js';
import { census, lastingLeaks } from '../leaks.ts';
import { delegate, handsTo, named } from './family.ts';
import { inShort, rejection, supervise, toolFixture, within } from './support.ts';

const run = promisify(execFile);
const script = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/programs/${name}.js`, import.meta.url));

describe('close', () => {
  it('interrupts what runs and what waits, and leaves nothing behind (V6)', async () => {
    const before = census();
    const { supervisor, watch, model } = supervise(
      {
        default: [{ chunks: ['so far'], hang: true }],
        agents: { parent: [handsTo('leaf', 'leaf')], leaf: [{ hang: true }] },
      },
      { tools: [delegate], agents: named('parent', 'leaf'), limits: { maxLiveAgents: 3 } },
    );
    const handles = [
      supervisor.start({ goal: 'a' }),
      supervisor.start({ goal: 'b', agent: 'parent' }),
      supervisor.start({ goal: 'c' }),
      supervisor.start({ goal: 'd' }),
    ];
    await watch.next('turn_started', ({ depth }) => depth === 1);
    await watch.next('model_delta');

    await within(Promise.all([supervisor.close(), supervisor.close()]), 'close');

    const outcomes = await Promise.all(handles.map((handle) => handle.result()));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'interrupted',
        error: { code: 'interrupted', message: 'the supervisor is closing' },
      });
    }
    expect(outcomes[0]?.text).toBe('so far');
    expect([supervisor.tree(), supervisor.totals().live]).toEqual([[], 0]);
    expect(model.requests().length).toBeLessThan(6);
    expect(await lastingLeaks(before)).toEqual([]);
  });

  it('tells a thread that it ended itself from one that failed (V1)', async () => {
    const { supervisor, watch } = supervise(
      {
        default: [{ toolCalls: [{ name: 'exit', input: {} }] }],
        agents: { calm: [{ text: 'a' }] },
      },
      { tools: [toolFixture('stubborn')], agents: [{ name: 'calm' }] },
    );
    await within(supervisor.delegate({ goal: 'a' }), 'the crash');
    await within(supervisor.delegate({ goal: 'b', agent: 'calm' }), 'the outcome');

    await within(supervisor.close(), 'close');

    const lost = watch.of('thread_lost').map(({ failure }) => failure?.code);
    expect(lost).toEqual(['thread_exited', undefined]);
  });

  it('refuses everything new by name and answers what is over (V6)', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const { taskId } = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    await within(supervisor.close(), 'close');

    const code = 'closed';
    expect(await rejection(supervisor.delegate({ goal: 'b' }))).toMatchObject({ code });
    expect(await rejection(supervisor.map([{ goal: 'b' }]).next())).toMatchObject({ code });
    expect(() => supervisor.start({ goal: 'b' })).toThrow(expect.objectContaining({ code }));
    await within(supervisor.drain(), 'the drain');
    expect(supervisor.transcript(taskId)).toHaveLength(2);
    const seqs: number[] = [];
    for await (const { seq } of supervisor.events({ afterSeq: 0 })) seqs.push(seq);
    expect(seqs.length).toBeGreaterThan(5);
  });

  it('kills what does not listen (V6, S3)', async () => {
    const { supervisor, watch } = supervise(
      { default: [{ toolCalls: [{ name: 'ignore', input: {} }] }] },
      { tools: [toolFixture('stubborn')], timeouts: { stopGraceMs: 50 } },
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');

    await within(supervisor.close(), 'close');

    expect(await handle.result()).toMatchObject({
      status: 'interrupted',
      partial: { phase: 'in_tool', toolTrace: [{ name: 'ignore', status: 'running' }] },
    });
  });

  it('cuts a delegation off that still described its modules (V6)', async () => {
    const { supervisor, watch } = supervise({ default: [{ text: 'never' }] });
    const delegating = rejection(supervisor.delegate({ goal: 'a', tools: [toolFixture('plain')] }));
    const handle = supervisor.start({ goal: 'b', tools: [toolFixture('stubborn')] });

    await within(supervisor.close(), 'close');

    expect(await within(delegating, 'the refusal')).toMatchObject({ code: 'closed' });
    expect(await handle.result()).toMatchObject({ status: 'interrupted' });
    expect(watch.of('agent_started')).toEqual([]);
  });

  it('is what asyncDispose does, and costs nothing when nothing was started', async () => {
    const before = census();
    const supervisor = createSupervisor({ model: scripted({ default: [] }) });

    await within(supervisor[Symbol.asyncDispose](), 'close');

    expect(await lastingLeaks(before)).toEqual([]);
  });
});

describe('two supervisors', () => {
  it('side by side share nothing (V6)', async () => {
    const one = supervise({ default: [{ text: 'one' }] }, { limits: { maxLiveAgents: 1 } });
    const two = supervise({ default: [{ hang: true }] }, { limits: { maxLiveAgents: 1 } });
    const hanging = two.supervisor.start({ goal: 'b', name: 'same' });
    await two.watch.next('turn_started');

    const outcome = await within(one.supervisor.delegate({ goal: 'a', name: 'same' }), 'one');
    await within(one.supervisor.close(), 'close');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'one']);
    expect(hanging.status()).toBe('waiting');
    expect(one.watch.events.some(({ taskId }) => taskId === undefined)).toBe(true);
    expect(two.supervisor.totals()).toMatchObject({ agents: 1, live: 1 });
    await within(hanging.interrupt(), 'the receipts');
  });
});

describe('a program that forgets close', () => {
  it.each(['forgets-close', 'forgets-close-offline', 'gave-up'])(
    'ends by itself when its tasks are done: %s (V6)',
    async (name) => {
      const { stdout } = await within(run(process.execPath, [script(name)]), 'the end of it');

      expect(stdout).toBe('completed\n');
    },
  );

  it('is kept alive by keepAlive until it closes (V6)', async () => {
    const { stdout } = await within(
      run(process.execPath, [script('keeps-alive')]),
      'the end of it',
    );

    expect(stdout).toBe('completed\nstill alive\n');
  });
});
