// Checks user agents: words from a terminal, a source of the program's, a page that is polled over a real loopback server.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { PrintedChunk } from '#src/dialects/agent-family/base/printing.js';
import { StudioUserInput } from '#src/dialects/agent-family/user/studio-user-input.js';
import { UserAgent } from '#src/dialects/agent-family/user/user-agent.js';
import { TerminalInput, type UserInput } from '#src/dialects/agent-family/user/user-input.js';
import { ManualClock } from '#src/testing.js';
import { rejection, within } from '../../supervisor/support.ts';
import { contents, msg, texts } from './support.ts';

const says = (content: string): UserInput => ({ read: async () => ({ content }) });

describe('a user agent', () => {
  it('replies with a line of the terminal, after its name (D25)', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const ada = new UserAgent({ name: 'ada', input: new TerminalInput({ input, output }) });
    const reply = ada.reply(msg('Tea?', 'host', 'assistant'));
    input.write('Yes, please.\nAnd sugar.\n');

    expect(await within(reply, 'the reply')).toMatchObject({
      name: 'ada',
      role: 'user',
      content: 'Yes, please.',
    });
    expect(String(output.read())).toContain('ada: ');
  });

  it('reads one line after another, whatever pieces they come in, the last without its end too (D25)', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const [ada, ben] = ['ada', 'ben'].map(
      (name) => new UserAgent({ name, input: new TerminalInput({ input, output }) }),
    );
    if (!ada || !ben) throw new Error('two users');
    const bytes = Buffer.from('one\r\n\nthrée\nfour');
    input.write(bytes.subarray(0, 8));
    input.end(bytes.subarray(8));

    const both = await within(Promise.all([ada.reply(), ben.reply()]), 'two replies');
    const received = contents(both);

    expect([...received, (await ada.reply()).content]).toEqual(['one', '', 'thrée']);
    expect((await within(ben.reply(), 'the last line')).content).toBe('four');
    expect(await rejection(within(ada.reply(), 'the end'))).toMatchObject({
      code: 'question_unanswered',
    });
    expect(input.listenerCount('data')).toBe(0);
  });

  it('leaves what was typed of a line to the next question, when its own is interrupted (D25)', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const ada = new UserAgent({ name: 'ada', input: new TerminalInput({ input, output }) });
    const first = ada.reply();
    await within(once(output, 'data'), 'the prompt');
    const typed = once(input, 'data');
    input.write('Yes, ');
    await within(typed, 'the half line');
    ada.interrupt();
    await within(first, 'the interrupted reply');
    input.write('please.\n');

    expect((await within(ada.reply(), 'the reply')).content).toBe('Yes, please.');
  });

  it('rejects when the terminal has ended, and ends its wait with its interrupt (D25)', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const ada = new UserAgent({ name: 'ada', input: new TerminalInput({ input, output }) });
    const first = ada.reply();
    ada.interrupt();
    expect((await within(first, 'the reply')).metadata).toEqual({ interrupted: true });

    input.end();

    expect(await rejection(within(ada.reply(), 'the reply'))).toMatchObject({
      code: 'question_unanswered',
    });
  });

  it('refuses an output schema before anybody is asked (D19, D25)', async () => {
    const read = vi.fn(says('Yes.').read);
    const ada = new UserAgent({ name: 'ada', input: { read } });

    const refused = ada.reply(msg('Tea?'), { outputSchema: z.object({ tea: z.boolean() }) });

    expect(await rejection(refused)).toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('agent ada has no model to answer by a schema'),
    });
    expect(read).not.toHaveBeenCalled();
    expect(ada.memory.size).toBe(0);
  });

  it('keeps what it observes, and prints what its user says (D25)', async () => {
    const chunks: PrintedChunk[] = [];
    const ada = new UserAgent({
      name: 'ada',
      input: says('Yes.'),
      output: (chunk) => chunks.push(chunk),
    });

    await ada.observe([msg('one'), msg('two')]);
    await ada.reply(msg('Tea?'));

    expect(contents(ada.memory.messages())).toEqual(['one', 'two', 'Tea?', 'Yes.']);
    expect(texts(chunks)).toEqual(['Yes.']);
  });
});

class Guest extends UserAgent {}
class Regular extends Guest {}

afterEach(() => {
  for (const each of [UserAgent, Guest, Regular]) each.restoreClassInputMethod();
});

describe('a source of a class', () => {
  const replyText = async (agent: UserAgent) => (await agent.reply()).content;

  it('is that of all its instances, of what extends it too, but of those with their own (D26)', async () => {
    const [ann, ben] = [new Guest({ name: 'ann' }), new Regular({ name: 'ben' })];
    const own = new Regular({ name: 'own', input: says('mine') });

    UserAgent.overrideClassInputMethod(says('anyone'));
    Guest.overrideClassInputMethod(says('guest'));

    expect(await Promise.all([ann, ben, own].map(replyText))).toEqual(['guest', 'guest', 'mine']);
    expect(await replyText(new UserAgent({ name: 'other' }))).toBe('anyone');
    ann.overrideInstanceInputMethod(says('ann'));
    Guest.restoreClassInputMethod();
    expect(await Promise.all([ann, ben, own].map(replyText))).toEqual(['ann', 'anyone', 'mine']);
    expect(() => Guest.overrideClassInputMethod({} as never)).toThrow(/an object with read/);
  });
});

type Reply = { readonly status: number; readonly body?: unknown; readonly isEndless?: true };

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A page's server that answers what it is told to, in order; then with its last answer. */
async function page(replies: readonly Reply[]) {
  const seen: string[] = [];
  const left = [...replies];
  const bodies: string[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    seen.push(`${request.method} ${request.url}`);
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    const reply = (left.length > 1 ? left.shift() : left[0]) ?? { status: 500 };
    response.writeHead(reply.status, { connection: 'close' });
    if (reply.isEndless === true) {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
      return;
    }
    response.end(reply.body === undefined ? undefined : JSON.stringify(reply.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask/`, seen, bodies };
}

const asked: Reply = { status: 200, body: { id: 'q 1' } };
const nothing: Reply = { status: 204 };

describe('a source that polls', () => {
  const ada = (url: string, options: object = {}) => {
    const input = new StudioUserInput({ url, intervalMs: 1, ...options });
    return { input, agent: new UserAgent({ name: 'ada', input }) };
  };

  it('asks once, polls until there are words, and counts what it tried again (D26)', async () => {
    const { url, seen, bodies } = await page([
      { status: 503 },
      asked,
      nothing,
      { status: 500 },
      { status: 429 },
      nothing,
      { status: 200, body: { text: 'Yes.', metadata: { from: 'page' } } },
    ]);
    const { input, agent } = ada(url, { maxRetries: 2 });

    const reply = await within(agent.reply(msg('Tea?')), 'the reply');

    expect(reply).toMatchObject({ content: 'Yes.', metadata: { from: 'page' } });
    expect(input.retries).toBe(3);
    expect(seen.slice(0, 3)).toEqual(['POST /ask', 'POST /ask', 'GET /ask/q%201']);
    expect(JSON.parse(bodies[0] ?? '')).toEqual({ agent: { id: agent.id, name: 'ada' } });
  });

  it('keeps the query of its url in every request (D26)', async () => {
    const { url, seen } = await page([asked, { status: 200, body: { text: 'Yes.' } }]);
    const { agent } = ada(`${url}?room=1`);

    await within(agent.reply(), 'the reply');

    expect(seen).toEqual(['POST /ask?room=1', 'GET /ask/q%201?room=1']);
  });

  it('gives up after more failures in a row than it puts up with (D26)', async () => {
    const { url } = await page([asked, { status: 500 }]);
    const { input, agent } = ada(url, { maxRetries: 2 });

    expect(await rejection(within(agent.reply(), 'the reply'))).toMatchObject({
      code: 'web_failed',
      message: "the user's page: status 500 after 3 tries",
    });
    expect(input.retries).toBe(2);
  });

  it.each<[string, Reply, RegExp]>([
    ['no words', { status: 200, body: { replyText: 'Yes.' } }, /text is undefined/],
    ['an answer without end', { status: 200, isEndless: true }, /more than 1000000 bytes/],
    ['no such question', { status: 404, body: {} }, /status 404/],
    ['no JSON', { status: 200 }, /no JSON/],
  ])('does not try again what is no use: %s (D26)', async (_, reply, why) => {
    const { url, seen } = await page([asked, reply]);
    const { input, agent } = ada(url);

    expect(await rejection(within(agent.reply(), 'the reply'))).toMatchObject({
      message: expect.stringMatching(why),
    });
    expect([input.retries, seen.length]).toEqual([0, 2]);
  });

  it('counts a connection that fails, and has a deadline for the words (D26)', async () => {
    const { url } = await page([asked, nothing]);
    const clock = new ManualClock();
    const { agent } = ada(url, { clock, timeoutMs: 60_000, intervalMs: 60_000 });
    const reply = rejection(within(agent.reply(), 'the reply'));
    while (clock.pending !== 2) await clock.advance(0);
    await clock.advance(60_000);
    expect(await reply).toMatchObject({ code: 'question_unanswered' });

    const { input, agent: late } = ada('http://127.0.0.1:1/', { maxRetries: 1 });
    expect(await rejection(within(late.reply(), 'the reply'))).toMatchObject({
      code: 'web_failed',
    });
    expect(input.retries).toBe(1);
  });

  it('refuses options by name (D26)', () => {
    expect(() => new StudioUserInput({ url: 'ftp://x' })).toThrow(/url is/);
    expect(() => new StudioUserInput({ url: 'http://x', maxRetries: -1 })).toThrow(
      /maxRetries is -1/,
    );
  });
});
