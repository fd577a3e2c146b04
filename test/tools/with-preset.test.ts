// Checks tools with fixed arguments: what models are shown of them, what their code receives, and early refusals.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, withPreset } from '#src/index.js';
import { callTool } from '#src/tools/call.js';
import { jsonSchemaOf } from '#src/tools/schema.js';
import { toolContext } from '../fixtures/tool-context.ts';
import { supervise, toolFixture, within } from '../supervisor/support.ts';

const received: unknown[] = [];
const search = defineTool({
  name: 'search',
  description: 'Searches.',
  input: z.strictObject({
    folder: z.string().min(1),
    query: z.string(),
    limits: z.object({ max: z.number().max(10) }).optional(),
    sort: z.enum(['name', 'date']).default('name'),
  }),
  idempotent: true,
  tags: ['file'],
  needsApproval: ({ folder }) => folder === '/secret',
  run(input) {
    received.push(structuredClone(input));
    // What it changes is its own.
    if (input.limits !== undefined) input.limits.max = 0;
    return `${input.folder}: ${input.query}`;
  },
});
const call = (tool: Parameters<typeof callTool>[0], input: object) =>
  callTool(tool, input, toolContext());

describe('a tool with a preset', () => {
  it('shows its schema without the fixed arguments, and is otherwise the same', () => {
    const tool = withPreset(search, { folder: '/docs', limits: { max: 3 } });

    const { properties, required, additionalProperties } = jsonSchemaOf(tool.input);
    expect(Object.keys(properties ?? {})).toEqual(['query', 'sort']);
    expect({ required, additionalProperties }).toEqual({
      required: ['query'],
      additionalProperties: false,
    });
    const { input: _ours, ...rest } = tool;
    const { input: _theirs, ...original } = search;
    expect(rest).toEqual(original);
    expect(Object.keys(jsonSchemaOf(search.input)['properties'] ?? {})).toHaveLength(4);
  });

  it('receives them with every call, as they were when it was made', async () => {
    received.length = 0;
    const preset = { folder: '/docs', limits: { max: 3 } };
    const tool = withPreset(search, preset);
    preset.folder = '/etc';
    preset.limits.max = 9;

    expect(await call(tool, { query: 'a' })).toEqual({ content: '/docs: a', isError: false });
    expect(await call(tool, { query: 'b', sort: 'date' })).toMatchObject({ isError: false });

    const fixed = { folder: '/docs', limits: { max: 3 } };
    expect(received).toEqual([
      { ...fixed, query: 'a', sort: 'name' },
      { ...fixed, query: 'b', sort: 'date' },
    ]);
  });

  it('refuses a call that gives one, and judges the rest as before', async () => {
    const tool = withPreset(search, { folder: '/docs' });

    for (const folder of ['/etc', '/docs']) {
      const { isError, content } = await call(tool, { query: 'a', folder });
      expect([isError, content]).toEqual([
        true,
        expect.stringContaining('folder: is fixed; leave it out'),
      ]);
    }
    expect(await call(tool, {})).toMatchObject({
      isError: true,
      content: expect.stringContaining('query'),
    });
    expect(await call(tool, { query: 'a', other: 1 })).toMatchObject({ isError: true });
  });

  it('asks for approval by what it receives, and takes further presets', async () => {
    const secret = withPreset(withPreset(search, { folder: '/secret' }), { query: 'keys' });

    expect(await call(secret, {})).toMatchObject({ failure: { code: 'approval_denied' } });
    const open = withPreset(withPreset(search, { folder: '/open' }), { query: 'keys' });
    expect(await call(open, {})).toEqual({ content: '/open: keys', isError: false });
    expect(() => withPreset(open, { folder: '/other' })).toThrow(/no argument "folder"/);
  });

  it.each<[string, unknown, RegExp]>([
    ['an argument there is not', { foldr: '/x' }, /"search": there is no argument "foldr".*folder/],
    ['a wrong value', { folder: 7 }, /folder: .*string.* got 7/],
    ['a wrong value inside', { limits: { max: 11 } }, /limits\.max: .*got/],
    ['a value of no choice', { sort: 'size' }, /sort: .*got "size"/],
    ['no object', ['folder'], /a preset must be an object, got/],
  ])('is refused when it is made, for %s', (_what, preset, message) => {
    expect(() => withPreset(search, preset as Record<string, unknown>)).toThrow(message);
    expect(() => withPreset(search, preset as Record<string, unknown>)).toThrow(
      expect.objectContaining({ code: 'invalid_tool' }),
    );
  });

  it('is made of tools alone', () => {
    expect(() => withPreset({ name: 'search' } as never, {})).toThrow(/takes a tool, got/);
  });

  it('is judged with each call where its schema is asynchronous', async () => {
    const tool = defineTool({
      name: 'slow',
      description: 'Judges slowly.',
      input: z.object({ id: z.string().refine(async (id) => id !== 'bad'), text: z.string() }),
      run: ({ id, text }) => `${id} ${text}`,
    });

    expect(await call(withPreset(tool, { id: 'good' }), { text: 'a' })).toMatchObject({
      content: 'good a',
    });
    expect(await call(withPreset(tool, { id: 'bad' }), { text: 'a' })).toMatchObject({
      isError: true,
    });
  });

  it('runs in the service and in threads', async () => {
    const { supervisor, model } = supervise(
      {
        default: [
          {
            toolCalls: [
              { id: 'c1', name: 'search', input: { query: 'a' } },
              { id: 'c2', name: 'join', input: { right: 'given' } },
              { id: 'c3', name: 'join', input: { left: 'mine', right: 'given' } },
            ],
          },
          { text: 'done' },
        ],
      },
      { tools: [withPreset(search, { folder: '/docs' }), toolFixture('preset')] },
    );

    await within(supervisor.delegate({ goal: 'Go.' }), 'the outcome');

    const [first, second] = model.requests();
    const schemas = first?.tools.map(({ name, inputSchema }) => [
      name,
      Object.keys(inputSchema['properties'] ?? {}),
    ]);
    expect(schemas).toEqual([
      ['search', ['query', 'limits', 'sort']],
      ['join', ['right']],
    ]);
    expect(second?.messages.at(-1)?.content).toMatchObject([
      { content: '/docs: a' },
      { content: 'fixed-given' },
      { is_error: true, content: expect.stringContaining('left: is fixed') },
    ]);
  });
});
