// Checks that a run is not idle while a silent call of it demonstrably works or has a limit of its own (V8, V9).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type McpConnections } from '#src/index.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { threadSpins } from '../support/processes.ts';
import { command, connected } from '../tools/mcp-support.ts';
import {
  calls,
  gate,
  superviseInManualTime,
  superviseUnacknowledged,
  toolFixture,
  within,
} from './support.ts';

type Tools = McpConnections['tools'];

const idleTimeoutMs = 1_000;

describe('a silent call', () => {
  it('goes on while its thread works, which is told with its name (V9)', async () => {
    const file = join(temporaryFolder(), 'go');
    const { supervisor, clock, watch } = superviseUnacknowledged(calls(['grinds', { file }]), {
      timeouts: { idleTimeoutMs },
      tools: [toolFixture('grinds')],
    });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');
    await threadSpins(process.pid);

    await clock.advance(3.5 * idleTimeoutMs);
    expect(handle.status()).toBe('running');
    writeFileSync(file, '');
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
    expect(watch.of('idle_warning')[0]).toMatchObject({ tools: ['grinds'] });
    const logged = watch.of('log').map(({ level, message }) => `${level} ${message}`);
    expect(logged).toHaveLength(3);
    for (const each of logged) expect(each).toMatch(/^warn "grinds" has said nothing for \d000 ms/);
  });

  it('is ended by the limit of tools, however long it works (V9)', async () => {
    const { supervisor, clock, watch } = superviseUnacknowledged(calls('ignore'), {
      timeouts: { idleTimeoutMs, toolTimeoutMs: 10_000, interruptGraceMs: 500, stopGraceMs: 500 },
      tools: [toolFixture('stubborn')],
    });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');
    await threadSpins(process.pid);

    await clock.advance(9_999);
    expect(handle.status()).toBe('running');
    await clock.advance(3_000);

    const outcome = await within(handle.result(), 'the outcome');
    expect(outcome.error?.code).toBe('tool_timeout');
    expect(watch.of('timeout_fired').map((event) => event.clock)).toEqual(['tool']);
  });

  it('counts as activity until its own time is over (V8)', async () => {
    const { opened, open } = gate();
    const slow = defineTool({
      name: 'slow',
      description: 'Waits.',
      input: z.object({}),
      timeoutMs: 60_000,
      run: () => opened.then(() => 'late'),
    });
    const { supervisor, clock, watch } = superviseInManualTime(calls('slow'), {
      timeouts: { idleTimeoutMs },
      tools: [slow],
    });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');

    await clock.advance(59_000);
    expect([handle.status(), watch.of('idle_warning')]).toEqual(['waiting', []]);
    open();

    expect((await within(handle.result(), 'the outcome')).text).toBe('done');
  });

  it.each([
    ['of the program', (tools: Tools) => ({ tools }), {}],
    ['of an agent', (tools: Tools) => ({ agents: [{ name: 'clerk', tools }] }), { agent: 'clerk' }],
  ])('of an MCP server %s counts until its own time is over (V8)', async (_whose, having, task) => {
    const { tools } = await connected({ mcpServers: { fix: command('stdio-server') } });
    const { supervisor, clock, watch } = superviseInManualTime(calls('mcp__fix__hang'), {
      timeouts: { idleTimeoutMs },
      ...having(tools),
    });
    const handle = supervisor.start({ goal: 'a', ...task });
    await watch.next('tool_started');

    await clock.advance(59_999);
    expect([handle.status(), watch.of('idle_warning')]).toEqual(['waiting', []]);
    await clock.advance(1);
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
    expect(outcome.toolTrace).toMatchObject([{ name: 'mcp__fix__hang', status: 'failed' }]);
    expect(watch.of('timeout_fired')).toMatchObject([{ clock: 'tool', limitMs: 60_000 }]);
  });

  it('of the terminal counts while its command has time (V8)', async () => {
    const workspace = temporaryFolder();
    const command = 'while [ ! -e go ]; do sleep 0.02; done; echo went';
    const { supervisor, clock, watch } = superviseInManualTime(calls(['terminal', { command }]), {
      timeouts: { idleTimeoutMs },
      workspace,
    });
    const handle = supervisor.start({ goal: 'a', toolsets: ['terminal'] });
    await watch.next('tool_started');

    await clock.advance(60_000);
    expect(handle.status()).toBe('waiting');
    writeFileSync(join(workspace, 'go'), '');

    expect((await within(handle.result(), 'the outcome')).status).toBe('completed');
  });
});
