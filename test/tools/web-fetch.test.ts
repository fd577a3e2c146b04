// Proves what a fetch may reach and how much it reads, against real servers on loopback.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '#src/base/clock.js';
import type { ToolResult } from '#src/protocol/history.js';
import { isPublicAddress } from '#src/tools/builtin/web/addresses.js';
import { type WebOptions, webToolset } from '#src/tools/builtin/web.js';
import { callTool } from '#src/tools/call.js';
import { toolContext } from '../fixtures/tool-context.ts';

type Server = {
  readonly port: number;
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
};

const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const opened = { port, requests, close };
  servers.push(opened);
  return opened;
}

const say =
  (text: string, type = 'text/plain') =>
  (_: IncomingMessage, to: ServerResponse) =>
    to.setHeader('content-type', type).end(text);

const leadTo = (location: string) => (_: IncomingMessage, to: ServerResponse) =>
  to.writeHead(302, { location }).end();

function fetchWith(options: WebOptions = {}, clock = systemClock) {
  const tool = webToolset(clock, options).tools.find(({ name }) => name === 'web_fetch');
  if (tool === undefined) throw new Error('there is no web_fetch');
  return (url: string, signal = new AbortController().signal): Promise<ToolResult> =>
    callTool(tool, { url }, toolContext({ signal }));
}

const loopback = { allow: ['127.0.0.1'] };

describe('a fetch of the web toolset', () => {
  it.each([
    ['a loopback address', 'http://127.0.0.1:PORT/'],
    ['one in hexadecimal', 'http://0x7f000001:PORT/'],
    ['one as a number', 'http://2130706433:PORT/'],
    ['one mapped to IPv6', 'http://[::ffff:127.0.0.1]:PORT/'],
    ['a name that resolves to one', 'http://localhost:PORT/'],
    ['the address of everything', 'http://0.0.0.0:PORT/'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest/'],
    ['a private address', 'http://10.0.0.1/'],
    ['a unique local address', 'http://[fd00::1]/'],
    ['a name and a password in it', 'http://me:secret@example.com/'],
    ['a file', 'file:///etc/passwd'],
    ['no address', 'just text'],
  ])('refuses %s and connects to no server', async (_case, address) => {
    const server = await serve(say('inside'));

    const result = await fetchWith()(address.replace('PORT', String(server.port)));

    expect(result).toMatchObject({ isError: true, failure: { code: 'web_refused' } });
    expect(JSON.stringify(result)).not.toContain('secret');
    expect(server.requests).toEqual([]);
  });

  it.each(['http://localhost:PORT/', 'http://0x7f000001:PORT/'])(
    'refuses a redirect to %s',
    async (address) => {
      const inside = await serve(say('inside'));
      const door = await serve(leadTo(address.replace('PORT', String(inside.port))));

      const result = await fetchWith({ allow: [`127.0.0.1:${door.port}`] })(
        `http://127.0.0.1:${door.port}/`,
      );

      expect(result).toMatchObject({ isError: true, failure: { code: 'web_refused' } });
      expect(inside.requests).toEqual([]);
    },
  );

  it('follows five redirects and no sixth', async () => {
    const server = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('arrived');
      else leadTo(`/${left - 1}`)(request, response);
    });
    const fetch = fetchWith(loopback);

    const five = await fetch(`http://127.0.0.1:${server.port}/5`);
    const six = await fetch(`http://127.0.0.1:${server.port}/6`);

    expect(five.content).toBe(`http://127.0.0.1:${server.port}/0 (status 200)\n\narrived`);
    expect(six).toMatchObject({ isError: true, content: expect.stringContaining('5 redirects') });
  });

  it('sends the headers of a host to that host alone', async () => {
    const other = await serve(say('other'));
    const first = await serve(leadTo(`http://127.0.0.1:${other.port}/`));
    const headers = { [`127.0.0.1:${first.port}`]: { authorization: 'Bearer top' } };

    const result = await fetchWith({ ...loopback, headers })(`http://127.0.0.1:${first.port}/`);

    expect(result.content).toContain('other');
    expect(first.requests[0]?.headers.authorization).toBe('Bearer top');
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('answers the text of a page, its status and where it is', async () => {
    const html = '<title>T</title><body><h1>Head &amp; more</h1><a href="/x">here</a></body>';
    const server = await serve((request, response) => {
      response.statusCode = request.url === '/missing' ? 404 : 200;
      say(html, 'text/html; charset=utf-8')(request, response);
    });
    const base = `http://127.0.0.1:${server.port}`;

    expect((await fetchWith(loopback)(`${base}/`)).content).toBe(
      `${base}/ (status 200)\n\nT\n\nHead & more\nhere <${base}/x>`,
    );
    expect((await fetchWith(loopback)(`${base}/missing`)).content).toContain('(status 404)');
  });

  it('reads no more than its cap, unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, 'a'));
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      response.end(bomb);
    });

    const result = await fetchWith({ ...loopback, maxBytes: 1_000 })(
      `http://127.0.0.1:${server.port}/`,
    );

    expect(String(result.content)).toMatch(/\n\na{1000}\n\[cut: only the first 1000 bytes/);
  });

  it('refuses what is no text', async () => {
    const server = await serve(say('PNG', 'image/png'));

    expect(await fetchWith(loopback)(`http://127.0.0.1:${server.port}/`)).toMatchObject({
      isError: true,
      content: expect.stringContaining('is no text: image/png, 3 bytes'),
    });
  });

  it.each(['no answer', 'half an answer'])('gives %s up when its time is over', async (what) => {
    const clock = new ManualClock();
    let asked = () => {};
    const request = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = await serve((_, response) => {
      if (what === 'half an answer') response.write('half');
      asked();
    });
    const result = fetchWith(
      { ...loopback, timeoutMs: 5_000 },
      clock,
    )(`http://127.0.0.1:${server.port}/`);
    await request;

    await clock.advance(5_000);

    expect(await result).toMatchObject({
      isError: true,
      failure: { code: 'web_failed', retryable: true },
      content: expect.stringContaining('longer than 5000 ms'),
    });
  });

  it('ends with the signal of its call (B31)', async () => {
    const abort = new AbortController();
    const server = await serve(() => abort.abort(new Error('enough')));

    const result = await fetchWith(loopback)(`http://127.0.0.1:${server.port}/`, abort.signal);

    expect(result).toMatchObject({ isError: true, content: 'enough' });
  });

  it('says that no server answers', async () => {
    const server = await serve(say('gone'));
    await server.close();

    expect(await fetchWith(loopback)(`http://127.0.0.1:${server.port}/`)).toMatchObject({
      isError: true,
      failure: { code: 'web_failed' },
      content: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

it.each([
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['::1', false],
  ['::ffff:10.0.0.1', false],
  ['64:ff9b::a00:1', false],
  ['100.64.0.1', false],
  ['192.168.1.1', false],
  ['224.0.0.1', false],
  ['nonsense', false],
])('the address %s is public: %s', (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});
