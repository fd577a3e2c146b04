// Checks that files of others are read within bounds and in a time that grows with their size, not with its square.
import { describe, expect, it } from 'vitest';
import { loadAgentFiles, loadSkills } from '#src/index.js';
import { folderOf, markdown, shortly } from './folders.ts';

/** CPU time of this process, in microseconds: the least of three runs, whatever else the machine does. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

function keys(count: number): string {
  return Array.from({ length: count }, (_, at) => `k${at.toString(36)}:`).join('\n');
}

const head = 'name: a\ndescription: d';

describe('large files of definitions', () => {
  it('are refused when their front matter has more than 64 KiB, and say how much', async () => {
    const files = {
      'full.md': markdown(`${head}\n# ${'x'.repeat(65_536 - head.length - 5)}`),
      'large.md': markdown(`name: b\n# ${'x'.repeat(65_536)}`),
    };
    const folder = folderOf({ ...files, 'large/SKILL.md': files['large.md'] });

    const { agents, diagnostics } = await loadAgentFiles([folder]);
    const skills = await loadSkills([folder]);

    expect(agents.map(({ name }) => name)).toEqual(['a']);
    const message = 'the front matter has 65547 bytes, more than 65536; the file is left out';
    expect(shortly(folder, diagnostics)).toEqual(['error - large.md']);
    expect(diagnostics[0]?.message).toBe(message);
    expect(shortly(folder, skills.diagnostics)).toEqual(['error - large/SKILL.md']);
    expect(skills.diagnostics[0]?.message).toBe(message);
  });

  it.each([
    ['keys', (count: number) => keys(count)],
    ['keys of one line', (count: number) => `m: { ${keys(count).replaceAll(':\n', ', ')} }`],
    ['entries', (count: number) => `tools: [${keys(count).replaceAll(':\n', ', ').slice(0, -1)}]`],
  ])('are read in a time that grows with their %s', async (_, write) => {
    const few = folderOf({ 'a.md': markdown(`${head}\n${write(1_250)}`) });
    const many = folderOf({ 'a.md': markdown(`${head}\n${write(10_000)}`) });
    await loadAgentFiles([few]);

    const ratio =
      (await cpuOf(() => loadAgentFiles([many]))) / (await cpuOf(() => loadAgentFiles([few])));

    // Eight times as much: a comparison of each with each would take sixty-four times as long.
    expect(ratio).toBeLessThan(32);
  });

  it('are refused when their aliases are more than can be looked up', async () => {
    const folder = folderOf({
      'a.md': markdown(`${head}\nlist: [&x 1${', *x'.repeat(101)}]`),
      'b.md': markdown(`name: b\ndescription: d\nlist: [&x 1${', *x'.repeat(90)}]`),
    });

    const { agents, diagnostics } = await loadAgentFiles([folder]);

    expect(agents.map(({ name }) => name)).toEqual(['b']);
    expect(diagnostics[0]?.message).toMatch(
      /More than 100 aliases at line 4; the file is left out/,
    );
  });
});
