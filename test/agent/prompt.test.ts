// Checks the parts of a prompt: what each says, in which order they stand, and that none is there unasked (X14).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemPrompt } from '#src/agent/prompt/system-prompt.js';
import { taskMessage } from '#src/agent/prompt/task-message.js';
import { isTimeZone, timeBlock } from '#src/agent/prompt/time.js';

const everything = {
  prompt: 'Review the code.',
  role: 'reviewer',
  workspace: { path: '/work/here', isOutputFolder: true },
  behaviour: true as const,
  skills: [{ name: 'pdf', description: 'Reads PDF files.' }],
  outputs: {
    variables: { title: 'The title.' },
    toolNames: { tool: 'emit_value', name: 'name', value: 'value' },
  },
  answer: { tool: 'generate_response' },
  nonInteractive: true,
};
const headings = (text: string): readonly string[] => text.match(/^# .*$/gm) ?? [];

describe('the system prompt', () => {
  it('has its parts in one order: role, directory, behaviour, skills, debts, rules (A37, X14)', () => {
    const system = systemPrompt(everything);

    expect(headings(system)).toEqual([
      '# Role',
      '# Working Directory',
      '# Behaviour',
      '# Skills',
      '# Outputs',
      '# Answer',
      '# Working Alone',
    ]);
    expect(system.startsWith('# Role\n\nYou are the agent reviewer;')).toBe(true);
    expect(system.indexOf('Review the code.')).toBeLessThan(system.indexOf('# Working Directory'));
  });

  it('is the definition’s text and nothing else when no part is wanted (X14)', () => {
    expect(systemPrompt({ prompt: 'Just this.' })).toBe('Just this.');
    expect(headings(systemPrompt({}))).toEqual([]);
    expect(systemPrompt({ workspace: { path: '/w', isOutputFolder: false } })).toMatch(
      /\n\n# Working Directory\n\n\/w$/,
    );
  });

  it('has each part for itself: leaving one out changes no other (X14)', () => {
    const keys = Object.keys(everything) as (keyof typeof everything)[];
    const whole = systemPrompt(everything).split('\n\n# ');

    fc.assert(
      fc.property(fc.subarray(keys), (kept) => {
        const some = Object.fromEntries(kept.map((key) => [key, everything[key]]));
        const parts = systemPrompt({ ...some, prompt: everything.prompt, role: everything.role });

        expect(whole).toEqual(expect.arrayContaining(parts.split('\n\n# ')));
      }),
    );
  });

  it('names the directory and says to save generated files there (A58)', () => {
    const system = systemPrompt({ workspace: { path: '/work/here', isOutputFolder: true } });

    expect(system).toMatch(/# Working Directory\n\n\/work\/here\n\nSave the files you generate/);
    expect(system).toContain('unless you are told otherwise');
  });

  it('has a safety part and rules for output, unless a text stands for them (A59)', () => {
    const system = systemPrompt({ behaviour: true });

    expect(system).toContain('## Safety');
    expect(system).toMatch(/Write output that is too long .* to a file, .* summary and the path/);
    expect(system).toMatch(/own name and a time stamp/);
    expect(systemPrompt({ prompt: 'p', behaviour: 'Be kind.' })).toBe('p\n\nBe kind.');
  });

  it('names the skills it is given, holds the text of preloaded ones alone, and has no block for none (A61)', () => {
    const pdf = { name: 'pdf', description: 'Reads PDF files.', content: 'Step 1.\n', path: '/p' };
    const preloaded = { ...pdf, preload: true };

    const catalogue = systemPrompt({ prompt: 'p', skills: [pdf], loadsSkills: true });

    expect(catalogue).toMatch(/^p\n\n# Skills\n\n.*load_skill.*\n\n## pdf\n\nReads PDF files\.$/);
    expect(systemPrompt({ prompt: 'p', skills: [pdf] })).toBe(
      'p\n\n# Skills\n\n## pdf\n\nReads PDF files.',
    );
    expect(systemPrompt({ prompt: 'p', skills: [preloaded], loadsSkills: true })).toBe(
      'p\n\n# Skills\n\n## pdf\n\nReads PDF files.\n\nIts files are in /p\n\nStep 1.',
    );
    expect(systemPrompt({ prompt: 'p', skills: [] })).toBe('p');
  });

  it('says that no person answers questions, and to stop calling tools once done (B16)', () => {
    const system = systemPrompt({ nonInteractive: true });

    expect(system).toContain('Ask no questions');
    expect(system).toContain('Call no more tools once your task is done');
  });
});

describe('the time block', () => {
  const at = Date.UTC(2026, 10, 21, 18, 43, 59);

  it.each([
    ['UTC', '2026-11-21 18:43 (UTC)'],
    ['Europe/Berlin', '2026-11-21 19:43 (GMT+1)'],
    ['America/New_York', '2026-11-21 13:43 (EST)'],
    ['Asia/Kolkata', '2026-11-22 00:13 (GMT+5:30)'],
  ])('gives date and minute in %s with its short name (A60)', (timeZone, expected) => {
    expect(timeBlock(at, timeZone)).toBe(`# Current Time\n\n${expected}`);
  });

  it('begins a day at 00 and follows daylight saving (A60)', () => {
    expect(timeBlock(Date.UTC(2026, 5, 30, 22, 0), 'Europe/Berlin')).toContain(
      '2026-07-01 00:00 (GMT+2)',
    );
  });

  it('says the same of a zone, however many others it was asked for in between (A60)', () => {
    const zones = Intl.supportedValuesOf('timeZone').slice(0, 200);
    const first = zones.map((zone) => timeBlock(at, zone));

    expect(new Set(first).size).toBeGreaterThan(10);
    expect(zones.map((zone) => timeBlock(at, zone))).toEqual(first);
  });

  it('knows which zones there are (A60)', () => {
    expect([isTimeZone('Europe/Berlin'), isTimeZone('Middle/Earth')]).toEqual([true, false]);
  });
});

describe('the task message', () => {
  const textOf = (task: Parameters<typeof taskMessage>[0]) => taskMessage(task).content[0];

  it('has the goal, then the context, then the time (A38)', () => {
    const time = '# Current Time\n\nnow';

    expect(textOf({ goal: 'Go.' })).toEqual({ type: 'text', text: 'Go.' });
    expect(textOf({ goal: 'Go.', context: '' })).toEqual({ type: 'text', text: 'Go.' });
    expect(textOf({ goal: 'Go.', context: 'Mind the gap.', time })).toEqual({
      type: 'text',
      text: 'Go.\n\n# Context\n\nMind the gap.\n\n# Current Time\n\nnow',
    });
  });
});
