// Checks the stream of a task: its text as it comes, over HTTP as well, and what a reader that leaves does to it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { StreamedText, Supervisor } from '#src/index.js';
import { delegate, named } from './family.ts';
import { supervise, superviseInManualTime, turns, within } from './support.ts';

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}

const team = {
  default: [
    { toolCalls: [{ name: 'delegate', input: { agents: ['helper'] } }] },
    { chunks: ['all ', 'done'] },
  ],
  agents: { helper: [{ chunks: ['help', 'ing'] }] },
};
const helped = { tools: [delegate], agents: named('helper') };

/** A whole service: each request is a goal, each response the events of its task. */
async function service(supervisor: Supervisor): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const goal = Buffer.concat(await all(request as AsyncIterable<Buffer>)).toString();
    await supervisor.start({ goal }).pipeSSE(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

describe('the stream of a task', () => {
  it('yields its own text, and ends with the task', async () => {
    const { supervisor } = supervise(team, helped);
    const handle = supervisor.start({ goal: 'a' });

    const pieces = await within(all(handle.stream()), 'the stream');

    expect(pieces.join('')).toBe('all done');
    expect(handle.status()).toBe('completed');
  });

  it('has the text of children by option, each piece with its task and path', async () => {
    const { supervisor } = supervise(team, helped);
    const handle = supervisor.start({ goal: 'a' });

    const pieces = await within(all(handle.stream({ children: true })), 'the stream');

    const own = ({ taskId }: StreamedText): boolean => taskId === handle.id;
    const textOf = (of: readonly StreamedText[]): string => of.map(({ text }) => text).join('');
    expect(textOf(pieces.filter(own))).toBe('all done');
    expect(textOf(pieces.filter((piece) => !own(piece)))).toBe('helping');
    expect(new Set(pieces.map(({ path }) => path)).size).toBe(2);
  });

  it('has tool calls by option: what each was called with, what it answered and how long it took', async () => {
    const { supervisor } = supervise(team, helped);
    const handle = supervisor.start({ goal: 'a' });

    const items = await within(all(handle.stream({ tools: true })), 'the stream');

    const call = { taskId: handle.id, name: 'delegate' };
    expect(items.filter(({ type }) => type !== 'text')).toMatchObject([
      { type: 'tool_started', ...call, inputPreview: '{"agents":["helper"]}' },
      {
        type: 'tool_completed',
        ...call,
        isError: false,
        resultPreview: 'helping',
        durationMs: expect.any(Number),
      },
    ]);
    expect(items.filter(({ type }) => type === 'text')).not.toEqual([]);
  });

  it('gives the whole answer to a reader that comes after the end', async () => {
    const { supervisor } = supervise({ default: [{ chunks: ['so ', 'it ', 'is'] }] });
    const handle = supervisor.start({ goal: 'a', name: 'reader' });
    await within(handle.result(), 'the outcome');

    expect(await within(all(handle.stream()), 'the stream')).toEqual(['so it is']);
    expect(await within(all(handle.stream({ children: true })), 'the stream')).toMatchObject([
      { type: 'text', taskId: handle.id, path: '/reader', text: 'so it is' },
    ]);
  });

  it('ends without an error when the task is interrupted, and leaving it interrupts nothing', async () => {
    const { supervisor } = supervise({ default: [{ chunks: ['so ', 'far'], hang: true }] });
    const handle = supervisor.start({ goal: 'a' });
    const whole = all(handle.stream());
    for await (const piece of handle.stream()) {
      expect(piece).toMatch(/^so /);
      break;
    }
    expect(handle.status()).not.toBe('interrupted');

    await within(handle.interrupt(), 'the receipts');

    expect((await within(whole, 'the stream')).join('')).toBe('so far');
  });

  it('joins the text that a slow reader has not read', async () => {
    const chunks = Array.from({ length: 3_000 }, (_, nth) => `${nth} `);
    const { supervisor, watch } = supervise({ default: [{ chunks }] });
    const slow = supervisor.start({ goal: 'a' }).stream();
    await watch.next('task_completed');

    expect(await within(all(slow), 'the stream')).toEqual([chunks.join('')]);
  });

  it('fails with mailbox_full for a reader that is 4 MiB behind', async () => {
    const long = 'x'.repeat(1024 * 1024);
    const { supervisor, watch } = supervise({
      default: [{ chunks: [long, long, long, long, long] }],
    });
    const handle = supervisor.start({ goal: 'a' });
    const slow = handle.stream();
    await watch.next('task_completed');

    await expect(slow.next()).rejects.toMatchObject({ code: 'mailbox_full' });
  });

  it('rejects an option that there is not, and what is no response', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const handle = supervisor.start({ goal: 'a' });

    expect(() => handle.stream({ child: true } as never)).toThrow(/stream: .*child/);
    expect(() => handle.toSSEResponse({ interruptOnCancel: 1 } as never)).toThrow(/interrupt/);
    const begun = { headersSent: true, writeHead: () => {} };
    for (const [response, why] of [
      [begun, /its head is sent already/],
      [{ write: 1 }, /response of node:http that is not begun: \{"write":1\}/],
      [undefined, /undefined/],
    ] as const) {
      const code = 'invalid_options';
      await expect(handle.pipeSSE(response as never)).rejects.toMatchObject({ code });
      await expect(handle.pipeSSE(response as never)).rejects.toThrow(why);
    }
  });
});

describe('a task over HTTP', () => {
  it('is a body of text', async () => {
    const { supervisor } = supervise({ default: [{ chunks: ['über ', 'alles'] }] });
    const body = supervisor.start({ goal: 'a' }).toReadableStream();

    expect(await within(new Response(body).text(), 'the body')).toBe('über alles');
  });

  it('is server-sent events: tool calls, text, the outcome last', async () => {
    const { supervisor } = supervise(team, helped);
    const response = supervisor.start({ goal: 'a' }).toSSEResponse();

    const blocks = (await within(response.text(), 'the body')).trimEnd().split('\n\n');
    const types = blocks.map((block) => /^event: (\w+)\ndata: \{.*\}$/.exec(block)?.[1]);

    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(types.slice(0, 2)).toEqual(['tool_started', 'tool_completed']);
    expect(new Set(types.slice(2, -1))).toEqual(new Set(['text']));
    expect(types.at(-1)).toBe('outcome');
    expect(JSON.parse(blocks.at(-1)?.split('data: ')[1] ?? '')).toMatchObject({
      status: 'completed',
      text: 'all done',
    });
  });

  it('has what children say and call by option', async () => {
    const { supervisor } = supervise(team, helped);
    const handle = supervisor.start({ goal: 'a' });
    const body = await within(handle.toSSEResponse({ children: true }).text(), 'the body');

    const events = body.split('\n\n').flatMap((block) => {
      const data = block.split('data: ')[1];
      return data === undefined ? [] : [JSON.parse(data)];
    });
    const below = events.filter(({ taskId }) => taskId !== handle.id);

    expect(below.map(({ text }) => text).join('')).toBe('helping');
  });

  it('sends a comment after each silence, by default of 15 s, and none once it is over', async () => {
    const { supervisor, watch, clock } = superviseInManualTime({
      default: [{ text: 'done', delayMs: 40_000 }],
    });
    const handle = supervisor.start({ goal: 'a' });
    const reader = handle.toSSEResponse().body?.pipeThrough(new TextDecoderStream()).getReader();
    const read = async (): Promise<string | undefined> => (await reader?.read())?.value;
    await watch.next('turn_started');

    for (let silence = 0; silence < 2; silence += 1) {
      const piece = read();
      await clock.advance(14_999);
      const early = await Promise.race([piece, turns().then(() => 'nothing')]);
      await clock.advance(1);
      expect([early, await within(piece, 'a comment')]).toEqual(['nothing', ': ping\n\n']);
    }
    const text = read();
    await clock.advance(10_000);
    expect(await within(text, 'the text')).toMatch(/^event: text\n/);
    expect(await within(read(), 'the outcome')).toMatch(/^event: outcome\n/);
    expect(await within(read(), 'the end')).toBeUndefined();
  });

  it('sends no comment when the option says so', async () => {
    const { supervisor, watch, clock } = superviseInManualTime({
      default: [{ text: 'done', delayMs: 40_000 }],
    });
    const handle = supervisor.start({ goal: 'a' });
    const body = handle.toSSEResponse({ heartbeatMs: 0 }).text();
    await watch.next('turn_started');
    await clock.advance(40_000);

    expect(await within(body, 'the body')).not.toContain('ping');
  });

  it('ends with an error for a reader that is 4 MiB behind', async () => {
    const long = 'x'.repeat(1024 * 1024);
    const { supervisor, watch } = supervise({ default: [{ chunks: Array(5).fill(long) }] });
    const response = supervisor.start({ goal: 'a' }).toSSEResponse();
    await watch.next('task_completed');

    const body = await within(response.text(), 'the body');

    expect(body).toMatch(/^event: error\ndata: \{"code":"mailbox_full"/);
    expect(body.match(/^event: /gm)).toHaveLength(1);
  });

  it('is interrupted when the client of a node:http server leaves', async () => {
    const { supervisor, watch } = supervise({ default: [{ chunks: ['so ', 'far'], hang: true }] });
    const { url, close } = await service(supervisor);
    const client = new AbortController();

    const response = await fetch(url, { method: 'POST', body: 'a', signal: client.signal });
    const first = await within(response.body?.getReader().read() ?? Promise.reject(), 'a piece');
    client.abort();
    const { outcome } = await watch.next('task_completed');
    close();

    expect(new TextDecoder().decode(first.value)).toMatch(/^event: text\ndata: /);
    expect(outcome).toMatchObject({ status: 'interrupted' });
  });

  it('goes on without its reader when the option says so', async () => {
    const { supervisor } = supervise({ default: [{ chunks: ['so ', 'far'] }] });
    const handle = supervisor.start({ goal: 'a' });

    await handle.toReadableStream({ interruptOnCancel: false }).cancel();

    expect(await within(handle.result(), 'the outcome')).toMatchObject({ status: 'completed' });
  });
});
