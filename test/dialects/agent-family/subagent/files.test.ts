// Checks where a subagent reads and writes: its own folder below the host's root, and nothing else.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  belowFolder,
  subagentFileTools,
  virtualFolder,
} from '#src/dialects/agent-family/subagent/virtual-files.js';
import { callTool } from '#src/tools/call.js';
import { temporaryFolder, toolContext } from '../../../fixtures/tool-context.ts';

function files(name = 'search') {
  const root = temporaryFolder();
  const tools = new Map(subagentFileTools({ root }, name).map((tool) => [tool.name, tool]));
  const call = async (tool: string, input: unknown) => {
    const known = tools.get(tool);
    if (known === undefined) throw new Error(`there is no tool ${tool}`);
    const { content, failure } = await callTool(known, input, toolContext());
    return failure === undefined ? content : `${failure.code}: ${content}`;
  };
  return { root, call, names: [...tools.keys()] };
}

describe('the files of a subagent', () => {
  it('writes inside its own folder, by any name of it, and makes it when it is needed (D46)', async () => {
    const { root, call, names } = files();
    const folder = join(root, 'subagents/search');
    const before = existsSync(folder);

    await call('write', { path: 'a.txt', content: 'a' });
    await call('write', { path: `${virtualFolder('search')}/deep/b.txt`, content: 'b' });

    expect(before).toBe(false);
    expect(names).toEqual(['list', 'glob', 'read', 'grep', 'edit', 'write']);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a');
    expect(readFileSync(join(folder, 'deep/b.txt'), 'utf8')).toBe('b');
    expect(await call('read', { path: '/workspace/subagents/search/a.txt' })).toContain('a');
  });

  it.each([
    '/workspace/notes.txt',
    '/workspace/subagents/fetch/a.txt',
    '/workspace/subagents/search2/a.txt',
    '../fetch/a.txt',
    '/internal/keys',
    '/workspace/../internal/keys',
    '/etc/passwd',
    '/',
  ])('is denied a write to %s (D46)', async (path) => {
    const { root, call } = files();

    expect(await call('write', { path, content: 'x' })).toMatch(/^outside_workspace/);
    expect(existsSync(join(root, 'subagents'))).toBe(false);
  });

  it('reads what the host shares, and does not know of /internal (D46)', async () => {
    const { root, call } = files();
    writeFileSync(join(root, 'notes.txt'), 'shared');
    mkdirSync(join(root, 'subagents/search'), { recursive: true });

    expect(await call('read', { path: '/workspace/notes.txt' })).toContain('shared');
    expect(await call('read', { path: '../../notes.txt' })).toContain('shared');
    expect(await call('read', { path: '/internal/keys' })).toMatch(/^outside_workspace/);
    expect(await call('list', { path: '/internal' })).toMatch(/^outside_workspace/);
    expect(await call('grep', { pattern: 'a', path: '/internal' })).toMatch(/^outside_workspace/);
    expect(await call('list', {})).not.toContain('notes.txt');
  });

  it('tells paths in results as the subagent can name them next (D46)', async () => {
    const { root, call } = files();
    await call('write', { path: 'deep/a.txt', content: 'moon' });
    writeFileSync(join(root, 'notes.txt'), 'moon');

    expect(await call('grep', { pattern: 'moon' })).toBe('deep/a.txt:1: moon');
    expect(await call('grep', { pattern: 'moon', path: 'deep' })).toBe('deep/a.txt:1: moon');
    expect(await call('grep', { pattern: 'moon', path: '/workspace' })).toBe(
      'notes.txt:1: moon\nsubagents/search/deep/a.txt:1: moon',
    );
    expect(await call('read', { path: 'gone.txt' })).toMatch(/"gone.txt" does not exist/);
  });

  it('follows no symbolic link out of its folder (D46)', async () => {
    const { root, call } = files();
    const folder = join(root, 'subagents/search');
    mkdirSync(folder, { recursive: true });
    symlinkSync(root, join(folder, 'up'));

    expect(await call('write', { path: 'up/notes.txt', content: 'x' })).toMatch(
      /^outside_workspace/,
    );
    expect(existsSync(join(root, 'notes.txt'))).toBe(false);
  });

  it('refuses a root that is not absolute (D46)', () => {
    expect(() => subagentFileTools({ root: 'here' }, 'a')).toThrow('filesystem.root is "here"');
    expect(belowFolder('.', 'a')).toBe('.');
  });
});
