// Checks what becomes of a call whose 200 is no answer of its API: a page of a proxy, an error in JSON, under any type.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createSupervisor } from '#src/index.js';
import { FakeAiSdkModel } from '../models/ai-sdk-fake.ts';
import { watched, within } from './support.ts';

type Answer = readonly [type: string | null, body: string];

const key = 'sk-tenant-0123456789';
const reason = `no deployment for ${key} here`;
const error = JSON.stringify({ error: { message: reason, type: 'server_error' } });
const page = `<!doctype html><html><head><title>${reason}</title></head><body>Sign in</body></html>`;
const answers: readonly (readonly [string, Answer])[] = [
  ['a page', ['text/html', page]],
  ['a page without a title', ['text/html', `<html><script>1 < 2</script><p>${reason}</p></html>`]],
  ['an error in JSON', ['application/json', error]],
  ['a message in JSON', ['application/json', JSON.stringify({ message: reason })]],
  ['an error in JSON that is called a stream', ['text/event-stream', error]],
  ['a page that is called a stream', ['text/event-stream', `\n${page}`]],
  ['a text without a type', [null, reason]],
];
const apiModes = ['chat_completions', 'codex_responses', 'anthropic_messages'] as const;

/** One supervisor for all rows of a test, whose tasks bring their models: a gateway and few threads serve them. */
const arrange = () =>
  watched(
    createSupervisor({ model: 'offline', logDirectory: false, limits: { maxLiveAgents: 2 } }),
  );

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/** A loopback server that answers everything alike. */
async function serve([type, body]: Answer): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    request.resume();
    response.writeHead(200, type === null ? {} : { 'content-type': type }).end(body);
  });
  const listening = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await within(listening, 'the server');
  open.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, asked: () => asked };
}

it.each(apiModes)(
  'the reason of a provider that speaks %s and answers 200 with no answer is reported, once (B32)',
  async (apiMode) => {
    const servers = await Promise.all(answers.map(([, answer]) => serve(answer)));
    const { supervisor } = arrange();
    const tasks = servers.map(({ url: baseUrl }) => {
      return { goal: 'Go.', model: { model: 'm', apiMode, baseUrl, apiKey: 'any' } };
    });

    const outcomes = await within(supervisor.delegate(tasks), 'the outcomes');

    expect(outcomes).toHaveLength(answers.length);
    for (const [at, outcome] of outcomes.entries()) {
      const what = answers[at]?.[0];
      const { error } = outcome;
      expect(error, what).toMatchObject({ code: 'model_bad_response', retryable: false });
      expect(error?.message, what).toContain('no deployment for [key] here');
      expect(JSON.stringify(outcome), what).not.toContain(key);
      expect(servers[at]?.asked(), what).toBe(1);
    }
  },
);

describe('a model of the AI SDK', () => {
  const failing = (response: object, parts: readonly unknown[]) => {
    const model = new FakeAiSdkModel('v2');
    const stream = async () => ({ stream: ReadableStream.from(parts), ...response });
    return Object.assign(model, { doStream: stream });
  };
  const finish = { type: 'finish', finishReason: 'other', usage: {} };
  const html = { response: { headers: { 'Content-Type': 'text/html' } } };

  const answers = [
    ['a page', failing(html, [finish]), 'model_bad_response', 'text/html'],
    ['a page that breaks off', failing(html, []), 'model_bad_response', 'text/html'],
    [
      'an error as its API says it',
      failing({}, [{ type: 'error', error: { message: reason, type: 'invalid_request_error' } }]),
      'model_bad_request',
      'no deployment for [key] here',
    ],
    [
      'an error of no known kind',
      failing({}, [{ type: 'error', error: { error: { message: reason } } }]),
      'model_failed',
      'no deployment for [key] here',
    ],
    [
      'an error with its body',
      failing({}, [
        {
          type: 'error',
          error: Object.assign(new Error('Invalid JSON response'), {
            name: 'AI_APICallError',
            statusCode: 200,
            responseBody: page,
          }),
        },
      ]),
      'model_bad_response',
      'no deployment for [key] here',
    ],
  ] as const;

  it('whose provider answers with no answer fails with its reason (B32)', async () => {
    const { supervisor } = arrange();
    const tasks = answers.map(([, model]) => ({ goal: 'Go.', model }));

    const outcomes = await within(supervisor.delegate(tasks), 'the outcomes');

    expect(outcomes).toHaveLength(answers.length);
    for (const [at, [what, , code, why]] of answers.entries()) {
      const { error } = outcomes[at] ?? {};
      expect(error, what).toMatchObject({ code, retryable: false });
      expect(error?.message, what).toContain(why);
      expect(JSON.stringify(outcomes[at]), what).not.toContain(key);
    }
  });
});
