// Checks that a provider that never ends what it says holds neither the gateway nor more memory than its bounds (V10).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiMode, createSupervisor } from '#src/index.js';
import { watched, within } from './support.ts';

type Provider = { readonly url: string; readonly cut: Promise<number>; close(): void };
const open = new Set<Provider>();
afterEach(() => {
  for (const provider of open) provider.close();
  open.clear();
});

/** A provider that answers with `opening`, and then with `more` until its connection is cut. */
async function startProvider(
  opening: string | Buffer,
  more: string | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<Provider> {
  let tellCut = (_bytes: number): void => {};
  const cut = new Promise<number>((resolve) => {
    tellCut = resolve;
  });
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    response.on('close', () => tellCut(sent));
    let sent = 0;
    if (opening.length > 0) response.write(opening);
    if (more === null) {
      response.end();
      return;
    }
    const go = (): void => {
      if (response.destroyed) return;
      sent += more.length;
      if (response.write(more)) setImmediate(go);
      else response.once('drain', go);
    };
    go();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const provider = {
    url: `http://127.0.0.1:${port}/v1`,
    cut,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  open.add(provider);
  return provider;
}

function modelOf({ url }: Provider, apiMode: ApiMode) {
  const baseUrl = apiMode === 'anthropic_messages' ? url.replace('/v1', '') : url;
  return { model: 'm', apiMode, baseUrl, apiKey: 'any' };
}

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const usage = { input_tokens: 70, output_tokens: 1 };
const start =
  event('message_start', {
    message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage },
  }) + event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
const longText = 'word '.repeat(200);

/** For each API: how an answer begins, a piece of its text, a piece of a tool's arguments. */
const apis = [
  {
    mode: 'anthropic_messages',
    opening: start,
    text: event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: longText } }),
    tool: event('content_block_delta', {
      index: 0,
      delta: { type: 'input_json_delta', partial_json: longText },
    }),
  },
  {
    mode: 'chat_completions',
    opening: '',
    text: `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: longText } }] })}\n\n`,
    tool: `data: ${JSON.stringify({
      choices: [
        { index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: longText } }] } },
      ],
    })}\n\n`,
  },
  {
    mode: 'codex_responses',
    opening: '',
    text: event('response.output_text.delta', { delta: longText }),
    tool: event('response.function_call_arguments.delta', { delta: longText }),
  },
] as const;

const mebi = 1_048_576;

const long = 'x'.repeat(65_536);
const lines = [long, `data: ${long}\n`];

it.each(apis)(
  'an answer of $mode without end is ended within its budget, and counted; so is one line, and one event (V10)',
  async ({ mode, opening, text, tool }) => {
    const providers = await Promise.all([
      ...[text, tool].map((piece) => startProvider(opening, piece)),
      ...lines.map((piece) => startProvider('', piece)),
    ]);
    const { supervisor, watch } = watched(
      createSupervisor({
        model: 'offline',
        // Of each tree; one after the other, so that one thread serves them all.
        budget: { maxTokens: 20_000 },
        limits: { maxLiveAgents: 1 },
        logDirectory: false,
      }),
    );
    const tasks = providers.map((provider) => {
      return { goal: 'Talk.', model: modelOf(provider, mode) };
    });

    const outcomes = await within(supervisor.delegate(tasks), 'the ends of the runs');

    expect(outcomes).toHaveLength(4);
    for (const { taskId, status, exitReason, error, usage } of outcomes.slice(0, 2)) {
      expect([status, exitReason]).toEqual(['failed', 'budget']);
      expect(error).toMatchObject({ code: 'budget_tokens', detail: { what: 'the answer' } });
      const { limit = 0, seen = 0 } = (error?.detail ?? {}) as Record<string, number>;
      expect(seen).toBeLessThan(limit + 2 * longText.length);
      const { inputTokens, outputTokens } = usage.own;
      expect(inputTokens).toBeGreaterThan(0);
      expect(outputTokens).toBeGreaterThan(10_000);
      expect(inputTokens + outputTokens).toBeLessThanOrEqual(20_000);
      const recorded = watch.of('usage_recorded').filter((event) => event.taskId === taskId);
      expect(recorded).toMatchObject([{ isEstimated: true }]);
    }
    const detail = { what: 'one event', limit: 8 * mebi };
    for (const { status, error } of outcomes.slice(2)) {
      expect(status).toBe('failed');
      expect(error).toMatchObject({ code: 'model_bad_response', retryable: false, detail });
    }
    for (const [at, { cut }] of providers.entries()) {
      const sent = await within(cut, 'the cut of the connection');
      expect(sent).toBeLessThan((at < 2 ? 16 : 24) * mebi);
    }
  },
);

describe('a response', () => {
  it('is ended when nothing of it is part of an answer', async () => {
    const provider = await startProvider('', `: ${'x'.repeat(65_536)}\n\n`);
    const { supervisor } = watched(
      createSupervisor({ model: modelOf(provider, 'chat_completions'), logDirectory: false }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'Talk.' }), 'the end of the run');

    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'model_bad_response', detail: { what: 'the body', limit: 64 * mebi } },
    });
    expect(await within(provider.cut, 'the cut of the connection')).toBeLessThan(80 * mebi);
  });

  it('is ended by what it unpacks to, not by what was sent', async () => {
    const bomb = gzipSync(Buffer.alloc(72 * mebi, `: ${'x'.repeat(65_536)}\n\n`), { level: 1 });
    const provider = await startProvider(bomb, null, { 'content-encoding': 'gzip' });
    const { supervisor } = watched(
      createSupervisor({ model: modelOf(provider, 'chat_completions'), logDirectory: false }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'Talk.' }), 'the end of the run');

    expect(bomb.length).toBeLessThan(mebi);
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'model_bad_response', detail: { what: 'the body', limit: 64 * mebi } },
    });
  });
});
