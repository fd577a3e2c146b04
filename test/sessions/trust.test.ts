// Checks that nothing of a project is loaded unless it is trusted, and that no link leads out of one that is.
import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadAgentFiles, loadSkills } from '#src/index.js';
import { rejection } from '../supervisor/support.ts';
import { folderOf, markdown, shortly } from './folders.ts';

const project = (): string =>
  folderOf({
    '.claude/agents/a.md': markdown('name: a\ndescription: d'),
    '.claude/skills/s/SKILL.md': markdown('name: s\ndescription: claude'),
    '.agents/skills/s/SKILL.md': markdown('name: s\ndescription: agents'),
    '.agents/skills/t/SKILL.md': markdown('name: t\ndescription: d'),
    'agents/b.md': markdown('name: b\ndescription: d'),
  });

const load = async (folder: string, isTrusted: boolean) => {
  const source = [{ project: folder, isTrusted }];
  const [{ agents, diagnostics: ofAgents }, { skills, diagnostics: ofSkills }] = await Promise.all([
    loadAgentFiles(source),
    loadSkills(source),
  ]);
  const names = [...agents, ...skills].map(({ name }) => name);
  return { names, skills, diagnostics: [...ofAgents, ...ofSkills] };
};

describe('a project', () => {
  it('gives its agents and skills when it is trusted, .agents before .claude', async () => {
    const folder = project();

    const { names, skills, diagnostics } = await load(folder, true);

    expect(names).toEqual(['a', 's', 't']);
    expect(skills[0]?.description).toBe('agents');
    expect(shortly(folder, diagnostics)).toEqual(['warn name .claude/skills/s/SKILL.md']);
  });

  it('gives nothing when it is not, and each folder that was passed over is told of', async () => {
    const folder = project();

    const { names, diagnostics } = await load(folder, false);

    expect(names).toEqual([]);
    expect(shortly(folder, diagnostics)).toEqual([
      'error - .claude/agents',
      'error - .agents/skills',
      'error - .claude/skills',
    ]);
    for (const { message } of diagnostics) expect(message).toContain(`${folder} is not trusted`);
  });

  it('without definitions says nothing, trusted or not; one that is not there does', async () => {
    const folder = folderOf({ 'README.md': 'x' });

    expect(await load(folder, true)).toMatchObject({ names: [], diagnostics: [] });
    expect(await load(folder, false)).toMatchObject({ names: [], diagnostics: [] });
    const { diagnostics } = await load(join(folder, 'nowhere'), true);
    expect(shortly(folder, diagnostics)).toEqual(['error - nowhere', 'error - nowhere']);
  });

  it.each([
    ['.claude', ['warn - .claude/agents', 'warn - .claude/skills']],
    ['.claude/agents', ['warn - .claude/agents']],
  ])(
    'is not followed out of through %s as a link, even when it is trusted',
    async (link, expected) => {
      const outside = project();
      const folder = folderOf({ '.claude/skills/x/SKILL.md': markdown('name: x\ndescription: d') });
      if (link === '.claude') renameSync(join(folder, link), join(folder, 'moved'));
      symlinkSync(join(outside, link), join(folder, link));

      const { names, diagnostics } = await load(folder, true);

      expect(names).toEqual(link === '.claude' ? [] : ['x']);
      expect(shortly(folder, diagnostics)).toEqual(expected);
    },
  );

  it('may itself be reached through a link: the program named it', async () => {
    const folder = project();
    const link = join(folderOf({}), 'link');
    symlinkSync(folder, link);

    expect((await load(link, true)).names).toEqual(['a', 's', 't']);
  });

  it('must say whether it is trusted', async () => {
    const mute: unknown = [{ project: '/x' }];

    expect(await rejection(loadSkills(mute as string[]))).toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('/x'),
    });
  });
});
