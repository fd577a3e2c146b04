// Checks a cassette of a whole tree: recorded from a provider's server through the real SDK, replayed without either.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSupervisor, defineTool, type Model, type Outcome } from '#src/index.js';
import {
  recorded,
  replayed,
  type StubModelServer,
  type StubReply,
  startStubModelServer,
} from '#src/testing.js';
import { delegate } from '../supervisor/family.ts';
import { gate, toolFixture, watched, within } from '../supervisor/support.ts';
import { folderWith } from '../support/command.ts';

const key = 'sk-ant-planted-4b1d77e0c2';
const names = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'] as const;
const before = names.map((name) => [name, process.env[name]] as const);

let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
  process.env['ANTHROPIC_API_KEY'] = key;
  process.env['ANTHROPIC_BASE_URL'] = server.url;
});

afterEach(async () => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await server.close();
});

/** Answers when three agents have called it: their first turns are all answered before any second one is asked for. */
function meeting() {
  const { opened, open } = gate();
  let present = 0;
  return defineTool({
    name: 'meet',
    description: 'Waits for the others.',
    input: z.object({}),
    async run() {
      present += 1;
      if (present === 3) open();
      await opened;
      return 'all here';
    },
  });
}

const lead = {
  name: 'lead',
  goal: 'Lead.',
  agent: 'lead',
  outputSchema: z.object({ parts: z.number() }),
};

function called(name: string, input: unknown, id: string) {
  return { id, name, input };
}

const replies: readonly StubReply[] = [
  {
    type: 'message',
    thinking: 'Three parts.',
    text: ['I hand ', 'over.'],
    toolCalls: [called('delegate', { agents: ['reader', 'reader', 'critic'] }, 'toolu_a')],
    usage: { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 7 },
  },
  ...['b', 'c', 'd'].map(
    (text): StubReply => ({
      type: 'message',
      toolCalls: [
        called('meet', {}, `toolu_${text}`),
        called('echo', { text: text }, `toolu_${text}2`),
      ],
    }),
  ),
  ...['x', 'y', 'z'].map(
    (text, at): StubReply => ({
      type: 'message',
      text: `part ${text}`,
      usage: { input_tokens: 30 + at, output_tokens: 3 },
    }),
  ),
  {
    type: 'message',
    text: 'All done.',
    toolCalls: [called('generate_response', { parts: 3 }, 'toolu_e')],
  },
];

/** Runs the tree on a model: the outcome of its root, and what every task came to, in an order of its own. */
async function run(model: Model): Promise<{ root: Outcome; tasks: readonly string[] }> {
  const { supervisor, watch } = watched(
    createSupervisor({
      model,
      tools: [delegate, meeting(), toolFixture('plain')],
      agents: [{ name: 'lead' }, { name: 'reader' }, { name: 'critic' }],
    }),
  );
  const root = await within(supervisor.delegate(lead), 'the outcome');
  const tasks = watch.of('task_completed').map(({ outcome }) => summaryOf(outcome));
  await within(supervisor.close(), 'close');
  return { root, tasks: tasks.sort() };
}

function summaryOf({ agent, text, structured, usage, turns, toolCalls, model }: Outcome): string {
  return JSON.stringify({ name: agent.name, text, structured, usage, turns, toolCalls, model });
}

describe('a cassette of a tree', () => {
  it('replays the same outcomes without a server, a key or a request', async () => {
    const file = join(folderWith(), 'cassettes', 'tree.jsonl');
    server.reply(...replies);

    const first = await run(recorded('anthropic:claude-sonnet-5', { file }));
    const asked = server.requests().length;
    delete process.env['ANTHROPIC_API_KEY'];
    await server.close();
    const tape = replayed({ file });
    const again = await run(tape);

    expect(first.root).toMatchObject({ status: 'completed', structured: { parts: 3 } });
    expect(first.root.usage.subtree).toMatchObject({ inputTokens: 233, modelCalls: 8 });
    expect(first.tasks).toHaveLength(4);
    expect(again.tasks).toEqual(first.tasks);
    expect(asked).toBe(8);
    expect(server.requests()).toHaveLength(8);
    expect(tape.requests()).toHaveLength(8);
    tape.assertConsumed();
  });

  it('is one line per exchange, for people to read, and holds no key', async () => {
    const file = join(folderWith(), 'tree.jsonl');
    server.reply(...replies);

    await run(recorded('anthropic:claude-sonnet-5', { file }));

    const text = readFileSync(file, 'utf8');
    const [header, first, ...others] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(header).toEqual({
      cassette: 1,
      model: 'anthropic:claude-sonnet-5',
      maxOutputTokens: 32_000,
      refusedSettings: ['temperature', 'topP'],
    });
    expect(first).toMatchObject({
      agent: 'lead',
      path: '/lead',
      turn: 1,
      request: { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      deltas: [
        { type: 'thinking', text: 'Three parts.' },
        { type: 'text', text: 'I hand over.' },
      ],
      response: { stopReason: 'tool_use', usage: { cacheReadTokens: 7 } },
    });
    expect(others).toHaveLength(7);
    expect(text).not.toContain(key);
    expect(text).not.toContain(server.url);
    expect(text.toLowerCase()).not.toContain('x-api-key');
    expect(text).not.toContain(process.cwd());
  });

  it('names agent, turn and difference when a run asks for something else', async () => {
    const file = join(folderWith(), 'tree.jsonl');
    server.reply({ type: 'message', text: 'fine' });
    const { supervisor } = watched(
      createSupervisor({ model: recorded('anthropic:claude-sonnet-5', { file }) }),
    );
    await within(supervisor.delegate({ goal: 'Look at a.', name: 'eye' }), 'the outcome');
    const tape = replayed({ file });
    const later = watched(createSupervisor({ model: tape }));

    const outcome = await within(
      later.supervisor.delegate({ goal: 'Look at b.', name: 'eye' }),
      'the outcome',
    );

    expect(outcome).toMatchObject({ exitReason: 'error', error: { code: 'cassette_mismatch' } });
    expect(outcome.error?.message).toMatch(
      /\(\/eye\), turn 1: differs from line 2 of cassette .*tree\.jsonl: message 1, its text: recorded ".*Look at a\./,
    );
    expect(() => tape.assertConsumed()).toThrow(
      expect.objectContaining({ code: 'cassette_unconsumed', detail: { file, lines: [2] } }),
    );
  });

  it('keeps what was interrupted as what waits to be interrupted again', async () => {
    const file = join(folderWith(), 'tree.jsonl');
    server.reply({ type: 'silence', text: 'half a thou' });
    const interrupted = async (model: Model): Promise<Outcome> => {
      const { supervisor, watch } = watched(createSupervisor({ model }));
      const handle = supervisor.start({ goal: 'Think.' });
      await watch.next('model_delta');
      await within(handle.interrupt(), 'the receipts');
      const outcome = await within(handle.result(), 'the outcome');
      await within(supervisor.close(), 'close');
      return outcome;
    };

    const first = await interrupted(recorded('anthropic:claude-sonnet-5', { file }));
    const tape = replayed({ file });
    const again = await interrupted(tape);

    expect(first).toMatchObject({ exitReason: 'interrupted', text: 'half a thou' });
    expect(again).toMatchObject({ exitReason: 'interrupted', text: 'half a thou' });
    tape.assertConsumed();
  });

  it('has one exchange where the provider was asked again, and no key that it quoted', async () => {
    const file = join(folderWith(), 'tree.jsonl');
    const own = 'sk-own-7f00d1e5c4b3';
    const model = { model: 'local', baseUrl: `${server.url}/v1`, apiKey: own };
    server.reply(
      { type: 'error', status: 429, message: `slow down ${own}`, retryAfterSeconds: 0 },
      { type: 'message', text: `You are ${own}.` },
      { type: 'error', status: 400, message: `bad ${own}` },
    );
    const { supervisor } = watched(createSupervisor({ model: recorded(model, { file }) }));
    const goals = [{ goal: 'Who am I?' }, { goal: 'And now?' }];
    for (const goal of goals) await within(supervisor.delegate(goal), 'the outcome');

    const tape = replayed({ file });
    const later = watched(createSupervisor({ model: tape }));
    const outcomes = [];
    for (const goal of goals) {
      outcomes.push(await within(later.supervisor.delegate(goal), 'the outcome'));
    }

    expect(server.requests()).toHaveLength(3);
    expect(outcomes).toMatchObject([
      { status: 'completed', text: 'You are [key].', model: 'local' },
      { status: 'failed', error: { code: 'model_bad_request', message: '400 bad [key]' } },
    ]);
    expect(readFileSync(file, 'utf8')).not.toContain(own);
    tape.assertConsumed();
  });
});
