// Checks the offline model through the public API: tools of every form are called and quoted, and answers by schema fit or
// say what is missing (D19).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { createSupervisor, defineAgent, defineTool, type Supervisor } from '#src/index.js';
import { audit, Watch, watched, within } from './support.ts';

const stock = defineTool({
  name: 'stock',
  description: 'How many of an article there are.',
  input: z.object({ article: z.enum(['bolt', 'nut']) }),
  run: ({ article }) => ({ bolt: 120, nut: 80 })[article],
});
const bolts = 'How many bolts are there?';

/** One for all tasks that need no other: its threads are there before the first test, and stay. */
let shared: Supervisor;
let watch: Watch;
beforeAll(async () => {
  shared = createSupervisor({ model: 'offline' });
  watch = new Watch(shared);
  await outcomeOf({});
});
afterAll(async () => {
  await within(shared.close(), 'close');
  audit(shared, watch.events, await within(watch.read, 'the end of the events'));
});

async function outcomeOf(task: object, tools: readonly unknown[] = [stock]) {
  const asked = { goal: bolts, tools: tools as never, ...task };
  return await within(shared.delegate(asked), 'the outcome');
}

test('a task shows what its tool returned', async () => {
  const { status, text, toolCalls } = await outcomeOf({});

  expect({ status, text, toolCalls }).toEqual({
    status: 'completed',
    text: 'stock {"article":"bolt"} returned: 120',
    toolCalls: 1,
  });
});

test('so does one whose tool is in a module, in its own thread', async () => {
  const module = new URL('../fixtures/tools/offline.js', import.meta.url);

  const { supervisor } = watched(createSupervisor({ model: 'offline', tools: [module] }));
  const counting = supervisor.delegate({ goal: 'Count the letters of "pineapple".' });

  const { text } = await within(counting, 'the outcome');

  expect(text).toBe('count_letters {"word":"pineapple"} returned: 9');
});

test('so do a spawned agent, run after run, and a child', async () => {
  const { supervisor } = watched(createSupervisor({ model: 'offline', tools: [stock] }));
  const clerk = await supervisor.spawn(defineAgent({ name: 'clerk', tools: ['stock'] }));

  const first = await within(clerk.ask(bolts, { timeoutMs: 20_000 }), 'the first answer');
  const then = await within(clerk.ask('And nuts?', { timeoutMs: 20_000 }), 'the second answer');

  expect(first.text).toContain('returned: 120');
  // Nothing in the second goal asks for the tool.
  expect(then.text).toContain('only quotes the prompt: “And nuts?”');
});

test('a tool that fails is quoted with its arguments', async () => {
  const broken = defineTool({
    ...stock,
    run: () => {
      throw new Error('the shelf is locked');
    },
  });

  const { text } = await outcomeOf({}, [broken]);

  expect(text).toMatch(/^stock \{"article":"bolt"\} failed: .*the shelf is locked/);
});

test.each([
  ['a number', z.object({ count: z.number() }), { count: 120 }],
  [
    'an argument of the call',
    z.object({ article: z.enum(['bolt', 'nut']), count: z.number().int() }),
    { article: 'bolt', count: 120 },
  ],
  [
    'a text',
    z.object({ summary: z.string() }),
    { summary: 'stock {"article":"bolt"} returned: 120' },
  ],
  [
    'what may stay away',
    z.object({ count: z.number(), unit: z.string().optional() }),
    { count: 120 },
  ],
])('an answer by schema is derived: %s (D19)', async (_what, outputSchema, structured) => {
  const outcome = await outcomeOf({ outputSchema });

  expect(outcome).toMatchObject({ status: 'completed', structured });
});

test.each([
  ['that nothing says', z.object({ supplier: z.object({ phone: z.number() }) }), '"supplier"'],
  ['of another type', z.object({ inStock: z.boolean() }), '"inStock"'],
])('a field %s is named, and the run fails (D19)', async (_what, outputSchema, field) => {
  const outcome = await outcomeOf({ outputSchema });

  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } });
  expect(outcome.structured).toBeUndefined();
  expect(outcome.text).toMatch(
    /^The offline model cannot give this answer in its schema: nothing /,
  );
  expect(outcome.text).toContain(field);
  expect(outcome.text).toContain('returned: 120');
});

test.each([
  ['a number that the question holds', 'Rate chapter 3 of "Emma".', { score: z.number() }, 'score'],
  [
    'a choice between members',
    'Is it good or bad?',
    { verdict: z.enum(['good', 'bad']) },
    'verdict',
  ],
  ['what is asked about', 'Is it in stock?', { inStock: z.boolean() }, 'inStock'],
  ['numbers of a list', 'Sort 3, 1 and 2.', { sorted: z.array(z.number()) }, 'sorted'],
])('a question is no answer: %s (D19)', async (_what, goal, shape, field) => {
  const outcome = await outcomeOf({ goal, outputSchema: z.object(shape) }, []);

  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'output_invalid' } });
  expect(outcome.text).toContain(`gives its "${field}"`);
});

test('what a goal says by name is one (D19)', async () => {
  const outputSchema = z.object({
    score: z.number(),
    verdict: z.enum(['good', 'bad']),
    final: z.boolean(),
  });
  const goal = 'Good or bad? score: 7, verdict: bad, final: yes';

  const { structured } = await outcomeOf({ goal, outputSchema }, []);

  expect(structured).toEqual({ score: 7, verdict: 'bad', final: true });
});

const found = 'stock {"article":"bolt"} returned: 120';

test.each([
  ['the value that its tool returned', { count: 'How many.' }, { count: '120' }],
  [
    'an argument of a call',
    { article: 'Of what.', all: 'A sentence.' },
    { article: 'bolt', all: found },
  ],
])('declared variables are emitted: %s (B15)', async (_what, outputs, emitted) => {
  const outcome = await outcomeOf({ outputs });

  expect(outcome).toMatchObject({ status: 'completed', emitted, turns: 2 });
});

test('so are those beside an answer by schema, and those of a run without tools (B15, D19)', async () => {
  const outputSchema = z.object({ count: z.number() });
  const outputs = { count: 'How many.' };

  const both = await outcomeOf({ outputs, outputSchema });
  const bare = await outcomeOf({ goal: 'Greet Ada.', outputs: { greeting: 'A greeting.' } }, []);

  expect(both).toMatchObject({ emitted: { count: '120' }, structured: { count: 120 } });
  expect(bare.emitted?.['greeting']).toContain('only quotes the prompt: “Greet Ada.”');
});

test('so are those whose tool has words of its own (B17)', async () => {
  const emitToolNames = { tool: 'hand_over', name: 'key', value: 'text' };
  const outcome = await outcomeOf({ outputs: { count: 'How many.' }, loop: { emitToolNames } });

  expect(outcome).toMatchObject({ status: 'completed', emitted: { count: '120' } });
});

test('an answer that is refused is not given again (D19)', async () => {
  const outputSchema = z.object({ count: z.number().refine((count) => count < 100, 'too many') });

  const { status, text } = await outcomeOf({ outputSchema });

  expect(status).toBe('failed');
  expect(text).toContain('its answer was refused: ');
  expect(text).toContain('too many');
});

test('a child answers from its tools, and its parent quotes it', async () => {
  const goal = 'Read package.json and README.md';
  const parent = defineAgent({ name: 'parent', tools: [delegateTaskTool()], toolsets: ['file'] });
  const { supervisor } = watched(createSupervisor({ model: 'offline', tools: [stock] }));

  const { status, text } = await within(supervisor.delegate({ goal, agent: parent }), 'the tree');

  expect(status).toBe('completed');
  expect(text).toContain('package.json');
});
