// Checks agents and skills from files in a supervisor with real threads: what their models are shown, what they may call.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, loadAgentFiles, loadSkills } from '#src/index.js';
import { supervise, within } from '../supervisor/support.ts';
import { folderOf, markdown } from './folders.ts';

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks something up.',
  input: z.object({ id: z.string() }),
  run: ({ id }) => `found ${id}`,
});

describe('a supervisor of agents from files', () => {
  it('shows the reviewer its prompt, its tools and its own skill, and nothing else (A61)', async () => {
    const folder = folderOf({
      'agents/reviewer.md': markdown(
        'name: reviewer\ndescription: Reviews: code and text\ntools: Read, Grep, lookup, Agent(x)\nskills: [pdf]',
        'You review what you are given.',
      ),
      'skills/pdf/SKILL.md': markdown('name: pdf\ndescription: Reads PDF files.', 'Page by page.'),
      'skills/sql/SKILL.md': markdown('name: sql\ndescription: Writes queries.'),
      'work/note.txt': 'the note',
    });
    const { skills } = await loadSkills([`${folder}/skills`]);
    const { agents } = await loadAgentFiles([`${folder}/agents`], { tools: [lookup], skills });
    const { supervisor, model } = supervise(
      {
        agents: {
          reviewer: [
            {
              toolCalls: [
                { id: 'c1', name: 'read', input: { path: 'note.txt' } },
                { id: 'c2', name: 'lookup', input: { id: '7' } },
                { id: 'c3', name: 'write', input: { path: 'note.txt', content: 'gone' } },
                { id: 'c4', name: 'load_skill', input: { name: 'pdf' } },
                { id: 'c5', name: 'load_skill', input: { name: 'sql' } },
              ],
            },
            { text: 'reviewed' },
          ],
        },
      },
      { agents, skills, tools: [lookup], workspace: `${folder}/work` },
    );

    const outcome = await within(
      supervisor.delegate({ goal: 'Review.', agent: 'reviewer' }),
      'the outcome',
    );

    expect(outcome).toMatchObject({ status: 'completed', text: 'reviewed' });
    const [first, second] = model.requests();
    expect(first?.system).toContain('You review what you are given.');
    expect(first?.system).toMatch(/## pdf\n\nReads PDF files\.$/);
    expect(first?.system).not.toContain('Page by page.');
    expect(first?.system).not.toContain('sql');
    expect(first?.tools.map(({ name }) => name)).toEqual(['lookup', 'read', 'grep', 'load_skill']);
    const results = JSON.stringify(second?.messages.at(-1)?.content);
    expect(results).toContain('the note');
    expect(results).toContain('found 7');
    expect(results).toMatch(/no tool .*write/);
    expect(results).toContain('Page by page.');
    expect(results).toContain('expected one of pdf');
    expect(results).not.toContain('Do it well.');
  });

  it('has for every name of the files a tool of this name here (X7)', async () => {
    const names = 'Read, Write, Edit, Grep, Glob, LS, Bash, WebFetch, WebSearch';
    const folder = folderOf({
      'all.md': markdown(`name: all\ndescription: d\ntools: ${names}`),
      'none.md': markdown('name: none\ndescription: d\ntools: []'),
      'rest.md': markdown('name: rest\ndescription: d\ndisallowedTools: Write, Edit, Bash'),
    });
    const { agents } = await loadAgentFiles([folder], {
      inheritedToolsets: ['file', 'terminal'],
    });
    const { supervisor, model } = supervise(
      { default: [{ text: 'done' }] },
      { agents, tools: [lookup], web: { search: async () => [] } },
    );

    const shown: Record<string, readonly string[] | undefined> = {};
    for (const agent of ['all', 'none', 'rest']) {
      await within(supervisor.delegate({ goal: 'Go.', agent }), 'the outcome');
      shown[agent] = model
        .requests()
        .at(-1)
        ?.tools.map(({ name }) => name);
    }

    expect(shown).toEqual({
      all: ['list', 'glob', 'read', 'grep', 'edit', 'write', 'terminal', 'web_fetch', 'web_search'],
      none: [],
      rest: ['lookup', 'list', 'glob', 'read', 'grep'],
    });
  });
});
