// Proves that the file tools judge what they opened: a folder swapped for a symlink at the worst moment shows and takes nothing.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { applyPatchTool } from '#src/tools/builtin/apply-patch.js';
import { editTool } from '#src/tools/builtin/edit.js';
import { globTool } from '#src/tools/builtin/glob.js';
import { grepTool } from '#src/tools/builtin/grep.js';
import { listTool } from '#src/tools/builtin/list.js';
import { readTool } from '#src/tools/builtin/read.js';
import { writeTool } from '#src/tools/builtin/write.js';
import { callTool } from '#src/tools/call.js';
import type { AnyTool } from '#src/tools/tool.js';
import { temporaryFolder, toolContext } from '../fixtures/tool-context.ts';

/** The calls by which a path is followed; the swapping process gets its turn before each of them, and after. */
const following = [
  'openSync',
  'statSync',
  'lstatSync',
  'readdirSync',
  'renameSync',
  'unlinkSync',
] as const;
const originals = Object.fromEntries(following.map((name) => [name, fs[name]]));

afterEach(() => {
  Object.assign(fs, originals);
  syncBuiltinESMExports();
});

/** A workspace whose folder `docs` is a symlink to a tenant's folder whenever a path through it is followed. */
function swapping() {
  const base = temporaryFolder();
  const [workspace, secret] = [join(base, 'ws'), join(base, 'tenant')];
  const [docs, aside, link] = ['docs', 'aside', 'link'].map((name) => join(workspace, name));
  fs.mkdirSync(join(workspace, 'docs'), { recursive: true });
  fs.mkdirSync(secret);
  fs.writeFileSync(join(workspace, 'docs', 'file'), 'mine');
  fs.writeFileSync(join(secret, 'file'), 'the tenant’s');
  fs.symlinkSync(secret, join(workspace, 'link'));
  const { renameSync } = fs;
  let swaps = 0;
  for (const name of following) {
    const original = fs[name] as (...args: unknown[]) => unknown;
    const swapped = (...args: unknown[]): unknown => {
      const isThroughDocs = args.some(
        (arg) => typeof arg === 'string' && arg.startsWith(`${docs}`),
      );
      if (!isThroughDocs) return original(...args);
      swaps += 1;
      renameSync(`${docs}`, `${aside}`);
      renameSync(`${link}`, `${docs}`);
      try {
        return original(...args);
      } finally {
        renameSync(`${docs}`, `${link}`);
        renameSync(`${aside}`, `${docs}`);
      }
    };
    Object.assign(fs, { [name]: swapped });
  }
  syncBuiltinESMExports();
  return { workspace, secret, swaps: () => swaps };
}

const patchOf = (kind: string, ...lines: readonly string[]) =>
  ['*** Begin Patch', `*** ${kind} File: docs/file`, ...lines, '*** End Patch'].join('\n');

describe('a folder that is swapped for a symlink while its path is followed', () => {
  it.each<[string, AnyTool, object]>([
    ['read', readTool, { path: 'docs/file' }],
    ['list', listTool, { path: 'docs' }],
    ['glob', globTool, { pattern: '*', path: 'docs' }],
    ['grep', grepTool, { pattern: '.', path: 'docs/file' }],
    ['edit', editTool, { path: 'docs/file', edits: [{ oldText: 'mine', newText: 'x' }] }],
    ['a change by apply_patch', applyPatchTool, { patch: patchOf('Update', '-mine', '+x') }],
    ['a deletion by apply_patch', applyPatchTool, { patch: patchOf('Delete') }],
    ['write', writeTool, { path: 'docs/file', content: 'overwritten' }],
  ])('leads %s to no other folder (X18)', async (_name, tool, input) => {
    const { workspace, secret, swaps } = swapping();

    const { content } = await callTool(tool, input, toolContext({ workspace }));

    expect(swaps()).toBeGreaterThan(0);
    expect(content).not.toContain('tenant’s');
    expect(fs.readFileSync(join(secret, 'file'), 'utf8')).toBe('the tenant’s');
    expect(fs.readdirSync(secret)).toEqual(['file']);
  });
});
