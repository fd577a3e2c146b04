// Proves what MCP servers at an address promise as tools, against a real one on loopback; and a run that uses both kinds.
import { describe, expect, it } from 'vitest';
import { TroupeError } from '#src/base/failures.js';
import { supervise, within } from '../supervisor/support.ts';
import { command, connected, startHttpServer } from './mcp-support.ts';

describe('MCP servers at an address', () => {
  it('answer, and get their headers with every request', async () => {
    const server = await startHttpServer();
    const headers = { 'x-token': 's3cret-of-mine' };
    const mcp = await connected({ mcpServers: { web: { url: server.url, headers } } });

    const echo = await mcp.call('mcp__web__echo', { text: 'over there' });

    expect(mcp.diagnostics).toEqual([]);
    expect(echo.content).toEqual([{ type: 'text', text: 'echo over there' }]);
    expect(new Set(server.headers)).toEqual(new Set(['s3cret-of-mine']));
  });

  it('hear that a call was given up (B31)', async () => {
    const server = await startHttpServer();
    const mcp = await connected({ mcpServers: { web: { url: server.url } } });
    const abort = new AbortController();

    const call = mcp.call('mcp__web__hang', {}, { signal: abort.signal });
    await within(server.hanging, 'the call to arrive');
    abort.abort(new TroupeError('interrupted', 'enough'));

    expect(await within(call, 'the result')).toMatchObject({ isError: true, content: 'enough' });
    await within(server.givenUp, 'the server to hear of it');
  });

  it('make their calls error results at once when they are gone', async () => {
    const server = await startHttpServer();
    const mcp = await connected({ mcpServers: { web: { url: server.url } } });
    const hanging = mcp.call('mcp__web__hang');
    await within(server.hanging, 'the call to arrive');

    await server.die();
    const results = [await within(hanging, 'the call'), await mcp.call('mcp__web__pid')];

    for (const result of results) expect(result.isError).toBe(true);
    expect(results[1]).toMatchObject({ failure: { code: 'mcp_unavailable', retryable: true } });
  });

  it('that do not answer are a diagnostic without what is secret of their address', async () => {
    const server = await startHttpServer();
    await server.die();

    const url = `${server.url}?key=s3cret-of-mine`;
    const mcp = await connected({ mcpServers: { web: { url } } });

    expect(mcp.diagnostics).toMatchObject([
      { server: 'web', failure: { code: 'mcp_unavailable' } },
    ]);
    expect(mcp.diagnostics[0]?.failure.message).toContain(server.url);
    expect(JSON.stringify(mcp.diagnostics)).not.toContain('s3cret');
  });
});

describe('a run with tools of MCP servers', () => {
  it('calls those of both kinds and sees every result (B26, B27)', async () => {
    const server = await startHttpServer();
    const mcp = await connected({
      mcpServers: { web: { url: server.url }, fix: command('stdio-server') },
    });
    const calls = [
      { name: 'mcp__web__echo', input: { text: 'far' } },
      { name: 'mcp__fix__echo', input: { text: 'near' } },
      { name: 'mcp__fix__refuse', input: {} },
    ];
    const last = [{ name: 'mcp__fix__die', input: {} }];
    const script = { default: [{ toolCalls: calls }, { toolCalls: last }, { text: 'done' }] };
    const { supervisor, model } = supervise(script, { tools: [...mcp.tools] });

    const outcome = await within(supervisor.delegate({ goal: 'Use them.' }), 'the outcome');
    const [first, second, third] = model.requests();
    const results = second?.messages.at(-1)?.content;

    expect(outcome).toMatchObject({ status: 'completed', text: 'done', toolCalls: 4 });
    expect(first?.tools.map(({ name }) => name)).toContain('mcp__web__picture');
    expect(first?.tools.find(({ name }) => name === 'mcp__fix__echo')).toMatchObject({
      inputSchema: { type: 'object', required: ['text'] },
    });
    expect(results).toMatchObject([
      { content: [{ text: 'echo far' }] },
      { content: [{ text: 'echo near' }] },
      { is_error: true },
    ]);
    expect(third?.messages.at(-1)?.content).toMatchObject([{ is_error: true }]);
  });

  it('has none of a server that its agent was denied (X7)', async () => {
    const mcp = await connected({ mcpServers: { fix: command('stdio-server') } });
    const agent = { name: 'apart', prompt: 'You work alone.', disallowedTools: ['tag:mcp:fix'] };
    const { supervisor, model } = supervise(
      { default: [{ text: 'done' }] },
      { tools: [...mcp.tools] },
    );

    await within(supervisor.delegate({ goal: 'Work.', agent }), 'the outcome');

    expect(model.requests()[0]?.tools.filter(({ name }) => name.startsWith('mcp__'))).toEqual([]);
  });
});
