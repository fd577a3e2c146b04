// Checks the offline model with tools of a program: which it calls, with what arguments, what it says of the others.
import { describe, expect, it } from 'vitest';
import { offline } from '#src/models/offline/offline.js';
import type { Message } from '#src/protocol/history.js';
import type { ToolSchema } from '#src/protocol/model-head.js';
import { modelCall, request } from '../support.ts';

const text = { type: 'string' };
const number = { type: 'number' };

function tool(name: string, description: string, properties: object = {}, optional = false) {
  const required = optional ? [] : Object.keys(properties);
  return { name, description, inputSchema: { type: 'object', properties, required } };
}

const stock = tool('stock', 'How many of an article there are.', { article: text });
const listed = tool('stock', 'How many of an article there are.', {
  article: { enum: ['bolt', 'nut'] },
});
const weather = tool('get_weather', 'The weather of a city.', { city: text });
const add = tool('add', 'Adds two numbers.', { a: number, b: number });
const mail = tool('sendMail', 'Sends a mail.', {
  to: text,
  subject: text,
  urgent: { type: 'boolean' },
});

async function first(goal: string, ...tools: readonly ToolSchema[]) {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: goal }] }];
  const { content } = await offline().respond(request({ messages, tools }), modelCall());
  return content.map((block) => {
    if (block.type === 'tool_use') return { name: block.name, input: block.input };
    return block.type === 'text' ? block.text : block.type;
  });
}

describe('offline calls a tool that a goal asks for', () => {
  it.each([
    ['How many bolts are there?', stock, { article: 'bolts' }],
    ['How many Bolts are there?', listed, { article: 'bolt' }],
    ['What is the weather in New York?', weather, { city: 'New York' }],
    ["What's the weather in paris today?", weather, { city: 'paris' }],
    ['getWeather of Rome', weather, { city: 'Rome' }],
    ['Add 2 and -3.5', add, { a: 2, b: -3.5 }],
    ['Please add b: 4 and a = 1', add, { a: 1, b: 4 }],
    [
      'Send a mail, to: x@example.org, subject "Hello you", urgent: no',
      mail,
      { to: 'x@example.org', subject: 'Hello you', urgent: false },
    ],
    ['What time is it?', tool('time', 'Says what time it is.'), {}],
    ['Look up "red kite"', tool('lookUp', 'Finds.', { term: text }), { term: 'red kite' }],
    [
      'Search for owls at night',
      tool('search', 'Searches.', { query: text }),
      {
        query: 'Search for owls at night',
      },
    ],
    [
      'Fetch https://example.org/a?b=1.',
      tool('fetch', 'Fetches a page.', { url: text }),
      {
        url: 'https://example.org/a?b=1',
      },
    ],
    [
      'Sum 1, 2 and 3',
      tool('sum', 'Sums.', { all: { type: 'array', items: number } }),
      {
        all: [1, 2, 3],
      },
    ],
    ['Stop the pump', tool('stop', 'Stops a machine.', { force: { type: 'boolean' } }, true), {}],
    [
      'Book the table',
      tool(
        'book',
        'Books.',
        { place: { type: 'object', properties: { table: { const: 1 } } } },
        true,
      ),
      {},
    ],
  ])('%j', async (goal, schema, input) => {
    expect(await first(goal, schema)).toEqual([{ name: schema.name, input }]);
  });

  it('beside the files it names', async () => {
    const read = tool('read', 'Reads a file.', { path: text });

    expect(await first('Read a.md, and how many nuts are there?', read, listed)).toEqual([
      { name: 'read', input: { path: 'a.md' } },
      { name: 'stock', input: { article: 'nut' } },
    ]);
  });
});

describe('offline says of a tool', () => {
  it.each([
    ['How many are there?', stock, 'article'],
    ['How many screws are there?', listed, 'article'],
    ['Add 2', add, 'b'],
    ['Use the terminal', tool('terminal', 'Runs a command.', { command: text }), 'command'],
    ['Add', tool('add', 'Adds.', { a: { $ref: '#/definitions/a' } }), 'a'],
  ])('what %j does not say', async (goal, schema, field) => {
    const [answer] = await first(goal, schema);

    expect(answer).toContain('No tool was at hand');
    expect(answer).toContain(
      `${schema.name} was not called: the goal does not say its "${field}".`,
    );
  });

  it('that the goal does not ask for it', async () => {
    expect(await first('Greet the reader.', listed, weather, add)).toEqual([
      'The prompt asks for none of the tools, so this only quotes the prompt: “Greet the reader.”',
    ]);
  });
});
