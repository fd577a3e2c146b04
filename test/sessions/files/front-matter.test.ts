// Checks the reading of front matter: where it begins and ends, what its YAML may be, the second try with quotes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrontMatter } from '#src/sessions/files/front-matter.js';

async function fieldsOf(text: string): Promise<Readonly<Record<string, unknown>>> {
  const read = await readFrontMatter(text);
  if (read.status !== 'read') throw new Error(read.message);
  return Object.fromEntries(read.fields);
}

describe('front matter', () => {
  it('is what stands between the first line and the next marker, whatever ends its lines', async () => {
    const text = '---\nname: a\nlist:\n  - x\n  - y: 1\n---\n\nFirst.\n\n---\n\nLast.\n';
    const expected = {
      status: 'read',
      fields: new Map<string, unknown>([
        ['name', 'a'],
        ['list', ['x', { y: 1 }]],
      ]),
      body: 'First.\n\n---\n\nLast.',
      remarks: [],
    };

    expect(await readFrontMatter(text)).toEqual(expected);
    expect(await readFrontMatter(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual(expected);
  });

  it('may be empty', async () => {
    expect(await readFrontMatter('---\n---\nText')).toEqual({
      status: 'read',
      fields: new Map(),
      body: 'Text',
      remarks: [],
    });
  });

  it.each([
    ['nothing', '', /no front matter/],
    ['text alone', '# Title\n---\nname: a\n---\n', /no front matter/],
    ['no end', '---\nname: a\n', /has no end/],
    ['a list', '---\n- a\n---\n', /no list of fields/],
    ['a text', '---\njust words\n---\n', /no list of fields/],
    ['two of one field', '---\nname: a\nname: b\n---\n', /unique.* at line 3/],
    ['a broken quote', '---\nname: "a\n---\n', /cannot be read.*at line/],
    ['an alias of nothing', '---\nname: *nobody\n---\n', /cannot be read: .*nobody/],
    [
      'aliases that unfold without end',
      `---\na0: &a0 [x]\n${Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}x]`).join('\n')}\n---\n`,
      /cannot be read: .*alias/i,
    ],
  ])('is unreadable with %s, in one line without an excerpt', async (_, text, expected) => {
    const read = await readFrontMatter(text);

    expect(read).toEqual({ status: 'unreadable', message: expect.stringMatching(expected) });
    expect(read.status === 'unreadable' && read.message).not.toContain('\n');
  });

  it('is read again with quotes where a value holds a colon, and says so', async () => {
    const read = await readFrontMatter(
      [
        '---',
        'name: a',
        'description: Use this when: the user says "go"',
        '  and then: more',
        'color: "red: not blue"',
        'tools: Read, Write',
        'plain: one',
        '  two',
        '---',
        'Body',
      ].join('\n'),
    );

    expect(read).toMatchObject({
      status: 'read',
      remarks: [{ field: 'description', message: expect.stringContaining('colon') }],
    });
    expect(read.status === 'read' && Object.fromEntries(read.fields)).toEqual({
      name: 'a',
      description: 'Use this when: the user says "go" and then: more',
      color: 'red: not blue',
      tools: 'Read, Write',
      plain: 'one two',
    });
  });

  it('tells the first error when quotes do not help', async () => {
    const read = await readFrontMatter('---\na: b: c\nd: "e\n---\n');

    expect(read).toMatchObject({
      status: 'unreadable',
      message: expect.stringMatching(/at line 2/),
    });
  });

  it('runs nothing and reaches no prototype', async () => {
    const read = await readFrontMatter(
      '---\n__proto__:\n  polluted: true\ncode: !!js/function "() => 1"\n---\n',
    );

    expect(read.status === 'read' && read.fields.get('__proto__')).toEqual({ polluted: true });
    expect(read.status === 'read' && read.fields.get('code')).toBe('() => 1');
    expect(read).toMatchObject({ remarks: [{ message: expect.stringMatching(/tag/i) }] });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('gives back every text of one line, quoted or mended', async () => {
    const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ,.()]{0,20}[A-Za-z]$/);
    const sentence = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join(': '));
    await fc.assert(
      fc.asyncProperty(sentence, fc.string({ unit: 'grapheme' }), async (plain, quoted) => {
        const text = `---\nplain: ${plain}x\nquoted: ${JSON.stringify(quoted)}\n---\n`;
        expect(await fieldsOf(text)).toEqual({ plain: `${plain}x`, quoted });
      }),
      { numRuns: 200 },
    );
  });

  it('never rejects, whatever a file holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 60 }), fc.string(), async (head, body) => {
        const read = await readFrontMatter(`---\n${head}\n---\n${body}`);
        expect(['read', 'unreadable']).toContain(read.status);
      }),
      { numRuns: 300 },
    );
  });
});
