// Checks that what is kept of cut results stays bounded, and that nothing else in the workspace is touched.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepResult, maxKept } from '#src/tools/kept-results.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';

/** A workspace that keeps so many results, `old0.txt` the oldest. */
function arranged(count: number) {
  const workspace = temporaryFolder();
  const folder = join(workspace, '.troupe/outputs');
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < count; at += 1) {
    const path = join(folder, `old${at}.txt`);
    writeFileSync(path, 'old');
    utimesSync(path, at, at);
  }
  return { workspace, folder };
}

const call = (workspace: string) => ({ workspace, agentId: 'a1', callId: 'c1' });

describe('kept results', () => {
  it('are bounded in number: the oldest go, the new one stays', () => {
    const { workspace, folder } = arranged(maxKept.files + 1);
    writeFileSync(join(folder, 'notes.md'), 'mine');

    const shown = keepResult('whole', call(workspace));

    expect(shown).toMatch(/^\.troupe\/outputs\/a1-c1-[0-9a-f]{12}\.txt$/);
    expect(readFileSync(join(workspace, String(shown)), 'utf8')).toBe('whole');
    const left = readdirSync(folder).filter((name) => name.endsWith('.txt'));
    expect(left).toHaveLength(maxKept.files);
    expect(left).not.toContain('old0.txt');
    expect(left).not.toContain('old1.txt');
    expect(left).toContain('old2.txt');
    expect(existsSync(join(folder, 'notes.md'))).toBe(true);
  });

  it('stay what they were when the ids of agent and call come again', () => {
    const workspace = temporaryFolder();

    const paths = ['one', 'two', 'one'].map((text) => String(keepResult(text, call(workspace))));

    expect(paths.map((path) => readFileSync(join(workspace, path), 'utf8'))).toEqual([
      'one',
      'two',
      'one',
    ]);
    expect(paths[2]).toBe(paths[0]);
  });

  it('are bounded in size', () => {
    const { workspace, folder } = arranged(3);
    // A hole in a file has a length and takes no disk.
    truncateSync(join(folder, 'old1.txt'), maxKept.bytes);
    utimesSync(join(folder, 'old1.txt'), 1, 1);

    const shown = keepResult('whole', call(workspace));

    expect(readdirSync(folder).sort()).toEqual([basename(String(shown)), 'old2.txt']);
  });

  it('are left alone where their folder is a link to somebody’s own', () => {
    const workspace = temporaryFolder();
    const { folder } = arranged(maxKept.files + 1);
    mkdirSync(join(workspace, '.troupe'));
    symlinkSync(folder, join(workspace, '.troupe/outputs'));

    keepResult('whole', call(workspace));

    expect(readdirSync(folder)).toHaveLength(maxKept.files + 1);
  });
});
