// Checks that a key reaches its provider and nothing else: no event, outcome, transcript, error, thread.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSupervisor } from '#src/index.js';
import { type StubModelServer, startStubModelServer } from '#src/testing.js';
import { rejection, toolFixture, watched, within } from './support.ts';

const marker = 'sk-ant-marker-7f3a9c';
const names = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'TROUPE_TEST_WORD'] as const;
const before = names.map((name) => [name, process.env[name]] as const);

let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
  process.env['ANTHROPIC_API_KEY'] = marker;
  process.env['ANTHROPIC_BASE_URL'] = server.url;
  process.env['TROUPE_TEST_WORD'] = 'let through';
});

afterEach(async () => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await server.close();
});

/** Everything a value holds as text, errors included. */
function everythingOf(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    each instanceof Error ? { ...each, message: each.message, stack: each.stack } : each,
  );
}

describe('a key', () => {
  it('appears in nothing that a run leaves, and in no agent’s environment', async () => {
    server.reply(
      {
        type: 'message',
        text: 'looking',
        toolCalls: [{ id: 'toolu_1', name: 'environment', input: {} }],
      },
      { type: 'message', text: 'done' },
    );
    const { supervisor, watch } = watched(
      createSupervisor({
        model: 'anthropic:claude-sonnet-5',
        tools: [toolFixture('plain')],
        threads: { profile: { env: ['TROUPE_TEST_WORD'] } },
      }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'Show it.' }), 'the outcome');
    const transcript = supervisor.transcript(outcome.taskId);
    await within(supervisor.close(), 'close');

    expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
    const shown = JSON.stringify(transcript);
    expect(shown).toContain('let through');
    expect(shown).not.toContain('ANTHROPIC_API_KEY');
    expect(everythingOf([outcome, transcript, watch.events])).not.toContain(marker);
    expect(server.requests()).toHaveLength(2);
  });

  it.each([
    [
      'refuses the key',
      { type: 'error', status: 401, message: `invalid key ${marker}` },
      'model_auth',
    ],
    ['repeats it', { type: 'error', status: 400, message: `bad ${marker}` }, 'model_bad_request'],
    ['answers nonsense', { type: 'malformed' }, 'model_bad_response'],
    ['breaks off', { type: 'unfinished', text: 'half' }, 'model_disconnected'],
  ] as const)('appears in nothing when the provider %s', async (_how, reply, code) => {
    server.reply(reply, reply, reply);
    const { supervisor, watch } = watched(createSupervisor({ model: 'anthropic:claude-sonnet-5' }));

    const outcome = await within(supervisor.delegate({ goal: 'Go.' }), 'the outcome');
    const transcript = supervisor.transcript(outcome.taskId);
    await within(supervisor.close(), 'close');

    expect(outcome.status).toBe('failed');
    expect([code, 'model_disconnected', 'model_bad_response']).toContain(outcome.error?.code);
    expect(everythingOf([outcome, transcript, watch.events])).not.toContain(marker);
  });

  it('appears in no refusal', async () => {
    process.env['ANTHROPIC_BASE_URL'] = 'no url';

    expect(() => createSupervisor({ model: 'anthropic:claude-sonnet-5' })).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.not.stringContaining(marker),
      }),
    );
    process.env['ANTHROPIC_BASE_URL'] = server.url;
    const { supervisor } = watched(createSupervisor({ model: 'anthropic:claude-sonnet-5' }));
    const error = await rejection(supervisor.delegate({ goal: 'a', model: 'anthropic:' }));
    expect(everythingOf(error)).not.toContain(marker);
  });
});
