// Checks how wide a fan-out begins on a provider that has not answered yet, and what the view says of it meanwhile.
import { afterEach, describe, expect, it } from 'vitest';
import { createSupervisor, renderTree, type SupervisorOptions } from '#src/index.js';
import { type StubModelServer, startStubModelServer } from '#src/testing.js';
import { superviseInManualTime, watched, within } from './support.ts';

const servers: StubModelServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Starts 16 tasks on a provider that takes every request and answers none; its clock stands, so that no patience ends. */
async function fanOut(limits: NonNullable<SupervisorOptions['limits']>) {
  const server = await startStubModelServer(
    Array.from({ length: 16 }, () => ({ type: 'silence' })),
  );
  servers.push(server);
  const { supervisor } = superviseInManualTime(
    { default: [] },
    { model: { provider: 'anthropic', model: 'slow', baseUrl: server.url, apiKey: 'any' }, limits },
  );
  for (let at = 0; at < 16; at += 1) supervisor.start({ goal: `Part ${at}.` });
  const requests = async (count: number): Promise<void> => {
    for (let at = 1; at <= count; at += 1) {
      await within(server.nextRequest(), `request ${at} of ${count} before any answer`);
    }
  };
  return { supervisor, server, requests };
}

describe('a fan-out on a provider that answers late', () => {
  it.each([
    [{ maxLiveAgents: 10 }, 8],
    [{ maxLiveAgents: 3 }, 3],
    [{ maxLiveAgents: 12, initialModelCalls: 12 }, 12],
  ])('begins with %j as wide as %i calls (F23)', async (limits, width) => {
    const { supervisor, server, requests } = await fanOut(limits);

    await requests(width);

    expect(server.requests()).toHaveLength(width);
    expect(renderTree(supervisor.tree())).toContain('agent  waiting for the provider  turn 1');
    await supervisor.close({ force: true });
  });

  it('shows an answer that has begun to arrive (C48)', async () => {
    const server = await startStubModelServer([{ type: 'silence', text: 'So far' }]);
    servers.push(server);
    const { supervisor, watch } = watched(
      createSupervisor({
        model: { provider: 'anthropic', model: 'slow', baseUrl: server.url, apiKey: 'any' },
      }),
    );

    supervisor.start({ goal: 'a' });
    await within(watch.next('model_delta'), 'the first words');

    expect(supervisor.tree()).toMatchObject([{ phase: 'waiting_for_model', isAnswering: true }]);
    expect(renderTree(supervisor.tree())).toMatch(/waiting {2}model answers(, \d+ s)? {2}turn 1/);
    await supervisor.close({ force: true });
  });

  it('begins with what is asked for, and refuses a width of none', () => {
    const options = { model: 'offline', limits: { initialModelCalls: 0 } } as const;

    expect(() => createSupervisor(options)).toThrow(/limits\.initialModelCalls/);
  });
});
