// Checks the terminal toolset in agents: whose the shell is, and that it ends with them, however they end.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '#src/base/clock.js';
import { defineTool } from '#src/index.js';
import { ManualClock, type Script } from '#src/testing.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { groupIsGone, membersOf } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { answered, calls, supervise, toolFixture, within } from './support.ts';

const command = (text: string) => ({ name: 'terminal', input: { command: text } });

const background: Script = {
  default: [
    { toolCalls: [command('echo $PPID > group; sleep 1000 & sleep 1000')], text: 'shell' },
    { text: 'done' },
  ],
};

/** Resolves with the group of the shell once a tool of the script says so. */
function groupIn(workspace: string): Promise<number> {
  const file = `${workspace}/group`;
  return until(() => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return text.endsWith('\n') ? Number(text) : null;
  }, 'the group of the shell');
}

describe('the terminal toolset', () => {
  it('keeps one shell per agent, in its workspace, and ends it with the agent', async () => {
    const workspace = temporaryFolder();
    const { supervisor, model, watch } = supervise(
      {
        default: [
          { toolCalls: [command('mkdir -p here; cd here; sleep 1000 & echo $PPID > ../group')] },
          { toolCalls: [command('pwd')] },
          { text: 'done' },
        ],
      },
      { workspace },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a', toolsets: ['terminal'] }), 'it');

    expect(outcome.status).toBe('completed');
    expect(answered(model)).toEqual([[`${workspace}/here`, false]]);
    expect(watch.of('tool_started').map(({ where }) => where)).toEqual(['host', 'host']);
    await groupIsGone(await groupIn(workspace));
  });

  it('shows its shells no key of the service', async () => {
    process.env['TROUPE_TEST_SECRET'] = 'top';
    const { supervisor, model } = supervise(calls(['terminal', { command: 'env' }]));

    await within(supervisor.delegate({ goal: 'a', toolsets: ['terminal'] }), 'it');

    delete process.env['TROUPE_TEST_SECRET'];
    expect(answered(model)[0]?.[0]).toContain('PATH=');
    expect(answered(model)[0]?.[0]).not.toContain('TROUPE_TEST_SECRET');
  });

  it.each(['interrupt', 'close', 'timeout'] as const)(
    'leaves no process behind after an %s in the middle of a command',
    async (how) => {
      const workspace = temporaryFolder();
      const clock = how === 'timeout' ? new ManualClock() : systemClock;
      const { supervisor } = supervise(background, {
        workspace,
        clock,
        timeouts: { stopGraceMs: 300, toolTimeoutMs: 600_000 },
      });
      const handle = supervisor.start({ goal: 'a', toolsets: ['terminal'] });
      const group = await groupIn(workspace);

      if (how === 'interrupt') await within(handle.interrupt(), 'the receipts');
      if (clock instanceof ManualClock) await clock.advance(600_000);
      if (how === 'close') await within(supervisor.close(), 'close');

      await within(handle.result(), 'the outcome');
      await groupIsGone(group);
    },
  );

  it.each(['crash', 'kill'] as const)('ends it when the agent ends by a %s', async (how) => {
    const workspace = temporaryFolder();
    const { supervisor, watch } = supervise(
      {
        default: [
          { toolCalls: [command('echo $PPID > group; sleep 1000 &')] },
          { toolCalls: [{ name: how === 'crash' ? 'exit' : 'ignore', input: {} }] },
          { text: 'done' },
        ],
      },
      {
        workspace,
        tools: [toolFixture('stubborn')],
        timeouts: { interruptGraceMs: 50, stopGraceMs: 50 },
      },
    );
    const handle = supervisor.start({ goal: 'a', toolsets: ['terminal'] });
    await watch.next('tool_started', ({ name }) => name !== 'terminal');
    const group = await groupIn(workspace);

    if (how === 'kill') await within(handle.interrupt(), 'the receipts');

    const { exitReason } = await within(handle.result(), 'the outcome');
    expect(exitReason).toBe(how === 'kill' ? 'killed' : 'crashed');
    await groupIsGone(group);
  });

  it('keeps the shell of a spawned agent from run to run, until one is interrupted (S5)', async () => {
    const workspace = temporaryFolder();
    const { supervisor, model } = supervise(
      {
        default: [
          { toolCalls: [command('echo "[$x]"; x=1; echo $PPID > group')] },
          { text: 'done' },
        ],
      },
      { workspace },
    );
    const agent = await within(
      supervisor.spawn({ name: 'hand', toolsets: ['terminal'] }),
      'the agent',
    );

    await within(agent.ask('one', { timeoutMs: 20_000 }), 'the first');
    const group = await groupIn(workspace);
    await within(agent.ask('two', { timeoutMs: 20_000 }), 'the second');

    expect(answered(model)).toEqual([['[1]', false]]);
    // The launcher and its shell; the process that reported the command's status may take a moment to be gone.
    await until(() => (membersOf(group).length === 2 ? true : null), 'the launcher and its shell');
    await within(agent.stop(), 'the stop');
    await groupIsGone(group);
  });

  it('is refused beside a tool of the same name', async () => {
    const twin = defineTool({
      name: 'terminal',
      description: 'Another.',
      input: z.object({}),
      run: () => '',
    });
    const { supervisor } = supervise({ default: [{ text: 'done' }] }, { tools: [twin] });

    await expect(supervisor.delegate({ goal: 'a', toolsets: ['terminal'] })).rejects.toMatchObject({
      code: 'invalid_tool',
    });
  });
});
