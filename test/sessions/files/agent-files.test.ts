// Checks the loading of agent files from real folders: definitions, diagnostics, metadata, which folder wins.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentSchema } from '#src/agent/definition.js';
import { loadAgentFiles } from '#src/index.js';
import { rejection } from '../../supervisor/support.ts';
import { folderOf, markdown, shortly } from '../folders.ts';

describe('agent files', () => {
  it('become definitions: their fields, and the text below as the prompt', async () => {
    const folder = folderOf({
      'reviewer.md': markdown(
        'name: reviewer\ndescription: Reviews code.\ntools: Read, Grep\nmodel: sonnet\nmaxTurns: 7\n' +
          'timeout_mins: 2.5\ntemperature: 0.2\neffort: high\nskills: [pdf, sql]',
        'You review.\n\nBe short.',
      ),
      'notes.txt': 'no agent',
      'below/other.md': markdown('name: other\ndescription: Not read.'),
    });

    const { agents, diagnostics, metadata } = await loadAgentFiles([folder], {
      models: { sonnet: 'anthropic:claude-sonnet-5' },
      skills: ['pdf', { name: 'sql' }],
    });

    expect(diagnostics).toEqual([]);
    expect(agents).toEqual([
      {
        name: 'reviewer',
        description: 'Reviews code.',
        prompt: 'You review.\n\nBe short.',
        tools: [],
        toolsets: ['file'],
        disallowedTools: ['list', 'glob', 'edit', 'apply_patch', 'write'],
        model: 'anthropic:claude-sonnet-5',
        maxTurns: 7,
        totalTimeoutMs: 150_000,
        temperature: 0.2,
        effort: 'high',
        skills: ['pdf', 'sql'],
      },
    ]);
    expect(metadata.size).toBe(0);
    expect(agentSchema.safeParse(agents[0]).success).toBe(true);
  });

  it('say which tools need approval; where that cannot be read all do, with a warning', async () => {
    const folder = folderOf({
      'a.md': markdown('name: a\ndescription: d\napproval:\n  require: [terminal, "mcp__*"]'),
      'b.md': markdown('name: b\ndescription: d\napproval:\n  require: ["Bash(git:*)"]'),
    });

    const { agents, diagnostics } = await loadAgentFiles([folder]);

    expect(agents.map(({ approval }) => approval)).toEqual([
      { require: ['terminal', 'mcp__*'] },
      { require: ['*'] },
    ]);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^approval is .*every tool needs approval instead/),
    ]);
  });

  it('mean the same tools by a name where they require approval as where they grant', async () => {
    const folder = folderOf({
      'a.md': markdown(
        'name: a\ndescription: d\napproval:\n  require: [Bash, MultiEdit, Edit, Task, WebFetch, other, "mcp__*"]',
      ),
    });

    const { agents, diagnostics } = await loadAgentFiles([folder], { tools: ['WebFetch'] });

    expect(agents.map(({ approval }) => approval)).toEqual([
      {
        require: [
          'terminal',
          'edit',
          'apply_patch',
          'tag:delegation',
          'WebFetch',
          'other',
          'mcp__*',
        ],
      },
    ]);
    expect(diagnostics).toEqual([]);
  });

  it('keep fields without effect as metadata and warn of each, without their values', async () => {
    const folder = folderOf({
      'a.md': markdown(
        'name: a\ndescription: d\nmcpServers:\n  github:\n    headers: { Authorization: hidden-key }\n' +
          'permissionMode: plan\ncolor: red\nfavourite: tea\ntools: [Read, "Agent(b, c)"]',
      ),
    });

    const { agents, diagnostics, metadata } = await loadAgentFiles([folder]);

    expect(agents).toHaveLength(1);
    expect(shortly(folder, diagnostics)).toEqual([
      'warn tools a.md',
      'warn mcpServers a.md',
      'warn permissionMode a.md',
      'warn color a.md',
      'warn favourite a.md',
    ]);
    expect(diagnostics[1]?.message).toMatch(/mcpServers\.github: expected either a command/);
    expect(diagnostics[2]?.message).toMatch(/no effect here yet/);
    expect(diagnostics[4]?.message).toMatch(/no known field/);
    expect(JSON.stringify(diagnostics)).not.toContain('hidden-key');
    expect(metadata.get('a')).toEqual({
      mcpServers: { github: { headers: { Authorization: 'hidden-key' } } },
      permissionMode: 'plan',
      color: 'red',
      favourite: 'tea',
      tools: ['Agent(b, c)'],
    });
  });

  it.each([
    ['no name', 'description: d', 'name', /name is missing/],
    ['no description', 'name: a', 'description', /description is missing/],
    ['an empty description', 'name: a\ndescription:', 'description', /missing/],
    ['a name that is a list', 'name: [a]\ndescription: d', 'name', /must be a text, not a list/],
    ['a name with a colon', 'name: "a:b"\ndescription: d', 'name', /name is "a:b": expected/],
    [
      'tools that are no names',
      'name: a\ndescription: d\ntools: { a: b }',
      'tools',
      /expected names/,
    ],
    [
      'denials that are no names',
      'name: a\ndescription: d\ndisallowedTools: 7',
      'disallowedTools',
      /is 7/,
    ],
  ])('are left out with %s, and the others are not', async (_, head, field, expected) => {
    const folder = folderOf({
      'bad.md': markdown(head),
      'good.md': markdown('name: good\ndescription: d'),
    });

    const { agents, diagnostics } = await loadAgentFiles([folder]);

    expect(agents.map(({ name }) => name)).toEqual(['good']);
    expect(diagnostics).toEqual([
      {
        file: join(folder, 'bad.md'),
        level: 'error',
        field,
        message: expect.stringMatching(expected),
      },
    ]);
  });

  it.each([
    ['maxTurns: 0', 'maxTurns'],
    ['max_turns: many', 'max_turns'],
    ['maxTurns: 3\nmax_turns: 4', 'max_turns'],
    ['timeout_mins: -1', 'timeout_mins'],
    ['temperature: 9', 'temperature'],
    ['effort: enormous', 'effort'],
    ['model: sonnet', 'model'],
    ['model:', 'model'],
    ['skills: { a: b }', 'skills'],
  ])('go without a setting that is no good: %s', async (line, field) => {
    const folder = folderOf({ 'a.md': markdown(`name: a\ndescription: d\n${line}`) });

    const { agents, diagnostics, metadata } = await loadAgentFiles([folder]);

    expect(agents).toEqual([
      {
        name: 'a',
        description: 'd',
        prompt: 'Do it well.',
        ...(line.startsWith('maxTurns: 3') ? { maxTurns: 3 } : {}),
      },
    ]);
    expect(shortly(folder, diagnostics)).toEqual([`warn ${field} a.md`]);
    expect(Object.keys(metadata.get('a') ?? {})).toEqual([field]);
  });

  it.each([
    ['inherit', {}, undefined],
    ['claude-sonnet-5', {}, 'anthropic:claude-sonnet-5'],
    ['openai:gpt-5', {}, 'openai:gpt-5'],
    ['offline', {}, 'offline'],
    ['claude-sonnet-5', { 'claude-sonnet-5': 'openai:other' }, 'openai:other'],
  ])('mean by the model %s with the aliases %j: %s', async (model, models, expected) => {
    const folder = folderOf({ 'a.md': markdown(`name: a\ndescription: d\nmodel: ${model}`) });

    const { agents, diagnostics } = await loadAgentFiles([folder], { models });

    expect(agents[0]?.model).toBe(expected);
    expect(diagnostics).toEqual([]);
  });

  it('are told of when skills are not there, a colon was not quoted, the prompt is empty', async () => {
    const folder = folderOf({
      'a.md': markdown('name: a\ndescription: Use it when: asked\nskills: pdf, sql', ''),
    });

    const { agents, diagnostics } = await loadAgentFiles([folder], { skills: ['pdf'] });

    expect(agents).toEqual([{ name: 'a', description: 'Use it when: asked', skills: ['pdf'] }]);
    expect(shortly(folder, diagnostics)).toEqual([
      'warn description a.md',
      'warn - a.md',
      'warn skills a.md',
    ]);
    expect(diagnostics[2]?.message).toContain('"sql"');
  });

  it('of the nearest folder win, and those they hide are told of', async () => {
    const near = folderOf({ 'x.md': markdown('name: same\ndescription: near') });
    const far = folderOf({
      'a.md': markdown('name: same\ndescription: far'),
      'b.md': markdown('name: far\ndescription: far\ncolor: red'),
      'c.md': markdown('name: far\ndescription: again\ncolor: blue'),
    });

    const { agents, diagnostics, metadata } = await loadAgentFiles([near, far]);

    expect(agents.map(({ description }) => description)).toEqual(['near', 'far']);
    expect(metadata.get('far')).toEqual({ color: 'red' });
    const hidden = diagnostics.filter(({ field }) => field === 'name');
    expect(shortly(far, hidden)).toEqual(['warn name a.md', 'warn name c.md']);
    expect(hidden[0]?.message).toContain(join(near, 'x.md'));
  });

  it('are regular files of text: links, pipes, folders, huge and binary ones are not read', async () => {
    const outside = folderOf({ 'secret.md': markdown('name: secret\ndescription: d') });
    const folder = folderOf({
      'big.md': Buffer.alloc(1_048_577, 'a'),
      'binary.md': Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]),
      'plain.md': '# Just a page',
    });
    mkdirSync(join(folder, 'folder.md'));
    symlinkSync(join(outside, 'secret.md'), join(folder, 'link.md'));
    execFileSync('mkfifo', [join(folder, 'pipe.md')]);

    const { agents, diagnostics } = await loadAgentFiles([folder, join(folder, 'nowhere')]);

    expect(agents).toEqual([]);
    expect(shortly(folder, diagnostics)).toEqual([
      'error - big.md',
      'error - binary.md',
      'warn - link.md',
      'error - pipe.md',
      'error - plain.md',
      'error - nowhere',
    ]);
  });

  it('reject arguments that are wrong, naming them', async () => {
    const wrongFolders: unknown = 'agents';
    const wrongOptions: unknown = { model: {} };

    expect(await rejection(loadAgentFiles(wrongFolders as string[]))).toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('"agents"'),
    });
    expect(await rejection(loadAgentFiles([], wrongOptions as object))).toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('"model"'),
    });
  });
});
