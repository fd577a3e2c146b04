// Checks the stream of a map: pieces of all its tasks as they come, each outcome after its pieces, and what leaving it ends.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { MapStreamItem, Task } from '#src/index.js';
import { delegate, named } from './family.ts';
import { supervise, within } from './support.ts';

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}

/** What is said of one task, the text joined. */
function shape(items: readonly MapStreamItem[], at: number): readonly string[] {
  return items
    .filter(({ index }) => index === at)
    .map((item) => (item.type === 'text' ? item.text : item.type));
}

const two: readonly Task[] = [
  { goal: 'a', agent: 'first' },
  { goal: 'b', agent: 'second' },
];
const agents = named('first', 'second', 'helper');
const script = {
  agents: {
    first: [{ chunks: ['one ', 'two'] }],
    second: [
      { toolCalls: [{ name: 'delegate', input: { agents: ['helper'] } }] },
      { text: 'whole' },
    ],
    helper: [{ chunks: ['help', 'ing'] }],
  },
};

describe('the stream of a map', () => {
  it('yields the text of each task with its index, then its outcome', async () => {
    const { supervisor } = supervise(script, { agents, tools: [delegate] });

    const items = await within(all(supervisor.map(two).stream()), 'the stream');

    expect(shape(items, 0).slice(0, -1).join('')).toBe('one two');
    expect(shape(items, 0).at(-1)).toBe('outcome');
    expect(shape(items, 1)).toEqual(['whole', 'outcome']);
    const outcomes = items.flatMap((item) => (item.type === 'outcome' ? [item.outcome] : []));
    expect(outcomes.map(({ index, text }) => [index, text])).toEqual([
      [0, 'one two'],
      [1, 'whole'],
    ]);
  });

  it('has children and tool calls by option, under the index of the task they work for', async () => {
    const { supervisor } = supervise(script, { agents, tools: [delegate] });

    const stream = supervisor.map(two).stream({ children: true, tools: true });
    const items = await within(all(stream), 'the stream');

    const [second] = items.filter(({ type, index }) => type === 'outcome' && index === 1);
    expect(second).toMatchObject({ outcome: { status: 'completed' } });
    const below = shape(items, 1).filter((part) => !['whole', 'outcome'].includes(part));
    expect(below.filter((part) => !part.startsWith('tool_')).join('')).toBe('helping');
    expect(below.filter((part) => part.startsWith('tool_'))).toEqual([
      'tool_started',
      'tool_completed',
    ]);
  });

  it('fails with what its source threw, after the outcomes of what it had given before', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    function* broken(): Generator<Task> {
      yield { goal: 'a' };
      throw new Error('the source broke');
    }
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { type } of supervisor.map(broken()).stream()) seen.push(type);
    };

    await expect(within(read(), 'the stream')).rejects.toThrow('the source broke');
    expect(seen).toEqual(['text', 'outcome']);
  });

  it('takes no more tasks than are read', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    let taken = 0;
    function* endless(): Generator<Task> {
      for (;;) {
        taken += 1;
        yield { goal: 'a' };
      }
    }
    const seen: number[] = [];
    for await (const item of supervisor.map(endless(), { concurrency: 2 }).stream()) {
      if (item.type === 'outcome') seen.push(item.index);
      if (seen.length === 5) break;
    }

    expect(seen).toEqual([0, 1, 2, 3, 4]);
    expect(taken).toBeLessThanOrEqual(5 + 2 * 2);
  });

  it('ends what runs, and closes its source, when the loop is left', async () => {
    const { supervisor, watch } = supervise({ default: [{ chunks: ['so ', 'far'], hang: true }] });
    let isClosed = false;
    function* source(): Generator<Task> {
      try {
        for (;;) yield { goal: 'a' };
      } finally {
        isClosed = true;
      }
    }
    for await (const { type } of supervisor.map(source(), { concurrency: 2 }).stream()) {
      expect(type).toBe('text');
      break;
    }

    expect(isClosed).toBe(true);
    const ended = watch.events.filter(({ type }) => type === 'task_completed');
    expect(ended.length).toBeGreaterThan(0);
    expect(supervisor.tree()).toEqual([]);
  });

  it('starts nothing when it is left before it is read', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'done' }] });
    const stream = supervisor.map([{ goal: 'a' }]).stream();

    await within(stream.return?.() ?? Promise.reject(), 'the end');

    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(model.requests()).toEqual([]);
  });

  it('is one: a second is refused, and so is an option that there is not', () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const run = supervisor.map([{ goal: 'a' }]);
    run.stream();

    expect(() => run.toSSEResponse()).toThrow(/streamed already/);
    expect(() => run.stream({ child: true } as never)).toThrow(/stream: .*child/);
    expect(() => supervisor.map([]).toSSEResponse({ heartbeatMs: -1 })).toThrow(
      /heartbeatMs is -1/,
    );
  });
});

describe('a map over HTTP', () => {
  it('is server-sent events: text, an outcome per task, the end last', async () => {
    const { supervisor } = supervise(script, { agents, tools: [delegate] });

    const body = await within(supervisor.map(two).toSSEResponse().text(), 'the body');
    const events = body
      .trimEnd()
      .split('\n\n')
      .map((block) => /^event: (\w+)\ndata: (\{.*\})$/.exec(block) ?? [])
      .map(([, type, data]) => ({ type, ...JSON.parse(data ?? '') }));

    expect(events.filter(({ type }) => type === 'outcome')).toMatchObject([
      { index: 0, text: 'one two' },
      { index: 1, text: 'whole' },
    ]);
    expect(events.find(({ type }) => type === 'tool_started')).toMatchObject({
      index: 1,
      name: 'delegate',
      inputPreview: '{"agents":["helper"]}',
    });
    expect(events.at(-1)).toEqual({ type: 'end', outcomes: 2 });
  });

  it('ends what runs when the client of a node:http server leaves', async () => {
    const { supervisor, watch } = supervise({ default: [{ chunks: ['so ', 'far'], hang: true }] });
    const server = createServer((_request, response) => {
      void supervisor.map([{ goal: 'a' }, { goal: 'b' }]).pipeSSE(response);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const client = new AbortController();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    const response = await fetch(url, { signal: client.signal });
    await within(response.body?.getReader().read() ?? Promise.reject(), 'a piece');
    client.abort();
    await watch.next('task_completed');
    await within(supervisor.drain(), 'the end of all');
    server.close();

    const ends = watch.events.flatMap((event) =>
      event.type === 'task_completed' ? [event.outcome.status] : [],
    );
    expect(ends).toEqual(ends.map(() => 'interrupted'));
  });
});
