// Checks passive agents on real threads: who waits gets their slot, their next run finds what they remember, and what goes wrong.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { pairingFault } from '#src/agent/history-repair.js';
import { defineAgent } from '#src/index.js';
import {
  inShort,
  supervise,
  superviseInManualTime,
  superviseUnacknowledged,
  toolFixture,
  within,
} from './support.ts';

const analyst = defineAgent({ name: 'analyst' });
const soon = { timeoutMs: 20_000 };

const ask = <Value>(answer: Promise<Value>): Promise<Value> => within(answer, 'the answer');
const spawned = <Value>(agent: Promise<Value>): Promise<Value> => within(agent, 'the agent');

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('an idle agent', () => {
  it('gives its slot to who waits, and goes on from what it remembers (P1, P2, P3)', async () => {
    const { supervisor, model, watch } = supervise(
      { default: [{ text: 'yes' }] },
      { limits: { maxLiveAgents: 1 }, threads: { parking: 'when-needed' } },
    );
    const names = ['one', 'two', 'three'];
    const agents = [];
    for (const name of names) agents.push(await spawned(supervisor.spawn(analyst, { name })));
    for (const round of ['a', 'b']) {
      const answers = await ask(Promise.all(agents.map((agent) => agent.ask(round, soon))));
      expect(answers.map(inShort)).toEqual(Array(3).fill(['goal', undefined, 'yes']));
    }

    expect(model.requests().map(({ messages }) => messages.length)).toEqual([1, 1, 1, 3, 3, 3]);
    expect(watch.of('agent_started')).toHaveLength(3);
    expect(watch.of('agent_stopped')).toEqual([]);
    expect(watch.of('agent_passivated').map(({ reason }) => reason)).toContain('idle');
    expect(watch.of('agent_activated').length).toBeGreaterThanOrEqual(5);
    expect(agents.map(({ status }) => status)).toContain('passivated');
    expect(supervisor.tree().map(({ status }) => status)).toContain('passivated');
    expect(supervisor.totals().live).toBe(1);
  });

  it('holds no thread when it has been idle for so long; P2 is stopped and killed without one (P1)', async () => {
    const { supervisor, clock, watch } = superviseInManualTime(
      { default: [{ text: 'yes' }] },
      { threads: { passivateAfterMs: 1_000, parking: 'when-needed' } },
    );
    const one = await spawned(supervisor.spawn(analyst, { name: 'one' }));
    const two = await spawned(supervisor.spawn(analyst, { name: 'two' }));
    await ask(one.ask('a', { timeoutMs: 1e6 }));
    expect(one.status).toBe('idle');
    const lazy = Promise.all(
      [one, two].map(({ id }) => watch.next('agent_passivated', ({ agentId }) => agentId === id)),
    );
    await within(clock.advance(1_000), 'the time');
    await within(lazy, 'the agents');

    expect([one.status, two.status]).toEqual(['passivated', 'passivated']);
    expect(supervisor.totals().live).toBe(0);
    const before = watch.of('agent_activated').length;
    expect(await within(one.interrupt(), 'the receipts')).toMatchObject([{ agentId: one.id }]);
    expect(await within(one.stop(), 'the receipts')).toMatchObject([{ stage: 'stopped' }]);
    expect(await within(two.kill(), 'the receipts')).toMatchObject([{ agentId: two.id }]);
    expect([one.status, two.status]).toEqual(['ended', 'ended']);
    expect(watch.of('agent_activated')).toHaveLength(before);
    expect(one.history()).toHaveLength(2);
  });

  it('never begins a run that is interrupted while it waits for a slot (P2, S8)', async () => {
    const { supervisor, model, watch } = supervise(
      { default: [{ text: 'yes' }], agents: { busy: [{ hang: true }] } },
      { limits: { maxLiveAgents: 1 } },
    );
    const agent = await spawned(supervisor.spawn(analyst));
    const busy = supervisor.start({ goal: 'x', agent: defineAgent({ name: 'busy' }) });
    await watch.next('turn_started');
    expect(agent.status).toBe('passivated');
    const answer = agent.ask('a', soon);
    const [, queued] = watch.of('task_queued');

    await within(supervisor.interrupt(queued?.taskId ?? ''), 'the receipts');
    await within(busy.interrupt(), 'the receipts');

    expect(await ask(answer)).toMatchObject({ status: 'interrupted', turns: 0 });
    expect(model.requests()).toHaveLength(1);
    expect((await ask(agent.ask('b', soon))).status).toBe('completed');
  });

  it('ends a run activation_failed whose activation cannot be made, and makes the next (P2)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-passive-'));
    folders.push(folder);
    const file = join(folder, 'tools.mjs');
    const good = `export * from ${JSON.stringify(toolFixture('stubborn').href)};\n`;
    writeFileSync(file, good);
    const { supervisor, watch } = supervise(
      { default: [{ text: 'yes' }] },
      {
        tools: [pathToFileURL(file)],
        threads: { reuse: 'single-use', passivateAfterMs: 0 },
      },
    );
    const lazy = watch.next('agent_passivated');
    const agent = await spawned(supervisor.spawn(analyst));
    await within(lazy, 'the agent to be passive');
    writeFileSync(file, 'throw new Error("gone");\n');
    const failed = await ask(agent.ask('a', soon));
    writeFileSync(file, good);

    expect(failed).toMatchObject({ status: 'failed', error: { code: 'activation_failed' } });
    expect(watch.of('dead_letter')).toMatchObject([{ reason: 'activation_failed' }]);
    expect(watch.of('log')).toMatchObject([{ level: 'error' }]);
    expect((await ask(agent.ask('b', soon))).status).toBe('completed');
  });
});

describe('an agent that stays', () => {
  it('survives the kill of a run that took too long, and remembers it (A34, P3)', async () => {
    const { supervisor, clock, watch } = superviseUnacknowledged(
      { agents: { analyst: [{ toolCalls: [{ name: 'ignore', input: {} }] }] } },
      { tools: [toolFixture('stubborn')], timeouts: { totalTimeoutMs: 10_000 } },
    );
    const agent = await spawned(supervisor.spawn(analyst, { survivesCrash: true }));
    const first = agent.ask('a', { timeoutMs: 1e6 });
    await watch.next('tool_started');
    for (const ms of [10_000, 2_000, 2_000]) await within(clock.advance(ms), 'the ladder');

    expect(await ask(first)).toMatchObject({ status: 'timeout', exitReason: 'total_timeout' });
    expect(watch.of('agent_passivated')).toMatchObject([{ reason: 'lost' }]);
    expect(agent.status).toBe('passivated');
    const second = agent.ask('b', { timeoutMs: 1e6 });
    await watch.next(
      'tool_started',
      ({ taskId }) => taskId !== watch.of('tool_started')[0]?.taskId,
    );
    expect(agent.status).toBe('running');
    expect(pairingFault(agent.history().slice(0, 3))).toBeNull();
    expect(agent.history().length).toBeGreaterThan(3);
    await within(agent.kill(), 'the receipts');
    expect((await ask(second)).exitReason).toBe('killed');
    expect(agent.status).toBe('ended');
    expect(watch.of('agent_stopped')).toHaveLength(1);
  });

  it('survives a crash: what waits is performed by the next activation (V1, P3)', async () => {
    const { supervisor, watch } = supervise(
      { default: [{ toolCalls: [{ name: 'exit', input: {} }] }] },
      { tools: [toolFixture('stubborn')] },
    );
    const agent = await spawned(supervisor.spawn(analyst, { survivesCrash: true }));
    const outcomes = await ask(Promise.all([agent.ask('a', soon), agent.ask('b', soon)] as const));

    expect(outcomes.map(({ exitReason }) => exitReason)).toEqual(['crashed', 'crashed']);
    expect(watch.of('agent_passivated').map(({ reason }) => reason)).toEqual(['lost', 'lost']);
    expect(watch.of('agent_stopped')).toEqual([]);
    expect(agent.status).toBe('passivated');
    expect(
      agent
        .history()
        .map(({ role }) => role)
        .slice(0, 4),
    ).toEqual(['user', 'assistant', 'user', 'user']);
  });
});

describe('an agent that begins passive', () => {
  it('needs no thread, no slot and no place in line, and its first run brings them (P1, P2)', async () => {
    const { supervisor, model, watch } = supervise(
      { default: [{ text: 'yes' }], agents: { busy: [{ hang: true }] } },
      {
        limits: { maxLiveAgents: 1, maxQueued: 1, overflow: 'reject' },
        threads: { parking: 'when-needed' },
      },
    );
    const busy = supervisor.start({ goal: 'x', agent: defineAgent({ name: 'busy' }) });
    await watch.next('turn_started');
    const names = ['one', 'two', 'three'];
    const agents = [];
    for (const name of names) {
      agents.push(await spawned(supervisor.spawn(analyst, { name, lazy: true })));
    }
    expect(agents.map(({ status, path }) => [status, path])).toEqual(
      names.map((name) => ['passivated', `/${name}`]),
    );
    expect(supervisor.totals()).toMatchObject({ live: 1, queued: 0, agents: 4 });
    await within(busy.interrupt(), 'the receipts');

    for (const round of ['a', 'b']) {
      for (const agent of agents) {
        expect(inShort(await ask(agent.ask(round, soon)))).toEqual(['goal', undefined, 'yes']);
      }
    }

    expect(model.requests().map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1, 3, 3, 3]);
    const [one] = agents;
    const events = watch.events.filter(
      ({ agentId, type }) => agentId === one?.id && type.startsWith('agent_'),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'agent_started',
      'agent_passivated',
      'agent_activated',
      'agent_passivated',
      'agent_activated',
      'agent_passivated',
    ]);
  });

  it('is signalled without an activation, and its name is free after its end (P2, S5)', async () => {
    const { supervisor, watch } = supervise({ default: [{ text: 'yes' }] });
    const spawn = () => spawned(supervisor.spawn(analyst, { name: 'one', lazy: true }));
    const first = await spawn();
    await expect(spawn()).rejects.toMatchObject({ code: 'name_taken' });
    expect(await within(first.interrupt(), 'the receipts')).toMatchObject([{ agentId: first.id }]);
    expect(first.status).toBe('passivated');
    await within(first.stop(), 'the receipts');
    const second = await spawn();
    await within(second.kill(), 'the receipts');

    expect([first.status, second.status]).toEqual(['ended', 'ended']);
    await expect(first.ask('a', soon)).rejects.toMatchObject({ code: 'actor_terminated' });
    expect(watch.of('thread_spawned')).toEqual([]);
    expect(watch.of('agent_activated')).toEqual([]);
    await within(supervisor.close(), 'close');
    await expect(spawn()).rejects.toMatchObject({ code: 'closed' });
  });

  it('begins while the supervisor is paused, and runs when it goes on (P2)', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'yes' }] });
    supervisor.pause();
    const agent = await spawned(supervisor.spawn(analyst, { lazy: true }));
    const answer = agent.ask('a', soon);
    expect(agent.status).toBe('passivated');
    expect(model.requests()).toEqual([]);
    supervisor.resume();

    expect((await ask(answer)).status).toBe('completed');
  });

  it('that stays survives the loss of its first activation (A34, P3)', async () => {
    const { supervisor, watch } = supervise(
      { default: [{ toolCalls: [{ name: 'exit', input: {} }] }] },
      { tools: [toolFixture('stubborn')] },
    );
    const options = { lazy: true, survivesCrash: true };
    const agent = await spawned(supervisor.spawn(analyst, options));
    const outcomes = await ask(Promise.all([agent.ask('a', soon), agent.ask('b', soon)] as const));

    expect(outcomes.map(({ exitReason }) => exitReason)).toEqual(['crashed', 'crashed']);
    expect(watch.of('agent_passivated').map(({ reason }) => reason)).toEqual([
      'idle',
      'lost',
      'lost',
    ]);
    expect(agent.status).toBe('passivated');
  });
});
