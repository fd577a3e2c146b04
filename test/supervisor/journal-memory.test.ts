// Checks where the memory of a persistent agent is on a journal: of an idle one without a thread in the file alone.
import { describe, expect, it } from 'vitest';
import type { AgentDefinition, AgentRef, Model, Supervisor } from '#src/index.js';
import { openDatabase } from '#src/journal/driver.js';
import { file, on } from './journal-rig.ts';
import { rejection, Watch, within } from './support.ts';

const agents: readonly AgentDefinition[] = [
  { name: 'clerk' },
  { name: 'forgetful', memory: { maxMessages: 2 } },
];
const soon = { timeoutMs: 60_000 };

/** Says how many messages it was asked with. */
const counting: Model = {
  id: 'counting',
  respond: async ({ messages }) => ({ content: [{ type: 'text', text: `${messages.length}` }] }),
};

/** Its idle agents give their threads up at once. */
const supervise = (path: string): Supervisor =>
  on(path, { agents, model: counting, threads: { passivateAfterMs: 0 } });

const textsOf = (messages: ReturnType<AgentRef['history']>): readonly string[] =>
  messages.flatMap(({ content }) => content.flatMap((b) => (b.type === 'text' ? b.text : [])));

/** Asks, and resolves with the answer once the agent has no thread any more. */
async function asked(supervisor: Supervisor, agent: AgentRef, question: string): Promise<string> {
  const watch = new Watch(supervisor);
  const passive = watch.next('agent_passivated', ({ agentId }) => agentId === agent.id);
  const { text } = await within(agent.ask(question, soon), 'the answer');
  await within(passive, 'the end of its thread');
  return text;
}

/** What another program does to the file while the supervisor has it. */
async function change(path: string, sql: string): Promise<void> {
  const other = await openDatabase(path);
  other.exec(sql);
  other.close();
}

const damage = `UPDATE memories SET sum = sum + 1 WHERE agent = 'ann'`;
const repair = `UPDATE memories SET sum = sum - 1 WHERE agent = 'ann'`;

describe('an idle agent without a thread', () => {
  it('remembers in the file alone, and goes on from there (P2, J5)', async () => {
    const path = file();
    const supervisor = supervise(path);
    const agent = await within(supervisor.spawn('clerk', { name: 'ann', lazy: true }), 'the agent');

    for (const [question, answer] of [
      ['a', '1'],
      ['b', '3'],
      ['c', '5'],
    ] as const) {
      expect(await asked(supervisor, agent, question)).toBe(answer);
    }

    const all = ['a', '1', 'b', '3', 'c', '5'];
    expect(agent.status).toBe('passivated');
    for (const history of [agent.history(), supervisor.transcript('/ann')]) {
      expect(textsOf(history)).toEqual(all);
    }
    await change(path, damage);
    expect(() => agent.history()).toThrow('agent ann cannot go on: message 1 of its memory');
    await change(path, repair);
    expect(textsOf(agent.history())).toEqual(all);
    const { usage } = agent;
    await within(supervisor.close(), 'the close');
    const next = await within(supervise(path).agent('ann'), 'the agent');
    expect(textsOf(next.history())).toEqual(all);
    expect(next.usage).toEqual(usage);
  });

  it('fails what it is asked while its memory cannot be read, alone, and can be asked again', async () => {
    const path = file();
    const supervisor = supervise(path);
    const [ann, bob] = await within(
      Promise.all([
        supervisor.spawn('clerk', { name: 'ann', lazy: true }),
        supervisor.spawn('clerk', { name: 'bob', lazy: true }),
      ]),
      'the agents',
    );
    for (const agent of [ann, bob]) await asked(supervisor, agent, 'a');

    await change(path, damage);
    const outcomes = [ann, ann, bob].map((agent) => agent.ask('b', soon));
    const ends = await within(Promise.all(outcomes), 'the outcomes');

    expect(ends.map((end) => [end?.status, end?.error?.code, end?.text])).toEqual([
      ['failed', 'recovery_failed', ''],
      ['failed', 'recovery_failed', ''],
      ['completed', undefined, '3'],
    ]);
    await change(path, repair);
    expect((await within(ann.ask('b', soon), 'the answer')).text).toBe('3');
  });

  it('has one memory for runs that are asked for at once, also where the first is given up', async () => {
    const supervisor = supervise(file());
    const agent = await within(supervisor.spawn('clerk', { name: 'ann', lazy: true }), 'the agent');
    await asked(supervisor, agent, 'a');

    const caller = new AbortController();
    const first = agent.ask('b', { ...soon, signal: caller.signal });
    const others = ['c', 'd'].map((question) => agent.ask(question, soon));
    caller.abort();

    expect((await within(first, 'the outcome')).status).toBe('interrupted');
    const answers = await within(Promise.all(others), 'the answers');
    expect(answers.map(({ text }) => text)).toEqual(['3', '5']);
    expect(textsOf(agent.history())).toEqual(['a', '1', 'c', '3', 'd', '5']);
  });

  it('keeps in the file what its window has, run after run', async () => {
    const path = file();
    const supervisor = supervise(path);
    const agent = await within(supervisor.spawn('forgetful', { lazy: true }), 'the agent');

    const answers = [];
    for (const question of ['a', 'b', 'c']) answers.push(await asked(supervisor, agent, question));

    expect(answers).toEqual(['1', '3', '3']);
    expect(textsOf(agent.history())).toEqual(['c', '3']);
    const other = await openDatabase(path);
    const rows = [...other.prepare('SELECT seq FROM memories').iterate()];
    other.close();
    expect(rows.map(({ seq }) => Number(seq))).toEqual([5, 6]);
  });

  it.each(['stop', 'kill', 'interrupt'] as const)(
    'has its conversation after %s, which ends it in the file (J3)',
    async (how) => {
      const path = file();
      const supervisor = supervise(path);
      const agent = await within(
        supervisor.spawn('clerk', { name: 'ann', lazy: true }),
        'the agent',
      );
      await asked(supervisor, agent, 'a');

      await within(agent[how]({ scope: 'agent' }), 'the receipts');

      expect(agent.status).toBe('ended');
      // Its receipts waited for that (J3).
      const other = await openDatabase(path);
      const rows = [...other.prepare('SELECT 1 FROM agents').iterate()];
      other.close();
      expect(rows).toEqual([]);
      expect(textsOf(agent.history())).toEqual(['a', '1']);
      await within(supervisor.close(), 'the close');
      expect(await rejection(supervise(path).agent('ann'))).toMatchObject({
        code: 'unknown_agent',
      });
    },
  );

  it('cannot be read once its supervisor is closed', async () => {
    const supervisor = supervise(file());
    const agent = await within(supervisor.spawn('clerk', { name: 'ann', lazy: true }), 'the agent');
    await asked(supervisor, agent, 'a');
    await within(supervisor.close(), 'the close');

    expect(() => agent.history()).toThrow(expect.objectContaining({ code: 'closed' }));
  });
});
