// Checks the MCP servers of agent files: none is started by loading, and the tools of each are its agent's alone.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectAgentServers, loadAgentFiles, type McpConfig } from '#src/index.js';
import { rejection, supervise, within } from '../../supervisor/support.ts';
import { groupIsGone, membersOf } from '../../support/processes.ts';
import { command } from '../../tools/mcp-support.ts';
import { folderOf, markdown, shortly } from '../folders.ts';

const agentFile = (name: string, more: string): string =>
  markdown(`name: ${name}\ndescription: d\n${more}`);
const inPlace = (servers: McpConfig['mcpServers'] | readonly unknown[]): string =>
  `mcpServers: ${JSON.stringify(servers)}`;

describe('the MCP servers of agent files', () => {
  it('are returned by agent: in place, by name, or both; and nothing is started', async () => {
    const fix = command('stdio-server', { FIXTURE_TOKEN: 's3cret-of-mine' });
    const marker = join(folderOf({}), 'started');
    const starts = {
      command: process.execPath,
      args: ['-e', `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`],
    };
    const folder = folderOf({
      'a.md': agentFile('a', inPlace({ fix, starts })),
      'b.md': agentFile('b', inPlace(['known', { fix }])),
      'c.md': agentFile('c', 'mcpServers: known, absent'),
      'd.md': agentFile('d', 'color: red'),
    });
    const known = { url: 'http://127.0.0.1:9/mcp' };

    const { mcpServers, diagnostics, metadata, agents } = await loadAgentFiles([folder], {
      mcpServers: { known },
    });

    expect([...mcpServers]).toEqual([
      ['a', { mcpServers: { fix, starts } }],
      ['b', { mcpServers: { known, fix } }],
      ['c', { mcpServers: { known } }],
    ]);
    expect(shortly(folder, diagnostics)).toEqual(['warn mcpServers c.md', 'warn color d.md']);
    expect(diagnostics[0]?.message).toContain('no MCP server "absent"');
    expect(metadata.get('c')).toEqual({ mcpServers: { absent: true } });
    expect(JSON.stringify([agents, diagnostics])).not.toContain('s3cret');
    expect(existsSync(marker)).toBe(false);
  });

  it('that are wrong are told of without a value, and the others are kept', async () => {
    const bad = {
      both: { command: 'x', url: 'http://127.0.0.1/', env: { KEY: 's3cret-of-mine' } },
      text: 's3cret-of-mine',
      number: { command: 'x', args: ['s3cret-of-mine', 7] },
    };
    const folder = folderOf({
      'a.md': agentFile('a', inPlace({ ...bad, good: { command: 'x' } } as never)),
      'b.md': agentFile('b', inPlace([7])),
    });

    const { mcpServers, diagnostics, metadata } = await loadAgentFiles([folder]);

    expect([...mcpServers]).toEqual([['a', { mcpServers: { good: { command: 'x' } } }]]);
    expect(shortly(folder, diagnostics)).toEqual([
      ...Array(3).fill('warn mcpServers a.md'),
      'warn mcpServers b.md',
    ]);
    expect(JSON.stringify(diagnostics)).not.toContain('s3cret');
    expect(metadata.get('a')).toEqual({ mcpServers: bad });
    const wrong: unknown = { mcpServers: { known: { command: 7, env: { KEY: 's3cret' } } } };
    const error = await rejection(loadAgentFiles([folder], wrong as object));
    expect(error).toMatchObject({ code: 'invalid_options' });
    expect(String(error)).not.toContain('s3cret');
  });

  it('give their tools to their agent alone, but for what it is denied, and are gone after close (X7)', async () => {
    const fix = command('stdio-server');
    const folder = folderOf({
      'a.md': agentFile('a', `tools: []\n${inPlace({ fix })}`),
      'b.md': agentFile('b', `disallowedTools: mcp__fix__die\n${inPlace({ fix })}`),
      'c.md': agentFile('c', ''),
    });
    const loaded = await loadAgentFiles([folder]);
    const connected = await connectAgentServers(loaded);
    const pidCall = [{ toolCalls: [{ name: 'mcp__fix__pid', input: {} }] }, { text: 'done' }];
    const { supervisor, model } = supervise(
      { agents: { a: pidCall, b: pidCall, c: pidCall } },
      { agents: connected.agents },
    );

    await within(
      supervisor.delegate(['a', 'b', 'c'].map((agent) => ({ goal: 'Go.', agent }))),
      'the outcomes',
    );

    const of = (name: string) => model.requests().filter(({ agent }) => agent.name === name);
    const namesOf = (name: string) => of(name)[0]?.tools.map((tool) => tool.name) ?? [];
    const answerOf = (name: string) => JSON.stringify(of(name)[1]?.messages.at(-1)?.content);
    expect(connected.diagnostics).toEqual([]);
    expect(namesOf('a')).toEqual(expect.arrayContaining(['mcp__fix__pid', 'mcp__fix__die']));
    expect(namesOf('b')).toContain('mcp__fix__pid');
    expect(namesOf('b')).not.toContain('mcp__fix__die');
    expect(namesOf('c')).toEqual([]);
    expect(answerOf('c')).toContain('no tool');
    const pids = ['a', 'b'].map((name) => Number(/"text":"(\d+)"/.exec(answerOf(name))?.[1]));
    expect(new Set(pids).size).toBe(2);
    for (const pid of pids) expect(membersOf(pid)).toContain(pid);

    await within(connected.close(), 'close');

    for (const pid of pids) await groupIsGone(pid);
  });

  it('that cannot be used are diagnostics of their agent; what cannot be asked leaves nothing behind', async () => {
    const folder = folderOf({
      'a.md': agentFile('a', inPlace({ absent: { command: '/nowhere/at-all' } })),
      'b.md': agentFile('b', ''),
    });
    const loaded = await loadAgentFiles([folder]);

    const { agents, diagnostics } = await connectAgentServers(loaded);

    expect(diagnostics).toMatchObject([
      { agent: 'a', server: 'absent', failure: { code: 'mcp_unavailable' } },
    ]);
    expect(agents).toEqual(loaded.agents);
    expect(await rejection(connectAgentServers(loaded, { timeoutMs: -1 }))).toMatchObject({
      code: 'invalid_options',
    });
  });
});
