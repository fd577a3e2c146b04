// Proves that a call of a tool always becomes a result: bad arguments, throws, odd answers, interrupts.

import { expect, test } from 'vitest';
import { z } from 'zod';
import { TroupeError } from '#src/base/failures.js';
import type { ToolResult } from '#src/protocol/history.js';
import { callTool } from '#src/tools/call.js';
import { defineTool } from '#src/tools/define-tool.js';
import { refusal } from '#src/tools/refusal.js';
import type { ToolContext, ToolOutput } from '#src/tools/tool.js';
import { toolContext } from '../fixtures/tool-context.ts';

function toolThat(run: (input: { n?: number }, tool: ToolContext) => ToolOutput) {
  const input = z.object({ n: z.number().optional() });
  return defineTool({ name: 'probe', description: 'Probes.', input, run });
}

test.each([
  ['null', null, 'got null'],
  ['undefined', undefined, 'got undefined'],
  ['text', 'n is 1', 'got text: "n is 1"'],
  ['a number', 3, 'got 3'],
  ['an array', [{ n: 1 }], 'got an array: [{"n":1}]'],
  ['JSON text of an array', '[1]', 'got text: "[1]"'],
])('refuses %s as arguments and does not run', async (_case, input, message) => {
  let hasRun = false;
  const tool = toolThat(() => {
    hasRun = true;
  });

  const result = await callTool(tool, input, toolContext());

  expect(result).toMatchObject({ isError: true, failure: { code: 'tool_arguments_invalid' } });
  expect(result.content).toContain(message);
  expect(hasRun).toBe(false);
});

test('names the path and message of each bad field', async () => {
  const result = await callTool(
    toolThat(() => 'ok'),
    { n: 'one' },
    toolContext(),
  );

  expect(result.content).toMatch(/^The arguments of tool "probe" are invalid:\n- n: /);
  expect(result.isError).toBe(true);
});

test('what run changes in its arguments is not what the model called it with', async () => {
  const input = z.object({ list: z.any() });
  const tool = defineTool({
    name: 'empty',
    description: 'Empties.',
    input,
    run: ({ list }) => list.splice(0).length,
  });
  const given = { list: [1, 2] };

  expect((await callTool(tool, given, toolContext())).content).toBe('2');
  expect(given).toEqual({ list: [1, 2] });
});

test('hands run what the schema put out', async () => {
  const input = z.object({ n: z.coerce.number(), m: z.number().default(2) });
  const tool = defineTool({
    name: 'sum',
    description: 'Adds.',
    input,
    run: ({ n, m }) => n + m,
  });

  expect(await callTool(tool, { n: '40' }, toolContext())).toEqual({
    content: '42',
    isError: false,
  });
});

test.each<[string, ToolOutput, ToolResult['content']]>([
  ['text', 'plain', 'plain'],
  ['nothing', undefined, '(no output)'],
  ['an empty text', '', '(no output)'],
  ['null', null, 'null'],
  ['an object', { a: [1] }, '{"a":[1]}'],
  ['an empty list', [], '[]'],
  ['a list that is no blocks', [{ type: 'other' }], '[{"type":"other"}]'],
  ['content blocks', [{ type: 'text', text: 'a' }], [{ type: 'text', text: 'a' }]],
])('shows %s', async (_case, output, content) => {
  const result = await callTool(
    toolThat(async () => output),
    {},
    toolContext(),
  );

  expect(result).toEqual({ content, isError: false });
});

test('rebuilds an image from the fields a provider takes', async () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
  const tool = toolThat(() => [{ type: 'image', source: { ...source, extra: 1 }, more: 2 }]);

  const result = await callTool(tool, {}, toolContext());

  expect(result.content).toEqual([{ type: 'image', source }]);
});

const circular: Record<string, unknown> = {};
circular['self'] = circular;

test.each([
  ['a function', () => {}],
  ['a circular object', circular],
  ['a bigint', 1n],
])('answers with an error when the tool returns %s', async (_case, output) => {
  const result = await callTool(
    toolThat(() => output),
    {},
    toolContext(),
  );

  expect(result).toMatchObject({ isError: true, failure: { code: 'tool_failed' } });
  expect(result.content).toMatch(/^Tool "probe" failed: it returned/);
});

test.each<[string, unknown, string, string]>([
  ['an error', new Error('disk full'), 'tool_failed', 'Tool "probe" failed: disk full'],
  ['a class of its own', new RangeError('too far'), 'tool_failed', 'RangeError: too far'],
  ['a text', 'oops', 'tool_failed', 'failed: "oops"'],
  ['nothing', undefined, 'tool_failed', 'failed: undefined'],
  ['a failure of ours', new TroupeError('file_refused', 'no'), 'file_refused', 'failed: no'],
])('turns a throw of %s into an error result', async (_case, thrown, code, text) => {
  const sync = toolThat(() => {
    throw thrown;
  });
  const late = toolThat(() => Promise.reject(thrown));

  for (const tool of [sync, late]) {
    const result = await callTool(tool, {}, toolContext());
    expect(result).toMatchObject({ isError: true, failure: { code } });
    expect(result.content).toContain(text);
  }
});

test('turns a throwing schema into an error result', async () => {
  const input = z.object({}).transform(() => {
    throw new Error('schema broke');
  });
  const tool = defineTool({ name: 'odd', description: 'Odd.', input, run: () => 'ok' });

  const result = await callTool(tool, {}, toolContext());

  expect(result).toMatchObject({ isError: true, failure: { code: 'tool_failed' } });
});

test('does not run a tool whose run is interrupted already', async () => {
  const signal = AbortSignal.abort(new TroupeError('interrupted', 'by the user'));
  const tool = toolThat(() => expect.unreachable());

  const result = await callTool(tool, {}, toolContext({ signal }));

  expect(result).toMatchObject({ content: 'by the user', failure: { code: 'interrupted' } });
});

test('passes the reason of an interrupt on when the tool ends because of it', async () => {
  const controller = new AbortController();
  const tool = toolThat(async (_input, { signal }) => {
    controller.abort(new TroupeError('tool_timeout', 'too slow'));
    signal.throwIfAborted();
  });

  const result = await callTool(tool, {}, toolContext({ signal: controller.signal }));

  expect(result).toEqual({
    content: 'too slow',
    isError: true,
    failure: { code: 'tool_timeout', message: 'too slow', retryable: false },
  });
});

test('keeps what a tool finished in the moment of its interrupt (S9)', async () => {
  const controller = new AbortController();
  const tool = toolThat(async () => {
    controller.abort(new TroupeError('interrupted', 'stop'));
    return 'done';
  });

  const result = await callTool(tool, {}, toolContext({ signal: controller.signal }));

  expect(result).toEqual({ content: 'done', isError: false });
});

test('gives up a tool that ignores its interrupt, and hands over what it comes to', async () => {
  const controller = new AbortController();
  let finish: (text: string) => void = () => {};
  const tool = toolThat(() => new Promise<string>((resolve) => (finish = resolve)));
  const abandoned: Promise<ToolResult>[] = [];

  const call = callTool(tool, {}, toolContext({ signal: controller.signal }), {
    onAbandoned: (late) => abandoned.push(late),
  });
  controller.abort(new TroupeError('interrupted', 'stop'));

  expect(await call).toMatchObject({ content: 'stop', isError: true });
  finish('late after all');
  expect(await Promise.all(abandoned)).toEqual([{ content: 'late after all', isError: false }]);
});

test('a refusal is an error result in the tool’s own words, with its code for events', async () => {
  const result = await callTool(
    toolThat(() => refusal('refused', 'error: not now')),
    {},
    toolContext(),
  );

  expect(result).toMatchObject({
    content: 'error: not now',
    isError: true,
    failure: { code: 'refused', message: 'error: not now' },
  });
});
