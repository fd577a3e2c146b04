// Proves that a tool may be sync, async or a generator of either kind (D24).
import { expect, test } from 'vitest';
import { z } from 'zod';
import { callTool } from '#src/tools/call.js';
import { defineTool } from '#src/tools/define-tool.js';
import { checkProgress } from '#src/tools/reports.js';
import type { ToolOutput } from '#src/tools/tool.js';
import { toolContext } from '../fixtures/tool-context.ts';

const make = (run: () => ToolOutput) =>
  defineTool({ name: 'probe', description: 'Probes.', input: z.object({}), run });

function* steps() {
  yield 0.5;
  yield 'half';
  yield { fraction: 0.75, note: 'more' };
  yield { rows: 3 };
  yield undefined;
  return 'all';
}

test.each([
  ['a sync function', () => 'all', 0],
  ['an async function', async () => 'all', 0],
  ['a generator', steps, 4],
  [
    'an async generator',
    async function* () {
      return yield* steps();
    },
    4,
  ],
  ['a function that promises a generator', async () => steps(), 4],
])('takes %s (D24)', async (_case, run, reports) => {
  const reported: unknown[] = [];
  let beats = 0;

  const result = await callTool(
    make(run),
    {},
    toolContext({
      progress: (...report) => reported.push(report),
      heartbeat: () => {
        beats += 1;
      },
    }),
  );

  expect(result).toEqual({ content: 'all', isError: false });
  const expected = [[0.5], [0.5, 'half'], [0.75, 'more'], [0.75, '{"rows":3}']];
  expect(reported).toEqual(expected.slice(0, reports));
  expect(beats).toBe(reports === 0 ? 0 : 1);
});

test('a generator that returns nothing came to what it yielded last (D24)', async () => {
  const only = function* () {
    yield 'one';
    yield { rows: 2 };
    yield undefined;
  };

  const content = async (run: () => ToolOutput) =>
    (await callTool(make(run), {}, toolContext())).content;

  expect(await content(only)).toBe('{"rows":2}');
  expect(await content(function* () {})).toBe('(no output)');
});

test('an array is an answer, not steps (D24)', async () => {
  expect(
    await callTool(
      make(() => [1, 2]),
      {},
      toolContext(),
    ),
  ).toEqual({
    content: '[1,2]',
    isError: false,
  });
});

test('a generator that throws is a result (D24)', async () => {
  const run = function* () {
    yield 'begun';
    throw new Error('no');
  };

  expect(await callTool(make(run), {}, toolContext())).toMatchObject({
    isError: true,
    content: 'Tool "probe" failed: no',
  });
});

test('a generator without end is left at an interrupt, and may tidy up (B31)', async () => {
  const abort = new AbortController();
  let isTidy = false;
  let late: Promise<unknown> = Promise.resolve();
  const run = function* () {
    try {
      for (let step = 0; ; step += 1) {
        if (step === 50) abort.abort(new Error('enough'));
        yield;
      }
    } finally {
      isTidy = true;
    }
  };

  const { signal } = abort;
  const result = await callTool(
    make(run),
    {},
    toolContext({ signal, interrupted: () => signal.aborted }),
    {
      onAbandoned: (code) => {
        late = code;
      },
    },
  );
  await late;

  expect(result).toMatchObject({ isError: true, content: 'enough' });
  expect(isTidy).toBe(true);
});

test('closes a generator whose report is wrong (D24)', async () => {
  const closed: string[] = [];
  function* wrong() {
    try {
      yield 7;
    } finally {
      closed.push('it is closed');
    }
  }

  const result = await callTool(
    make(wrong),
    {},
    toolContext({ progress: (fraction, note) => checkProgress(fraction, note) }),
  );

  expect(result).toMatchObject({ isError: true, failure: { code: 'invalid_options' } });
  expect(closed).toEqual(['it is closed']);
});
