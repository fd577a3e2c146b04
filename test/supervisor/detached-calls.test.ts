// Checks model calls whose runs have left their threads: what comes back, whatever happens to them meanwhile (W1, W3, W6, W9).
import { BroadcastChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createSupervisor, type SupervisorOptions } from '#src/index.js';
import { type StubModelServer, type StubReply, startStubModelServer } from '#src/testing.js';
import { afterEveryTest } from '../support/after-every-test.ts';
import { watched, within } from './support.ts';

const many = 500;
const mortal = new URL('../fixtures/entries/mortal-gateway.js', import.meta.url);
const servers: StubModelServer[] = [];

afterEveryTest(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Supervised agents that leave their threads at every wait, and the provider that they ask. */
async function arrange(
  replies: readonly StubReply[],
  { threads, ...options }: Partial<SupervisorOptions> = {},
) {
  const server = await startStubModelServer(replies);
  servers.push(server);
  const supervisor = createSupervisor({
    model: {
      model: 'claude-sonnet-5',
      apiMode: 'anthropic_messages',
      baseUrl: server.url,
      apiKey: 'any',
    },
    threads: { max: 2, parking: 'always', ...threads },
    logDirectory: false,
    logger: false,
    ...options,
  });
  return { server, ...watched(supervisor) };
}

async function requests(server: StubModelServer, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await within(server.nextRequest(), `request ${at}`);
}

const goals = (count: number) => Array.from({ length: count }, (_, at) => ({ goal: `task ${at}` }));
const fill = (count: number, reply: StubReply) => Array<StubReply>(count).fill(reply);

describe('a call that outlives its activation', () => {
  it(`is made once more after the gateway was lost with ${many} of them (W3, W9)`, async () => {
    const { server, supervisor, watch } = await arrange(fill(many, { type: 'silence' }), {
      limits: { initialModelCalls: many },
      threads: { workerUrl: mortal },
    });
    const outcomes = supervisor.delegate(goals(many));
    await requests(server, many);
    server.reply(...fill(many, { type: 'message', text: 'done' }));

    const channel = new BroadcastChannel('troupe-test-gateways-end');
    channel.postMessage('now');
    channel.close();

    const ended = await within(outcomes, 'the outcomes');
    expect(ended.filter(({ status, text }) => status !== 'completed' || text !== 'done')).toEqual(
      [],
    );
    expect(server.requests()).toHaveLength(2 * many);
    expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(many);
    expect(watch.of('turn_committed')).toHaveLength(many);
    expect(new Set(ended.map(({ usage }) => JSON.stringify(usage.own))).size).toBe(1);
  }, 60_000);
});
