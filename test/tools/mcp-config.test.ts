// Proves the parts of MCP tools that need no server: names, answers, the check of a configuration, the package.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFailure } from '#src/base/failures.js';
import { connectMcp } from '#src/index.js';
import { textOfAnswer, toBlocks } from '#src/tools/mcp/answer.js';
import { mcpToolNames } from '#src/tools/mcp/naming.js';
import { type McpServer, scrubber } from '#src/tools/mcp/options.js';
import { missingMcpPackage } from '#src/tools/mcp/sdk.js';

const refusal = (config: unknown, options: unknown = {}) =>
  connectMcp(config as never, options as never).then(
    () => null,
    (error: unknown) => toFailure(error),
  );

describe('names of MCP tools', () => {
  it('are plain where they can be, and marked where two would be one', () => {
    const names = mcpToolNames([
      { server: 'a', tool: 'b__c' },
      { server: 'a__b', tool: 'c' },
      { server: 'my server', tool: 'get.it' },
    ]);

    expect(names[0]).toBe('mcp__a__b__c');
    expect(names[1]).toMatch(/^mcp__a__b__c_[0-9a-f]{8}$/);
    expect(names[2]).toBe('mcp__my_server__get_it');
  });

  it('are never two alike, and always of letters and a length that models take', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
      fc.constantFrom('a', 'a_', '_a', 'a__b', 'b', 'é', 'x'.repeat(70)),
    );
    const ids = fc.uniqueArray(fc.record({ server: text, tool: text }), {
      selector: ({ server, tool }) => JSON.stringify([server, tool]),
      maxLength: 40,
    });
    fc.assert(
      fc.property(ids, (given) => {
        const names = mcpToolNames(given);

        expect(new Set(names).size).toBe(given.length);
        for (const name of names) expect(name).toMatch(/^mcp__[a-zA-Z0-9_-]{1,59}$/);
        expect(mcpToolNames(given)).toEqual(names);
      }),
    );
  });
});

describe('answers of MCP servers', () => {
  it('show structured content once, as JSON', () => {
    const content = [{ type: 'text' as const, text: '{ "sum": 3 }' }];

    expect(toBlocks({ content: content, structuredContent: { sum: 3 } })).toEqual(content);
    expect(toBlocks({ content: [], structuredContent: { sum: 3 } })).toEqual([
      { type: 'text', text: '{"sum":3}' },
    ]);
  });

  it('name what no model can take', () => {
    const blocks = toBlocks({
      content: [
        { type: 'image', mimeType: 'image/tiff', data: 'AAAA' },
        { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
        { type: 'resource_link', uri: 'file:///a', name: 'a' },
        { type: 'resource', resource: { uri: 'file:///b', text: 'inside' } },
        { type: 'resource', resource: { uri: 'file:///c', blob: 'AAAA' } },
      ],
    });

    expect(blocks.map((block) => (block.type === 'text' ? block.text : 'image'))).toEqual([
      '[an image that cannot be shown: image/tiff]',
      '[audio that cannot be shown: audio/wav]',
      '[resource file:///a: a]',
      '[resource file:///b]\ninside',
      '[resource file:///c that cannot be shown: bytes]',
    ]);
    expect(textOfAnswer({ content: [] })).toBe('the server says no more');
  });
});

describe('a text about an MCP server', () => {
  const secret = 's3cret/of-mine';

  it.each<readonly [string, McpServer]>([
    ['a variable', { command: 'x', env: { A: secret } }],
    ['a header', { url: 'http://h/', headers: { authorization: `Bearer ${secret}` } }],
    ['a query', { url: `http://h/?k=${secret}` }],
    ['the argument after an option', { command: 'x', args: ['--api-key', secret] }],
    ['the argument with an option', { command: 'x', args: [`--auth-token=${secret}`] }],
    ['a variable among the arguments', { command: 'x', args: ['-e', `DB_PASSWORD=${secret}`] }],
    ['a header among the arguments', { command: 'x', args: ['--header', `X-Any: ${secret}`] }],
    ['an address among the arguments', { command: 'x', args: [`pg://h/db?k=${secret}`] }],
  ])('shows nothing of %s', (_where, server) => {
    const scrub = scrubber(server);

    expect(scrub(`refused ${secret}`)).toBe('refused [value]');
    expect(scrub(`refused ${encodeURIComponent(secret)}`)).toBe('refused [value]');
  });

  it('shows no argument that looks like a key, and no password of an address', () => {
    const scrub = scrubber({
      command: 'x',
      args: ['sk_live_0123456789abcdef', 'pg://me:hunter2@h/'],
    });

    expect(scrub('no sk_live_0123456789abcdef for hunter2')).toBe('no [value] for [value]');
  });

  it('shows the arguments by which an error is understood', () => {
    const args = ['-y', '@scope/server-2', '/srv/files-2024/a.js', '--log-level', 'info', 'serve'];
    const text = `cannot find ${args.join(' ')}`;

    expect(scrubber({ command: 'npx', args })(text)).toBe(text);
  });

  it('is cleaned of a value that is no whole text, too', () => {
    const scrub = scrubber({ command: 'x', env: { A: 'half \ud800 pair' } });

    expect(scrub('half \ud800 pair')).toBe('[value]');
  });
});

describe('a configuration of MCP servers', () => {
  it.each([
    [{ db: {} }, 'mcpServers.db', 'either a command or a url'],
    [{ db: { command: 'x', url: 'http://h/' } }, 'mcpServers.db', 'either a command or a url'],
    [{ db: { command: 5 } }, 'mcpServers.db.command is 5', ''],
    [{ db: { command: 'x', arguments: [] } }, 'mcpServers.db.arguments', 'no option'],
    [{ db: { command: 'x', headers: {} } }, 'mcpServers.db.headers', 'a stdio server takes no'],
    [{ db: { url: 'ftp://host/' } }, 'mcpServers.db.url is "ftp://host/"', 'http or https'],
    [{ db: { type: 'http', command: 'x' } }, 'mcpServers.db.type is "http"', 'expected "stdio"'],
    [[], 'mcpServers', ''],
    [undefined, 'mcpServers', ''],
  ])('is refused when it is %j', async (mcpServers, where, why) => {
    const refused = await refusal({ mcpServers });

    expect(refused?.code).toBe('invalid_options');
    expect(refused?.message).toContain(where);
    expect(refused?.message).toContain(why);
  });

  it('is refused with limits that are none', async () => {
    expect((await refusal({ mcpServers: {} }, { timeoutMs: -1 }))?.message).toContain(
      'timeoutMs is -1',
    );
    expect((await refusal({ mcpServers: {} }, { clock: 5 }))?.message).toContain('clock is 5');
  });

  it('shows no value of a header or a variable, and no password, when it is refused', async () => {
    const secret = 's3cret-of-mine';
    const bad = fc.constantFrom<unknown>(
      { command: 'x', env: { A: secret, B: 5 } },
      { command: 'x', env: secret },
      { command: 'x', args: ['--key', secret, 5] },
      { command: 'x', args: secret },
      { command: 'x', env: [secret] },
      { command: 'x', env: { A: { inner: secret } } },
      { url: 'http://host/', headers: { a: secret }, args: [] },
      { url: `http://user:${secret}@host/` },
      { url: `ftp://host/?key=${secret}`, headers: { authorization: secret } },
      { env: { A: secret } },
    );
    await fc.assert(
      fc.asyncProperty(bad, fc.boolean(), async (server, isList) => {
        const refused = await refusal({ mcpServers: isList ? [server] : { db: server } });

        expect(refused?.code).toBe('invalid_options');
        expect(JSON.stringify(refused)).not.toContain(secret);
      }),
    );
  });

  it('may be empty', async () => {
    const mcp = await connectMcp({ mcpServers: {} });

    expect(mcp.tools).toEqual([]);
    await mcp.close();
  });
});

describe('the package of the MCP client', () => {
  it('is named when it is not installed', () => {
    const absent = Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' });

    expect(toFailure(missingMcpPackage(absent))).toEqual({
      code: 'mcp_package_missing',
      message:
        'MCP servers need the package "@modelcontextprotocol/client", which is not installed; run: npm install @modelcontextprotocol/client',
      retryable: false,
      detail: { package: '@modelcontextprotocol/client' },
    });
    expect(missingMcpPackage(new Error('broken')).message).toContain('cannot be loaded: broken');
  });
});
