// Checks models at addresses of the program's own: the API of a named provider, pools found by address, placeholder keys.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSupervisor, type SupervisorOptions, type Task } from '#src/index.js';
import { type StubModelServer, startStubModelServer } from '#src/testing.js';
import { watched, within } from './support.ts';

let servers: StubModelServer[] = [];

beforeEach(async () => {
  servers = [await startStubModelServer(), await startStubModelServer()];
});

afterEach(async () => {
  for (const server of servers) await server.close();
});

const serverAt = (index: number): StubModelServer => servers[index] as StubModelServer;

async function run(options: SupervisorOptions, task: Partial<Task> = {}) {
  const { supervisor } = watched(createSupervisor(options));
  return await within(supervisor.delegate({ goal: 'Do it.', ...task }), 'the outcome');
}

it('an endpoint of the provider anthropic speaks Anthropic, wherever it is (C39)', async () => {
  const server = serverAt(0);
  server.reply({ type: 'message', text: 'done' });
  const model = { provider: 'anthropic', model: 'm', baseUrl: server.url, apiKey: 'test' } as const;

  const outcome = await run({ model });

  expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
  expect(server.requests().map(({ path }) => path)).toEqual(['/v1/messages']);
});

it('a key that is a word garbles no text of an error (C38)', async () => {
  const server = serverAt(0);
  const message = 'the latest test model is not loaded';
  server.reply({ type: 'error', status: 400, message });
  const model = { provider: 'anthropic', model: 'm', baseUrl: server.url, apiKey: 'test' } as const;

  const outcome = await run({ model });

  expect(outcome.error?.message).toContain(message);
});

it.each([0, 1])(
  'of two pools of one provider the one at the address is used: %i (C41)',
  async (at) => {
    const server = serverAt(at);
    server.reply({ type: 'message', text: 'done' });
    const credentials = servers.map(({ url }, index) => {
      return { provider: 'anthropic', baseUrl: url, keys: [`sk-of-pool-${index}`] } as const;
    });
    const model = { provider: 'anthropic', model: 'm', baseUrl: `${server.url}/v1/` } as const;

    const outcome = await run({ model, credentials });

    expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
    expect(server.requests().map(({ path }) => path)).toEqual(['/v1/messages']);
  },
);

it('a task reaches the pool of an address by naming it, and a bare model the first one (C41)', async () => {
  for (const server of servers) {
    server.reply({ type: 'message', text: 'done' }, { type: 'message', text: 'done' });
  }
  const credentials = servers.map(({ url }, index) => {
    return { provider: 'openai', baseUrl: url, keys: [`sk-of-pool-${index}`] } as const;
  });
  const options = { model: 'openai:m', credentials };

  const bare = await run(options);
  const named = await run(options, { model: { baseUrl: serverAt(1).url } });

  expect([bare.status, named.status]).toEqual(['completed', 'completed']);
  const paths = servers.map((server) => server.requests().map(({ path }) => path));
  expect(paths).toEqual([['/v1/chat/completions'], ['/v1/chat/completions']]);
});
