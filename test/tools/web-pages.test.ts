// Checks that pages of the web are read beside the host's loop, within bounds of time and of text.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, expect, it } from 'vitest';
import { ManualClock, systemClock } from '#src/base/clock.js';
import { PageReader } from '#src/tools/builtin/web/page-reader.js';
import { htmlText } from '#src/tools/builtin/web/page-text.js';
import { webToolset } from '#src/tools/builtin/web.js';
import { callTool } from '#src/tools/call.js';
import { toolContext } from '../fixtures/tool-context.ts';
import { rejection, turns, within } from '../supervisor/support.ts';

const threads: Worker[] = [];
const onWorker = (worker: Worker): void => void threads.push(worker);
process.on('worker', onWorker);
afterAll(() => void process.off('worker', onWorker));
const cleanups: (() => void)[] = [];
afterEach(() => {
  threads.length = 0;
  for (const clean of cleanups.splice(0)) clean();
});

const contentType = 'text/html';
const url = 'https://example.com/';
const slow = { body: Buffer.alloc(2_097_152, '<'), contentType, url, maxChars: 2_097_152 };
const open = new AbortController().signal;

it('a page is read in a thread, which ends with it', async () => {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=latin1');
    response.end(Buffer.from(`<h1>T\xe9</h1><a href="/x">y</a>${'<b>'.repeat(500_000)}`, 'latin1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const at = `http://127.0.0.1:${port}/`;
  const [fetchTool] = webToolset(systemClock, { allow: ['127.0.0.1'] }).tools;
  if (fetchTool === undefined) throw new Error('there is no web_fetch');

  const result = await within(callTool(fetchTool, { url: at }, toolContext()), 'the page');

  expect(result).toEqual({ content: `${at} (status 200)\n\nTé\ny <${at}x>`, isError: false });
  expect(threads).toHaveLength(1);
  // A thread that has exited has no number any more.
  expect(threads[0]?.threadId).toBe(-1);
});

it('a page that takes too long is given up, and its thread ended', async () => {
  const clock = new ManualClock();
  const reading = new PageReader(clock).read(slow, open);
  await Promise.resolve();

  await clock.advance(10_000);

  await expect(within(reading, 'the refusal')).rejects.toMatchObject({
    code: 'web_failed',
    message: `${url} could not be read as a page: it took longer than 10000 ms`,
  });
  expect(threads[0]?.threadId).toBe(-1);
});

it('a page whose call is given up ends with it, and the next one is read', async () => {
  const clock = new ManualClock();
  const reader = new PageReader(clock);
  const abort = new AbortController();
  const given = [slow, slow].map((page) => rejection(reader.read(page, abort.signal)));
  const next = reader.read({ ...slow, body: Buffer.from('<p>next</p>') }, open);
  await turns(1);
  expect(threads).toHaveLength(2);

  abort.abort(new Error('given up'));

  for (const reading of given) {
    expect(await within(reading, 'the end of the call')).toMatchObject({ message: 'given up' });
  }
  expect(await within(next, 'the next page')).toBe('next');
  expect(clock.pending).toBe(0);
});

it('a text that unfolds to more than the page may have is cut', () => {
  const body = Buffer.from('<a href=x></a>'.repeat(20_000));
  const page = { body, contentType, url: `${url}${'y'.repeat(2_000)}/`, maxChars: 100_000 };

  const text = htmlText(page);

  expect(text).toMatch(/\n\[cut: only the first 100000 characters of its text are here\]$/);
  expect(text.length).toBeLessThan(100_100);
});
