// Proves what becomes of a lost MCP connection, and how servers of before 2025 are reached: real processes, real HTTP.
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '#src/base/clock.js';
import type { TextBlock, ToolResult } from '#src/protocol/history.js';
import { reconnectPauseMs } from '#src/tools/mcp/connection.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { within } from '../supervisor/support.ts';
import { membersOf } from '../support/processes.ts';
import { startOldServer } from './mcp-old-server.ts';
import { command, connected } from './mcp-support.ts';

const textOf = ({ content }: ToolResult): string =>
  (content as readonly TextBlock[])[0]?.text ?? '';
const lost = { isError: true, failure: { code: 'mcp_unavailable', retryable: true } };

describe('an MCP server that is a process and died', () => {
  it('is started again by the next calls, once for all of them, and gone after close', async () => {
    const mcp = await connected({ mcpServers: { fix: command('stdio-server') } });
    const before = Number(textOf(await mcp.call('mcp__fix__pid')));
    const inFlight = mcp.call('mcp__fix__hang');

    const died = await within(mcp.call('mcp__fix__die'), 'the death');
    const [one, two] = await within(
      Promise.all([mcp.call('mcp__fix__pid'), mcp.call('mcp__fix__pid')]),
      'the calls after it',
    );

    expect(died).toMatchObject(lost);
    expect(await within(inFlight, 'the call in flight')).toMatchObject(lost);
    expect(one).toMatchObject({ isError: false });
    expect(textOf(one)).toBe(textOf(two));
    expect(Number(textOf(one))).not.toBe(before);
    await within(mcp.close(), 'close');
    expect(membersOf(Number(textOf(one)))).toEqual([]);
    expect(await mcp.call('mcp__fix__pid')).toMatchObject({
      failure: { code: 'mcp_unavailable', retryable: false },
    });
  });

  it('and cannot be started is tried again after a pause that grows, and calls within it fail at once', async () => {
    const clock = new ManualClock();
    const folder = join(temporaryFolder(), 'here');
    mkdirSync(folder);
    const mcp = await connected(
      { mcpServers: { fix: { ...command('stdio-server'), cwd: folder } } },
      { clock },
    );
    await within(mcp.call('mcp__fix__die'), 'the death');
    renameSync(folder, `${folder}-away`);

    const tried = await within(mcp.call('mcp__fix__pid'), 'the first try');
    const paused = await within(mcp.call('mcp__fix__pid'), 'a call in the pause');
    await clock.advance(500);
    const again = await within(mcp.call('mcp__fix__pid'), 'the second try');
    renameSync(`${folder}-away`, folder);
    await clock.advance(999);
    const still = await within(mcp.call('mcp__fix__pid'), 'a call in the longer pause');
    await clock.advance(1);
    const works = await within(mcp.call('mcp__fix__pid'), 'the third try');

    for (const each of [tried, paused, again, still]) expect(each).toMatchObject(lost);
    expect(tried.content).toContain('cannot be used');
    expect(paused.content).toContain('connected again in 500 ms');
    expect(again.content).toContain('cannot be used');
    expect(still.content).toContain('connected again in 1 ms');
    expect(works).toMatchObject({ isError: false });
  });

  it('is closed while it is started again, and nothing is left', async () => {
    const mcp = await connected({ mcpServers: { fix: command('stdio-server') } });
    await within(mcp.call('mcp__fix__die'), 'the death');

    const call = mcp.call('mcp__fix__pid');
    await within(mcp.close(), 'close');

    expect(await within(call, 'the call')).toMatchObject({ isError: true });
  });

  it.each([
    [0, 0],
    [1, 0],
    [2, 500],
    [3, 1_000],
    [7, 16_000],
    [8, 30_000],
    [1_000, 30_000],
  ])('pauses after %i failures for %i ms', (failures, pauseMs) => {
    expect(reconnectPauseMs(failures)).toBe(pauseMs);
  });
});

describe('an MCP server at an address', () => {
  it('that forgot the session gets a new one with the next call', async () => {
    const server = await startOldServer('sessions');
    const mcp = await connected({ mcpServers: { web: { url: server.url } } });
    const first = await mcp.call('mcp__web__where');
    server.forget();

    const expired = await within(mcp.call('mcp__web__where'), 'the call of the old session');
    const next = await within(mcp.call('mcp__web__where'), 'the call of the new one');

    expect(textOf(first)).toBe('session 1');
    expect(expired).toMatchObject(lost);
    expect(textOf(next)).toBe('session 2');
  });

  it('of before 2025 is spoken to with server-sent events when it refuses streamable HTTP', async () => {
    const server = await startOldServer('events');
    const headers = { 'x-token': 's3cret-of-mine' };
    const mcp = await connected({ mcpServers: { old: { url: server.url, headers } } });

    expect(mcp.diagnostics).toEqual([]);
    expect(textOf(await mcp.call('mcp__old__where'))).toBe('session 1');
    expect(server.requests[0]).toBe('POST /mcp');
    expect(server.requests).toContain('GET /mcp');
    expect(server.requests.at(-1)).toBe('POST /messages where');
    expect([...server.tokens]).toEqual(['s3cret-of-mine']);
  });

  it('of before 2025 whose stream broke fails the calls in flight, and is connected anew', async () => {
    const server = await startOldServer('events');
    const mcp = await connected({ mcpServers: { old: { type: 'sse', url: server.url } } });
    const hanging = mcp.call('mcp__old__hang');
    await mcp.call('mcp__old__where');

    server.forget();

    expect(await within(hanging, 'the call in flight')).toMatchObject(lost);
    expect(textOf(await within(mcp.call('mcp__old__where'), 'the next'))).toBe('session 2');
    expect(server.requests[0]).toBe('GET /mcp');
  });

  it('that is said to speak streamable HTTP is not tried with events', async () => {
    const server = await startOldServer('events');
    const mcp = await connected({ mcpServers: { old: { type: 'http', url: server.url } } });

    expect(mcp.diagnostics).toMatchObject([
      { server: 'old', failure: { code: 'mcp_unavailable', retryable: true } },
    ]);
    expect(server.requests).not.toContain('GET /mcp');
  });
});
