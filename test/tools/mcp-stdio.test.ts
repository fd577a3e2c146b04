// Proves what MCP servers that are processes promise as tools: their list, their answers, their environment, their end.
import { describe, expect, it } from 'vitest';
import { ManualClock } from '#src/base/clock.js';
import { TroupeError } from '#src/base/failures.js';
import type { TextBlock } from '#src/protocol/history.js';
import { within } from '../supervisor/support.ts';
import { membersOf } from '../support/processes.ts';
import { command, connected } from './mcp-support.ts';

describe('MCP servers on standard input and output', () => {
  it('answer with text, images and structured content', async () => {
    const mcp = await connected({ mcpServers: { fix: command('stdio-server') } });
    const echo = mcp.tools.find(({ name }) => name === 'mcp__fix__echo');

    expect(mcp.diagnostics).toEqual([]);
    expect(echo).toMatchObject({
      kind: 'tool',
      description: 'Does echo.',
      tags: ['mcp', 'mcp:fix'],
      isIdempotent: false,
      timeoutMs: 60_000,
    });
    expect(await mcp.call('mcp__fix__echo', { text: 'hello' })).toEqual({
      content: [{ type: 'text', text: 'echo hello' }],
      isError: false,
    });
    expect((await mcp.call('mcp__fix__picture')).content).toMatchObject([
      { type: 'text', text: 'a dot' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png' } },
    ]);
    expect((await mcp.call('mcp__fix__figures')).content).toEqual([
      { type: 'text', text: '{"sum":3,"parts":[1,2]}' },
    ]);
  });

  it('judge their arguments, refuse and fail as error results (B27)', async () => {
    const mcp = await connected({
      mcpServers: { fix: command('stdio-server', { FIXTURE_TOKEN: 's3cret-of-mine' }) },
    });

    const wrong = await mcp.call('mcp__fix__echo', { text: 5 });
    const refused = await mcp.call('mcp__fix__refuse');

    expect(wrong).toMatchObject({ isError: true, failure: { code: 'mcp_failed' } });
    expect(wrong.content).toMatch(/text/);
    expect(refused).toMatchObject({ isError: true, failure: { code: 'mcp_failed' } });
    expect(refused.content).toBe('Tool "mcp__fix__refuse" failed: not today: [value]');
  });

  it('get a few harmless variables and their own, and nothing else', async () => {
    process.env['TROUPE_MCP_PROBE'] = 'not for servers';
    const mcp = await connected({
      mcpServers: { fix: command('stdio-server', { FIXTURE_TOKEN: 'mine' }) },
    });

    const { content } = await mcp.call('mcp__fix__variables');
    delete process.env['TROUPE_MCP_PROBE'];

    expect(JSON.stringify(content)).toContain('FIXTURE_TOKEN');
    expect(JSON.stringify(content)).not.toContain('TROUPE_MCP_PROBE');
  });

  it('are gone after close, with what they started, and their calls are error results', async () => {
    const mcp = await connected({ mcpServers: { fix: command('stdio-server') } });
    const pidFrom = async (name: string): Promise<number> => {
      const { content } = await mcp.call(`mcp__fix__${name}`);
      return Number((content as readonly TextBlock[])[0]?.text);
    };
    const [leader, child] = [await pidFrom('pid'), await pidFrom('family')];
    expect([...membersOf(leader)].sort()).toEqual([leader, child].sort());
    const inFlight = mcp.call('mcp__fix__hang');

    await within(mcp.close(), 'close');

    expect(membersOf(leader)).toEqual([]);
    const failed = { isError: true, failure: { code: 'mcp_unavailable' } };
    expect(await within(inFlight, 'the call')).toMatchObject(failed);
    expect(await mcp.call('mcp__fix__pid')).toMatchObject(failed);
  });

  it('make their calls error results at once when they die', async () => {
    const mcp = await connected({ mcpServers: { fix: command('stdio-server') } });
    const hanging = mcp.call('mcp__fix__hang');

    const results = await within(Promise.all([hanging, mcp.call('mcp__fix__die')]), 'both results');

    for (const result of results) {
      expect(result).toMatchObject({
        isError: true,
        failure: { code: 'mcp_unavailable', retryable: true },
      });
      expect(result.content).toContain('MCP server "fix" is gone (exit code 3)');
    }
  });

  it('that read nothing more are lost before their calls fill the memory, and started anew', async () => {
    const mcp = await connected({ mcpServers: { fix: command('stdio-server') } });
    const deaf = await mcp.call('mcp__fix__pid');
    await mcp.call('mcp__fix__deafen');

    const unread = mcp.call('mcp__fix__echo', { text: 'x'.repeat(17_000_000) });
    const refused = mcp.call('mcp__fix__echo', { text: 'y' });

    const failed = { isError: true, failure: { code: 'mcp_unavailable', retryable: true } };
    expect(await within(unread, 'the call that is not read')).toMatchObject(failed);
    expect(await within(refused, 'the call after it')).toMatchObject(failed);
    const anew = await within(mcp.call('mcp__fix__pid'), 'the new one');
    expect(anew.isError).toBe(false);
    expect(anew.content).not.toEqual(deaf.content);
  });

  it('end a call with its signal, and one that takes too long (B31)', async () => {
    const clock = new ManualClock();
    const mcp = await connected({ mcpServers: { fix: command('stdio-server') } }, { clock });
    const abort = new AbortController();

    const given = mcp.call('mcp__fix__hang', {}, { signal: abort.signal });
    abort.abort(new TroupeError('interrupted', 'enough'));
    const long = mcp.call('mcp__fix__hang');
    await mcp.call('mcp__fix__pid');
    await clock.advance(60_000);

    expect(await within(given, 'the first')).toMatchObject({ content: 'enough', isError: true });
    expect(await within(long, 'the second')).toMatchObject({
      isError: true,
      failure: { code: 'tool_timeout' },
    });
    expect((await mcp.call('mcp__fix__echo', { text: 'on' })).isError).toBe(false);
  });

  it('of an older version are listed in pages, their names and descriptions bounded', async () => {
    const mcp = await connected({ mcpServers: { 'old one': command('old-server') } });
    const [one, spaces, long] = mcp.tools;

    expect(mcp.tools).toHaveLength(3);
    expect(one).toMatchObject({ name: 'mcp__old_one__one', description: 'x'.repeat(2_000) });
    expect(spaces?.name).toBe('mcp__old_one__a_tool_with_spaces');
    expect(spaces?.description).toContain('old one');
    expect(long?.name).toMatch(/^mcp__old_one__longlong.*_[0-9a-f]{8}$/);
    expect(long?.name).toHaveLength(64);
    expect((await mcp.call('mcp__old_one__a_tool_with_spaces')).content).toEqual([
      { type: 'text', text: 'called a tool/with spaces' },
    ]);
    expect(mcp.diagnostics).toMatchObject([
      { server: 'old one', tool: 'one', failure: { code: 'invalid_tool' } },
      { server: 'old one', tool: 'huge', failure: { code: 'invalid_tool' } },
    ]);
  });

  it('that cannot be used are diagnostics, and the others work', async () => {
    const clock = new ManualClock();
    const connecting = connected(
      {
        mcpServers: {
          fix: command('stdio-server'),
          absent: { command: '/nowhere/at-all' },
          broken: {
            command: process.execPath,
            args: ['-e', 'throw new Error("no good: " + process.env.TOKEN)'],
            env: { TOKEN: 's3cret-of-mine' },
          },
        },
      },
      { clock },
    );
    const mcp = await within(connecting, 'the connections');
    const by = new Map(mcp.diagnostics.map(({ server, failure }) => [server, failure]));

    expect([...by.keys()].sort()).toEqual(['absent', 'broken']);
    expect(by.get('absent')).toMatchObject({ code: 'mcp_unavailable', retryable: true });
    expect(by.get('absent')?.message).toContain('/nowhere/at-all');
    expect(by.get('broken')?.message).toContain('no good: [value]');
    expect(JSON.stringify(mcp.diagnostics)).not.toContain('s3cret');
    expect((await mcp.call('mcp__fix__echo', { text: 'yes' })).isError).toBe(false);
  });

  it('that say nothing in time are killed, and no secret of theirs is shown', async () => {
    const env = { FIXTURE_TOKEN: 's3cret-of-mine' };

    const mcp = await within(
      connected({ mcpServers: { mute: command('silent-server', env) } }, { connectTimeoutMs: 300 }),
      'the connections',
    );

    expect(mcp.tools).toEqual([]);
    expect(mcp.diagnostics).toMatchObject([
      { server: 'mute', failure: { code: 'mcp_unavailable' } },
    ]);
    expect(JSON.stringify(mcp.diagnostics)).toContain('not ready within 300 ms');
    expect(JSON.stringify(mcp.diagnostics)).not.toContain('s3cret');
  });
});
