// Checks arguments that no walk comes to the end of: an error result of their call, for whichever tool.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/tool.js';
import { answered, calls, supervise, toolFixture, within } from './support.ts';

const nested = (levels: number): object =>
  Array.from({ length: levels }).reduce<object>((below) => ({ below }), {});

it('are refused when nested deeper than 512 levels, and the run goes on (B27)', async () => {
  const loose = defineTool({
    name: 'loose',
    description: 'Takes anything.',
    input: z.looseObject({}),
    run: () => 'ran',
  });
  const deep = { text: 'a', ...nested(3_000) };
  const { supervisor, model } = supervise(
    calls(['loose', deep], ['echo', deep], ['loose', { fine: nested(100) }]),
    { tools: [loose, toolFixture('plain')] },
  );

  const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the outcome');

  expect(outcome.exitReason).toBe('goal');
  expect(answered(model).map(([text, isError]) => [text.slice(0, 60), isError])).toEqual([
    [expect.stringContaining('Tool "loose" takes its arguments'), true],
    [expect.stringContaining('Tool "echo" takes its arguments'), true],
    ['ran', false],
  ]);
});
