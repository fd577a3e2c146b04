// Checks the loading of skills from real folders: what is found, how far is searched, what is told.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { skillsSchema } from '#src/agent/definition.js';
import { loadSkills } from '#src/index.js';
import { rejection } from '../../supervisor/support.ts';
import { folderOf, markdown, shortly } from '../folders.ts';

const skill = (name: string, more = ''): string =>
  markdown(`name: ${name}\ndescription: About ${name}.${more}`, `How to ${name}.`);

describe('skill files', () => {
  it('become skills, with a path where they bring files', async () => {
    const folder = folderOf({
      'pdf/SKILL.md': skill(
        'pdf',
        '\nlicense: MIT\ncompatibility: any\nmetadata: { version: "1" }',
      ),
      'pdf/scripts/run.py': 'print(1)',
      'data/sql/SKILL.md': skill('sql'),
      'README.md': 'no skill',
    });

    const { skills, diagnostics } = await loadSkills([folder]);

    expect(diagnostics).toEqual([]);
    expect(skills).toEqual([
      {
        name: 'pdf',
        description: 'About pdf.',
        content: 'How to pdf.',
        path: join(folder, 'pdf'),
      },
      { name: 'sql', description: 'About sql.', content: 'How to sql.' },
    ]);
    expect(skillsSchema.safeParse(skills).success).toBe(true);
  });

  it('may be the folder itself, and hold no skills within', async () => {
    const folder = folderOf({ 'one/SKILL.md': skill('one'), 'one/more/SKILL.md': skill('more') });

    const { skills } = await loadSkills([join(folder, 'one')]);

    expect(skills.map(({ name }) => name)).toEqual(['one']);
  });

  it('are left out without a name or a description, or when they cannot be read', async () => {
    const folder = folderOf({
      'a/SKILL.md': markdown('name: a'),
      'b/SKILL.md': markdown('description: d'),
      'c/SKILL.md': 'no front matter',
      'd/SKILL.md': skill('d'),
    });

    const { skills, diagnostics } = await loadSkills([folder]);

    expect(skills.map(({ name }) => name)).toEqual(['d']);
    expect(shortly(folder, diagnostics)).toEqual([
      'error description a/SKILL.md',
      'error name b/SKILL.md',
      'error - c/SKILL.md',
    ]);
  });

  it('are loaded and told of with odd names, long descriptions, unknown fields, unquoted colons', async () => {
    const folder = folderOf({
      'a/SKILL.md': skill('other'),
      'B_b/SKILL.md': skill('B_b'),
      'c/SKILL.md': markdown(`name: c\ndescription: ${'x'.repeat(1_025)}`),
      'd/SKILL.md': skill('d', '\nallowed-tools: Read\nfavourite: tea'),
      'e/SKILL.md': markdown('name: e\ndescription: Use it when: asked', ''),
    });

    const { skills, diagnostics } = await loadSkills([folder]);

    expect(skills.map(({ name }) => name)).toEqual(['B_b', 'other', 'c', 'd', 'e']);
    expect(skills[4]).toEqual({ name: 'e', description: 'Use it when: asked' });
    expect(shortly(folder, diagnostics)).toEqual([
      'warn name B_b/SKILL.md',
      'warn name a/SKILL.md',
      'warn description c/SKILL.md',
      'warn allowed-tools d/SKILL.md',
      'warn favourite d/SKILL.md',
      'warn description e/SKILL.md',
      'warn - e/SKILL.md',
    ]);
  });

  it('are loaded and told of with a long text, and found on disk when it is cut', async () => {
    const head = (name: string) => `name: ${name}\ndescription: d`;
    const folder = folderOf({
      'a/SKILL.md': markdown(head('a'), 'x\n'.repeat(501)),
      'b/SKILL.md': markdown(head('b'), 'x'.repeat(20_001)),
      'c/SKILL.md': markdown(head('c'), 'x'.repeat(50_001)),
    });

    const { skills, diagnostics } = await loadSkills([folder]);

    expect(skills.map(({ path }) => path)).toEqual([undefined, undefined, join(folder, 'c')]);
    expect(diagnostics.map(({ level, message }) => [level, message])).toEqual([
      ['warn', expect.stringMatching(/501 lines/)],
      ['warn', expect.stringMatching(/20001 characters.*at most 500 and 20000.*beside it$/)],
      ['warn', expect.stringMatching(/sent the first 50000$/)],
    ]);
  });

  it('of the nearest folder win, and those they hide are told of', async () => {
    const near = folderOf({ 'same/SKILL.md': markdown('name: same\ndescription: near') });
    const far = folderOf({ 'same/SKILL.md': markdown('name: same\ndescription: far') });

    const { skills, diagnostics } = await loadSkills([near, far]);

    expect(skills.map(({ description }) => description)).toEqual(['near']);
    expect(shortly(far, diagnostics)).toEqual(['warn name same/SKILL.md']);
    expect(diagnostics[0]?.message).toContain(join(near, 'same', 'SKILL.md'));
  });

  it('are searched four folders deep, and what lies deeper is told of', async () => {
    const folder = folderOf({
      '1/2/3/four/SKILL.md': skill('four'),
      '1/2/3/4/five/SKILL.md': skill('five'),
      'node_modules/x/SKILL.md': skill('x'),
      '.git/y/SKILL.md': skill('y'),
      '.hidden/z/SKILL.md': skill('z'),
    });

    const { skills, diagnostics } = await loadSkills([folder]);

    expect(skills.map(({ name }) => name)).toEqual(['z', 'four']);
    expect(diagnostics).toEqual([
      {
        file: folder,
        level: 'warn',
        message: expect.stringMatching(/1 folders lie deeper than 4/),
      },
    ]);
  });

  it('are searched in 2,000 folders at most', async () => {
    const folder = folderOf({ '0-first/SKILL.md': skill('0-first'), 'z/SKILL.md': skill('z') });
    for (let at = 1; at <= 1_999; at += 1) mkdirSync(join(folder, String(at).padStart(4, '0')));

    const { skills, diagnostics } = await loadSkills([folder]);

    expect(skills.map(({ name }) => name)).toEqual(['0-first']);
    expect(diagnostics).toEqual([
      { file: folder, level: 'warn', message: expect.stringMatching(/first 2000 folders.*1999/) },
    ]);
  });

  it('are not followed through links, out of the folder or round in it', async () => {
    const outside = folderOf({ 'secret/SKILL.md': skill('secret') });
    const folder = folderOf({ 'real/SKILL.md': skill('real'), 'half/notes.md': 'x' });
    symlinkSync(join(outside, 'secret'), join(folder, 'secret'));
    symlinkSync(folder, join(folder, 'round'));
    symlinkSync(join(outside, 'secret', 'SKILL.md'), join(folder, 'half', 'SKILL.md'));

    const { skills, diagnostics } = await loadSkills([folder]);

    expect(skills.map(({ name }) => name)).toEqual(['real']);
    expect(shortly(folder, diagnostics)).toEqual([
      'warn - round',
      'warn - secret',
      'warn - half/SKILL.md',
    ]);
  });

  it('reject folders that are no list of texts, and tell of one that is not there', async () => {
    const wrong: unknown = [7];
    const folder = folderOf({});

    expect(await rejection(loadSkills(wrong as string[]))).toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('7'),
    });
    const { skills, diagnostics } = await loadSkills([join(folder, 'nowhere')]);
    expect([skills, shortly(folder, diagnostics)]).toEqual([[], ['error - nowhere']]);
  });
});
