// Checks agents whose threads are in processes of their own: what ends one of them ends nothing else, whatever it is.
import { fileURLToPath } from 'node:url';
import { BroadcastChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSupervisor, defineTool, type SupervisorOptions } from '#src/index.js';
import { checkSupervisorOptions } from '#src/supervisor/check-supervisor-options.js';
import { startStubModelServer } from '#src/testing.js';
import { folderWith, startNode } from '../support/command.ts';
import { groupIsGone, membersOf } from '../support/processes.ts';
import { answered, calls, rejection, supervise, toolFixture, watched, within } from './support.ts';

const profile = { isolation: 'process', maxHeapMb: 24, memoryMb: 192 } as const;
const options: Partial<SupervisorOptions> = {
  tools: [toolFixture('contained')],
  threads: { profile },
};

const act = (what: string) => calls(['act', { what }]);

/** One agent for each of these, in a supervisor of their own. */
function supervised(whats: readonly string[], more: Partial<SupervisorOptions> = {}) {
  const agents = Object.fromEntries(whats.map((what, at) => [`a${at}`, act(what).default ?? []]));
  const opened = supervise(
    { agents },
    { ...options, agents: whats.map((_, at) => ({ name: `a${at}` })), ...more },
  );
  const run = (at: number) =>
    within(opened.supervisor.delegate({ goal: 'g', agent: `a${at}` }), `the end of ${whats[at]}`);
  return { ...opened, run };
}

const providerAt = (baseUrl: string) =>
  ({
    model: 'claude-sonnet-5',
    apiMode: 'anthropic_messages',
    baseUrl,
    apiKey: 'any',
  }) as const;

describe('an agent in a process of its own', () => {
  it('runs its tools there, and leaves the process to the next with the same tools (decision 1)', async () => {
    const { run, model } = supervised(['pid', 'pid']);

    const pids = [];
    for (const at of [0, 1]) {
      expect(await run(at)).toMatchObject({ status: 'completed', toolCalls: 1 });
      pids.push(answered(model)[0]?.[0]);
    }

    expect(pids[0]).toMatch(/^\d+$/);
    expect(Number(pids[0])).not.toBe(process.pid);
    expect(pids[1]).toBe(pids[0]);
  });

  it('reaches a provider by way of the host (D23)', async () => {
    const server = await startStubModelServer([
      { type: 'message', toolCalls: [{ id: 'c', name: 'act', input: { what: 'pid' } }] },
      { type: 'message', text: 'done' },
    ]);
    const model = providerAt(server.url);
    const { supervisor } = watched(createSupervisor({ ...options, model, logDirectory: false }));

    const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the outcome');
    await server.close();

    expect(outcome).toMatchObject({ status: 'completed', text: 'done', toolCalls: 1 });
    expect(server.requests()).toHaveLength(2);
  });

  it('asks its model once more when the gateway was lost, by way of the entry of a bundle (W3)', async () => {
    const server = await startStubModelServer([{ type: 'silence' }]);
    const model = providerAt(server.url);
    const workerUrl = new URL('../fixtures/entries/mortal-gateway.js', import.meta.url);
    const threads = { profile, workerUrl };
    const { supervisor } = watched(
      createSupervisor({ model, threads, logDirectory: false, logger: false }),
    );
    const outcome = supervisor.delegate({ goal: 'g' });
    await within(server.nextRequest(), 'the first request');
    server.reply({ type: 'message', text: 'done' });

    const channel = new BroadcastChannel('troupe-test-gateways-end');
    channel.postMessage('now');
    channel.close();

    expect(await within(outcome, 'the outcome')).toMatchObject({ status: 'completed' });
    expect(server.requests()).toHaveLength(2);
    await server.close();
  });

  it('leaves its process while it waits, to as many as come (W1, W2)', async () => {
    const late = defineTool({
      name: 'late',
      description: 'Waits until all have come.',
      input: z.object({}),
      run: () => {
        waiting += 1;
        if (waiting === 6) comeAll();
        return allCame.then(() => 'there');
      },
    });
    let waiting = 0;
    let comeAll = (): void => {};
    const allCame = new Promise<void>((resolve) => {
      comeAll = resolve;
    });
    const { supervisor } = supervise(calls('late'), {
      tools: [late, toolFixture('contained')],
      threads: { profile, max: 1 },
    });

    const tasks = Array.from({ length: 6 }, (_, at) => ({ goal: `g${at}` }));
    const outcomes = await within(supervisor.delegate(tasks), 'all of them');

    expect(outcomes.map(({ status }) => status)).toEqual(Array(6).fill('completed'));
  });

  it('has the environment of its profile, and no other (decision 12)', async () => {
    process.env['TROUPE_TEST_SECRET'] = 'not for tools';
    process.env['TROUPE_TEST_NAMED'] = 'for tools';
    const named = { ...profile, env: ['TROUPE_TEST_NAMED'] };
    const { run, model } = supervised(['env'], { threads: { profile: named } });

    await run(0);

    const [[text = ''] = []] = answered(model);
    expect(text).toContain('for tools');
    expect(text).not.toContain('not for tools');
    delete process.env['TROUPE_TEST_SECRET'];
    delete process.env['TROUPE_TEST_NAMED'];
  });
});

describe('a process of an agent', () => {
  it.each([
    'a growing Map',
    'a growing Set',
    'an array of numbers',
    'a wide object',
    'one huge array',
    'one huge parse',
    'a string that doubles',
    'a cache with awaits',
    'closures',
    'Buffers',
  ])('ends alone, out of memory, by %s (V1)', async (what) => {
    const { run } = supervised([what, 'pid']);

    const outcome = await run(0);

    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'out_of_memory' } });
    expect(await run(1)).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['a segmentation fault', 'crashed', 'the process was ended by SIGSEGV'],
    ['a kill', 'crashed', 'the process was ended by SIGKILL'],
    ['an exit', 'thread_exited', 'the thread exited with code 3'],
    ['bytes that are no message', 'protocol_violation', 'a message of 4294967295 bytes'],
    ['a message that is none', 'protocol_violation', 'a process sent what is no message'],
  ])('ends alone by %s (V1)', async (what, code, message) => {
    const { run } = supervised([what, 'pid']);

    const outcome = await run(0);

    expect(outcome).toMatchObject({ status: 'failed', error: { code } });
    expect(outcome.error?.message).toContain(message);
    expect(await run(1)).toMatchObject({ status: 'completed' });
  });

  it('takes with it what its tools have started, though it dies of itself (J2)', async () => {
    const { supervisor, model } = supervise(
      {
        default: [
          ...(act('a child').default ?? []).slice(0, 1),
          ...(act('a segmentation fault').default ?? []),
        ],
      },
      options,
    );

    const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the outcome');

    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'crashed' } });
    const group = Number(answered(model)[0]?.[0]);
    expect(group).toBeGreaterThan(0);
    await groupIsGone(group);
  });

  it('ends while it spins, and nothing of it is left (S7, V6)', async () => {
    const { supervisor, model, watch } = supervise(
      { default: [...(act('pid').default ?? []).slice(0, 1), ...(act('a spin').default ?? [])] },
      { ...options, timeouts: { interruptGraceMs: 50, stopGraceMs: 50 } },
    );
    const handle = supervisor.start({ goal: 'g' });
    await expect.poll(() => answered(model)[0]?.[0], { timeout: 20_000 }).toMatch(/^\d+$/);
    const pid = Number(answered(model)[0]?.[0]);
    const started = () => watch.events.filter(({ type }) => type === 'tool_started');
    await expect.poll(() => started().length, { timeout: 20_000 }).toBe(2);
    expect(membersOf(pid)).toContain(pid);

    await within(handle.interrupt({ reason: 'enough' }), 'the receipts');

    expect(await within(handle.result(), 'the outcome')).toMatchObject({ status: 'interrupted' });
    await groupIsGone(pid);
  });

  it.each(['kill', 'exit'])('ends with a host that ends by %s (J2)', async (end) => {
    const program = fileURLToPath(
      new URL('../fixtures/programs/holds-processes.js', import.meta.url),
    );
    const service = startNode([program, end], { cwd: folderWith(), hasInput: true });
    await within(service.says(/group \d+\n/), 'the number of the process');
    const [, group] = /group (\d+)/.exec(service.text) ?? [];
    expect(membersOf(Number(group)).length).toBeGreaterThan(0);

    service.child.stdin?.write('now\n');
    await within(service.ended, 'the end of the host');

    await groupIsGone(Number(group));
  });
});

describe('a process that cannot start', () => {
  const unknown = { profile: { ...profile, execArgv: ['--no-such-flag'] } };

  it('fails the agent that was to run there, once (V1)', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] }, { threads: unknown });

    const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the outcome');

    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'spawn_failed' } });
    expect(outcome.error?.message).toContain('bad option: --no-such-flag');
  });

  it('fails the agent where the system starts none (V1)', async () => {
    // More than the system takes for a process.
    process.env['TROUPE_TEST_BIG'] = 'x'.repeat(4_000_000);
    const threads = { profile: { ...profile, env: ['TROUPE_TEST_BIG'] } };
    const { supervisor } = supervise({ default: [{ text: 'done' }] }, { threads });

    const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the outcome');

    delete process.env['TROUPE_TEST_BIG'];
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'spawn_failed' } });
    expect(outcome.error?.message).toContain('E2BIG');
  });

  it('refuses a task whose tools are to be described there', async () => {
    const { run } = supervised(['pid'], { threads: unknown });

    expect(await rejection(run(0))).toMatchObject({
      code: 'tool_module_failed',
      message: expect.stringContaining('bad option: --no-such-flag'),
    });
  });
});

it.each([
  ['process', 8],
  ['thread', 64],
] as const)('there are at most so many slots of a %s by default: %i (W2)', (isolation, max) => {
  const given = { model: 'offline', threads: { profile: { isolation } } };

  expect(checkSupervisorOptions(given).threads.max).toBe(max);
});

it('a cap of memory for threads is refused before anything starts', async () => {
  const bad = { ...options, model: 'offline', threads: { profile: { memoryMb: 512 } } } as const;

  const error = await rejection((async () => createSupervisor(bad))());

  expect(error).toMatchObject({
    code: 'invalid_options',
    message: expect.stringContaining("needs isolation: 'process'"),
  });
});
