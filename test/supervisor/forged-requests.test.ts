// Checks what a thread that forges its requests to a model can change of them: nothing but what it says.
import { expect, it } from 'vitest';
import { createSupervisor } from '#src/index.js';
import { startStubModelServer } from '#src/testing.js';
import { calls, supervise, toolFixture, watched, within } from './support.ts';

const forger = { tools: [toolFixture('forger')] };
const agent = { name: 'a', prompt: 'Be honest.', maxOutputTokens: 500 };

it('W9 a thread names neither the prompt, the tools nor the limits of a model on the host', async () => {
  const script = { agents: { a: calls(['forge', { what: 'request' }]).default ?? [] } };
  const { supervisor, model } = supervise(script, { ...forger, agents: [agent] });

  const outcome = await within(supervisor.delegate({ goal: 'g', agent: 'a' }), 'the outcome');

  const [before, after] = model.requests();
  expect(outcome).toMatchObject({ exitReason: 'goal', turns: 2 });
  expect(before?.system).toContain('Be honest.');
  expect(before?.tools.map(({ name }) => name)).toEqual(['forge']);
  const { messages: _, turn: _turn, ...head } = before ?? {};
  expect(after).toMatchObject(head);
  expect(after?.settings).toEqual(before?.settings);
});

it('W9 nor those of a provider behind the gateway, whose cached prefix stays (A38)', async () => {
  const server = await startStubModelServer([
    { type: 'message', toolCalls: [{ id: 'c', name: 'forge', input: { what: 'request' } }] },
    { type: 'message', text: 'done' },
  ]);
  const { supervisor } = watched(
    createSupervisor({
      ...forger,
      agents: [agent],
      logDirectory: false,
      model: {
        model: 'claude-sonnet-5',
        apiMode: 'anthropic_messages',
        baseUrl: server.url,
        apiKey: 'any',
      },
    }),
  );

  const outcome = await within(supervisor.delegate({ goal: 'g', agent: 'a' }), 'the outcome');
  const [before, after] = server.requests().map(({ body }) => body);
  await server.close();

  expect(outcome).toMatchObject({ exitReason: 'goal', turns: 2 });
  expect(JSON.stringify(before)).toContain('Be honest.');
  for (const field of ['system', 'tools', 'max_tokens']) {
    expect(after?.[field]).toEqual(before?.[field]);
  }
});
