// Checks the example service as its operator has it: a process that answers while its agents spin, and ends when told.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startStubModelServer } from '#src/testing.js';
import { folderWith, type Running, startNode } from '../support/command.ts';

const script = fileURLToPath(new URL('../../examples/http-service/server.js', import.meta.url));

async function listening(env: Readonly<Record<string, string>>): Promise<[Running, string]> {
  const running = startNode([script], { cwd: folderWith(), env: { ...env, PORT: '0' } });
  await running.says(/listening on \S+\n/);
  return [running, /listening on (\S+)/.exec(running.text)?.[1] ?? ''];
}

async function get(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url);
  return (await response.json()) as Record<string, unknown>;
}

async function ask(url: string, goal: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/ask`, { method: 'POST', body: goal });
  return (await response.json()) as Record<string, unknown>;
}

test('answers /health and further asks while eight agents spin, and SIGTERM ends it with code 0', async () => {
  const spin = { id: 'c1', name: 'count_primes', input: { below: Number.MAX_SAFE_INTEGER } };
  const model = await startStubModelServer([
    ...Array.from({ length: 8 }, () => ({ type: 'message', toolCalls: [spin] }) as const),
    ...Array.from({ length: 3 }, () => ({ type: 'message', text: 'quick' }) as const),
  ]);
  const [service, url] = await listening({
    MODEL: 'anthropic:claude-x',
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: model.url,
  });

  try {
    const spinning = Array.from({ length: 8 }, () => ask(url, 'Count for ever.'));
    for (const _ of spinning) await model.nextRequest();
    while ((await get(`${url}/metrics`))['busy'] !== 8);
    const health = await get(`${url}/health`);
    for (let nth = 0; nth < 3; nth += 1) await ask(url, 'Be quick.');
    const metrics = await get(`${url}/metrics`);
    service.child.kill('SIGTERM');
    const outcomes = await Promise.all(spinning);
    const { code } = await service.ended;

    expect(health).toEqual({ ok: true });
    expect(metrics).toEqual({
      asks: 3,
      p50Ms: expect.any(Number),
      p99Ms: expect.any(Number),
      busy: 8,
    });
    expect(outcomes.map(({ status }) => status)).toEqual(Array(8).fill('interrupted'));
    expect(code).toBe(0);
  } finally {
    await model.close();
  }
});

test('streams a run: text as it comes, then the outcome', async () => {
  const [service, url] = await listening({});

  const response = await fetch(`${url}/stream`, { method: 'POST', body: 'Say hello.' });
  const body = await response.text();
  const refused = await fetch(`${url}/stream`, { method: 'POST', body: ' ' });
  service.child.kill('SIGTERM');
  const { code } = await service.ended;

  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(body.match(/^event: \w+/gm)).toEqual(['event: text', 'event: outcome']);
  expect([refused.status, await refused.json()]).toEqual([400, { error: 'invalid_task' }]);
  expect(code).toBe(0);
});

test('answers offline, refuses a goal that is blank, and knows its routes', async () => {
  const [service, url] = await listening({});

  const answers = [await ask(url, 'Say hello.'), await ask(url, ' '), await get(`${url}/nowhere`)];
  service.child.kill('SIGTERM');
  const { code } = await service.ended;

  expect(answers).toMatchObject([
    { status: 'completed', turns: 1 },
    { error: 'invalid_task' },
    { error: 'no such route' },
  ]);
  expect(code).toBe(0);
});
