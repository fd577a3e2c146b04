// Proves how toolsets are found by name, and what a tool module must export.

import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/tools/define-tool.js';
import { collectTools, describeTool } from '#src/tools/tool-module.js';
import { builtinToolsets, findToolsets } from '#src/tools/toolsets.js';

const one = { name: 'one', description: '1', tools: [] };
const two = { name: 'two', description: '2', tools: [] };

test('finds toolsets once each, in the order they are known in', () => {
  expect(findToolsets(['two', 'one', 'two'], [one, two])).toEqual([one, two]);
  expect(findToolsets([], [one, two])).toEqual([]);
});

test('refuses an unknown toolset, naming it and what there is', () => {
  const find = () => findToolsets(['one', 'web'], [one, two]);

  expect(find).toThrow('there is no toolset "web"; there are: one, two');
  expect(find).toThrow(expect.objectContaining({ code: 'unknown_toolset' }));
});

test('brings the file toolset', () => {
  const [file] = findToolsets(['file'], builtinToolsets);

  expect(file?.tools.map((tool) => tool.name)).toEqual([
    'list',
    'glob',
    'read',
    'grep',
    'edit',
    'apply_patch',
    'write',
  ]);
});

const make = (name: string) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    input: z.object({ id: z.string() }),
    tags: ['t'],
    run: () => '',
  });

test('collects the tools a module exports and leaves its other exports alone', () => {
  const [crunch, count] = [make('crunch'), make('count')];
  const namespace = { count, crunch, default: crunch, helper: () => {}, version: 3, nothing: null };

  expect(collectTools(namespace, 'tools.js')).toEqual([count, crunch]);
});

test.each([
  ['exports nothing', {}, 'tools.js exports no tool made by defineTool; it exports nothing'],
  ['exports other things only', { help: 1 }, 'it exports ["help"]'],
  [
    'exports two tools of one name',
    { a: make('same'), b: make('same') },
    'exports two tools named "same"',
  ],
])('refuses a module that %s', (_case, namespace, message) => {
  const collect = () => collectTools(namespace, 'tools.js');

  expect(collect).toThrow(message);
  expect(collect).toThrow(expect.objectContaining({ code: 'tool_module_failed' }));
});

test('describes tools as plain data that crosses threads unchanged', () => {
  const timed = defineTool({ ...make('timed'), idempotent: true, timeoutMs: 9 });

  const described = [make('crunch'), timed].map(describeTool);

  expect(structuredClone(described)).toEqual(described);
  expect(described).toEqual([
    {
      name: 'crunch',
      description: 'Does crunch.',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
      },
      isIdempotent: false,
      tags: ['t'],
    },
    expect.objectContaining({ name: 'timed', isIdempotent: true, timeoutMs: 9 }),
  ]);
});
