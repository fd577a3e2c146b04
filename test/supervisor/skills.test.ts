// Checks skills on demand with real threads: what the prompt names, what the tool sends, and what nobody is sent twice.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import type { Message } from '#src/protocol/history.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { rejection, supervise, within } from './support.ts';

/** A folder with a file beside `SKILL.md`, one below, and a link that leads out. */
function skillFolder(): string {
  const folder = temporaryFolder();
  const outside = temporaryFolder();
  writeFileSync(join(outside, 'secret.txt'), 'not for skills');
  writeFileSync(join(folder, 'SKILL.md'), 'whole');
  mkdirSync(join(folder, 'scripts'));
  writeFileSync(join(folder, 'scripts', 'run.py'), 'print(1)');
  writeFileSync(join(folder, 'form.txt'), 'a form');
  symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'));
  return folder;
}

const load = (name: string, file?: string) => ({
  name: 'load_skill',
  input: file === undefined ? { name } : { name, file },
});

/** The results of the newest turn, as texts. */
const resultsOf = (messages: readonly Message[] | undefined): readonly string[] => {
  const content = messages?.at(-1)?.content ?? [];
  return typeof content === 'string'
    ? [content]
    : content.flatMap((block) =>
        block.type === 'tool_result' && typeof block.content === 'string' ? [block.content] : [],
      );
};

describe('skills on demand', () => {
  it('are named in the prompt, sent when asked for, with their files, and once in a run (A61)', async () => {
    const path = skillFolder();
    const skills = [{ name: 'pdf', description: 'Reads PDF files.', content: 'Step 1.', path }];
    const { supervisor, model } = supervise(
      {
        default: [
          { toolCalls: [load('pdf')] },
          { toolCalls: [load('pdf'), load('pdf', 'scripts/run.py')] },
          { text: 'done' },
        ],
      },
      { skills },
    );
    const agent = await supervisor.spawn({ name: 'reader', tools: [], skills: ['pdf'] });

    await within(agent.ask('one', { timeoutMs: 20_000 }), 'the first run');
    const requests = model.requests();
    await within(agent.ask('two', { timeoutMs: 20_000 }), 'the second run');

    const [first, second, third] = requests;
    expect(first?.system).not.toContain('Step 1.');
    expect(first?.tools.map(({ name }) => name)).toEqual(['load_skill']);
    expect(first?.tools[0]?.inputSchema).toMatchObject({
      properties: { name: { enum: ['pdf'] } },
      required: ['name'],
    });
    const [whole] = resultsOf(second?.messages);
    expect(whole).toMatch(/^<skill_content name="pdf">\nStep 1\./);
    expect(whole).toContain(`${path}; read its files with file:\nform.txt\nscripts/run.py`);
    expect(whole).not.toContain('link.txt');
    expect(resultsOf(third?.messages)).toEqual([
      expect.stringContaining('was loaded before in this run'),
      'print(1)',
    ]);
    // The next run is sent it again: its memory may have been cut.
    expect(resultsOf(model.requests()[4]?.messages)[0]).toContain('Step 1.');
  });

  it('show an agent its own alone, and its files without a way out of the folder (A61)', async () => {
    const skills = [
      { name: 'pdf', description: 'Reads PDF files.', content: 'Step 1.', path: skillFolder() },
      { name: 'sql', description: 'Writes queries.', content: 'Select.' },
      { name: 'bare', description: 'Has no text.' },
    ];
    const { supervisor, model } = supervise(
      {
        agents: {
          a: [
            {
              toolCalls: [
                load('sql'),
                load('pdf', '../x'),
                load('pdf', 'link.txt'),
                { name: 'load_skill', input: {} },
              ],
            },
            { text: 'done' },
          ],
          b: [{ toolCalls: [load('sql'), load('sql', 'x')] }, { text: 'done' }],
          c: [{ toolCalls: [load('pdf')] }, { text: 'done' }],
        },
      },
      { skills },
    );

    await within(
      supervisor.delegate([
        { goal: 'a', agent: { name: 'a', skills: ['pdf', 'bare'] } },
        { goal: 'b', agent: { name: 'b', skills: ['sql'] } },
        { goal: 'c', agent: { name: 'c', skills: ['bare'] } },
      ]),
      'the outcomes',
    );

    const of = (agent: string) => model.requests().filter(({ agent: { name } }) => name === agent);
    const [sql, up, link, none] = resultsOf(of('a')[1]?.messages);
    expect(sql).toContain('expected one of pdf, got "sql"');
    expect(up).toContain('leads outside');
    expect(link).toContain('leads outside');
    expect(none).toContain('expected one of pdf, got nothing');
    expect(JSON.stringify(of('a'))).not.toMatch(/Select|Writes queries|not for skills/);
    const [select, noFiles] = resultsOf(of('b')[1]?.messages);
    expect(select).toBe('<skill_content name="sql">\nSelect.\n</skill_content>');
    expect(noFiles).toContain('brings no files');
    expect(of('c')[0]?.tools).toEqual([]);
    expect(of('c')[0]?.system).toMatch(/# Skills\n\n## bare\n\nHas no text\.$/);
    expect(resultsOf(of('c')[1]?.messages)[0]).toContain('no tool');
  });

  it('have no tool when they are preloaded, denied, or not there (A61)', async () => {
    const skills = [
      { name: 'pdf', description: 'd', content: 'Step 1.', preload: true },
      { name: 'sql', description: 'd', content: 'Select.' },
    ];
    const { supervisor, model } = supervise({ default: [{ text: 'done' }] }, { skills });

    await within(
      supervisor.delegate([
        { goal: 'a', agent: { name: 'a', skills: ['pdf'] } },
        { goal: 'b', agent: { name: 'b', skills: ['sql'], disallowedTools: ['tag:skill'] } },
        { goal: 'c', agent: { name: 'c' } },
      ]),
      'the outcomes',
    );

    const systems = new Map(model.requests().map(({ agent, system }) => [agent.name, system]));
    expect(model.requests().flatMap(({ tools }) => tools)).toEqual([]);
    expect(systems.get('a')).toContain('## pdf\n\nd\n\nStep 1.');
    expect(systems.get('b')).toMatch(/# Skills\n\n## sql\n\nd$/);
    expect(systems.get('c')).not.toContain('# Skills');
  });

  it('are cut at their own limit and at no other, and say where the rest is', async () => {
    const path = skillFolder();
    const text = `${'x'.repeat(79)}\n`.repeat(1_000);
    const skills = [
      { name: 'short', description: 'd', content: text.slice(0, 40_000) },
      { name: 'long', description: 'd', content: text, path },
      { name: 'lost', description: 'd', content: 'Text.', path: join(path, 'nowhere') },
    ];
    const calls = [load('short'), load('long'), load('lost')];
    const { supervisor, model } = supervise(
      { default: [{ toolCalls: calls }, { text: 'done' }] },
      { skills },
    );
    const agent = { name: 'a', skills: ['short', 'long', 'lost'], maxResultChars: 1_000 };

    await within(supervisor.delegate({ goal: 'a', agent }), 'the outcome');

    const [short = '', long = '', lost = ''] = resultsOf(model.requests()[1]?.messages);
    expect(short).toContain(text.slice(0, 39_999));
    expect(long.length).toBeLessThanOrEqual(50_000);
    expect(long).toContain('the whole text is in SKILL.md: read it with file]');
    expect(long).toMatch(/scripts\/run\.py\n<\/skill_content>$/);
    expect(lost).toMatch(/Text\.\n\nIts folder is .*nowhere, which cannot be read/);
  });

  it('refuse a tool of the agent that has the name of theirs, before anything starts (X7)', async () => {
    const own = defineTool({
      name: 'load_skill',
      description: 'Mine.',
      input: z.object({}),
      run: () => 'mine',
    });
    const { supervisor, watch } = supervise(
      { default: [{ text: 'done' }] },
      {
        skills: [{ name: 'sql', description: 'd', content: 'Select.' }],
        tools: [own],
      },
    );

    expect(
      await rejection(supervisor.delegate({ goal: 'a', agent: { name: 'a', skills: ['sql'] } })),
    ).toMatchObject({ code: 'invalid_tool', message: expect.stringContaining('load_skill') });
    expect(watch.of('task_queued')).toEqual([]);
  });
});
