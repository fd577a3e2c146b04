// Checks what becomes of a thread that forges its requests to a model: it names neither prompt nor tools nor limits.
import { describe, expect, it } from 'vitest';
import { createSupervisor } from '#src/index.js';
import { startStubModelServer } from '#src/testing.js';
import { calls, supervise, toolFixture, watched, within } from './support.ts';

const forger = { tools: [toolFixture('forger')] };
const agent = { name: 'a', prompt: 'Be honest.', maxOutputTokens: 500 };
const refused = { exitReason: 'crashed', error: { code: 'protocol_violation' } };

describe.each(['head', 'limit'])('a thread that sends a model a %s of its own', (what) => {
  it('crashes, and a model on the host never sees it (W9)', async () => {
    const script = { agents: { a: calls(['forge', { what }]).default ?? [] } };
    const { supervisor, model } = supervise(script, { ...forger, agents: [agent] });

    const outcome = await within(supervisor.delegate({ goal: 'g', agent: 'a' }), 'the outcome');

    expect(outcome).toMatchObject(refused);
    expect(model.requests()).toHaveLength(1);
    expect(JSON.stringify(model.requests())).not.toContain('Forged.');
  });

  it('crashes, and a provider behind the gateway never sees it (W9)', async () => {
    const server = await startStubModelServer([
      { type: 'message', toolCalls: [{ id: 'c', name: 'forge', input: { what } }] },
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
    const bodies = server.requests().map(({ body }) => body);
    await server.close();

    expect(outcome).toMatchObject(refused);
    expect(bodies).toHaveLength(1);
    expect(JSON.stringify(bodies)).not.toContain('Forged.');
  });
});
