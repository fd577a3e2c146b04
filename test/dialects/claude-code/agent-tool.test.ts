// Checks `Agent`, `TaskOutput` and `TaskStop` from a loop of the program: types, failures that are no successes, sessions.
import { describe, expect, it } from 'vitest';
import { agentTools } from '#src/dialects/claude-code/index.js';
import { gate, within } from '../../supervisor/support.ts';
import { directing, type Parts, resultsIn } from '../../support/directed.ts';

const reviewer = { name: 'reviewer', description: 'Reviews code.', prompt: 'You review.' };

function rig(parts: Parts = {}, agents?: Parameters<typeof agentTools>[0]) {
  const made = directing(parts, { agents: [{ name: 'scout', prompt: 'You look.' }] });
  const session = made.supervisor.session('chat');
  const tools = session.tools(agentTools({ ...agents }));
  const call = (name: string, input: unknown) => within(tools.call(name, input), name);
  return { ...made, session, tools, call };
}

const task = (prompt: string, more: object = {}) => ({ description: 'a part', prompt, ...more });

describe('Agent', () => {
  it('takes description, prompt, subagent_type and run_in_background, and tells whom there is', () => {
    const { tools } = rig({}, { agents: [reviewer, 'scout'] });
    const [agent] = tools.definitions.anthropic;

    expect(tools.definitions.anthropic.map(({ name }) => name)).toEqual([
      'Agent',
      'TaskOutput',
      'SendMessage',
      'TaskStop',
    ]);
    expect(agent?.input_schema).toMatchObject({
      required: ['description', 'prompt'],
      properties: { subagent_type: {}, run_in_background: {}, resume: {} },
    });
    expect(agent?.description).toMatch(/- reviewer: Reviews code\.\n- scout/);
  });

  it('answers with the child’s text, of the kind that was asked for', async () => {
    const { call, model } = rig({}, { agents: [reviewer, 'scout'] });

    const general = await call('Agent', task('a', { subagent_type: null }));
    const review = await call('Agent', task('b', { subagent_type: 'reviewer' }));
    const look = await call('Agent', task('c', { subagent_type: 'scout' }));
    const unknown = await call('Agent', task('d', { subagent_type: 'boss' }));

    expect([general, review, look].map(({ content }) => content)).toEqual([
      'a done',
      'b done',
      'c done',
    ]);
    expect(model.requests('b')[0]?.system).toContain('You review.');
    expect(model.requests('c')[0]?.system).toContain('You look.');
    expect(unknown).toMatchObject({ isError: true, failure: { code: 'unknown_agent' } });
    expect(unknown.content).toMatch(/"boss"; there is: reviewer, scout/);
  });

  it('gives the text of a child that used its turns up first, and the reason beside it (D18)', async () => {
    const short = { ...reviewer, maxTurns: 1 };
    const { call } = rig(
      { a: [{ text: 'Two of three are fine.', calls: [['nope', {}]] }] },
      {
        agents: [short],
      },
    );

    const result = await call('Agent', task('a', { subagent_type: 'reviewer' }));

    expect(result.isError).toBe(false);
    expect(result.content).toMatch(/^Two of three are fine\.\n\n\[It may be incomplete: .*1 turns/);
  });

  it('says of a child that failed that it did, and what it had (F3 F15)', async () => {
    const { call } = rig({ a: [{ text: 'half of it', calls: [['nope', {}]] }, { fail: 'down' }] });

    const result = await call('Agent', task('a'));

    expect(result).toMatchObject({ isError: true, failure: { code: 'model_failed' } });
    expect(result.content).toMatch(/did not finish: .*down[\s\S]*half of it/);
  });
});

describe('an agent that may delegate to some', () => {
  it('is refused any other name, and no subagent is started (X7)', async () => {
    const ask = (prompt: string, more: object = {}) => ['Agent', task(prompt, more)] as const;
    const { supervisor, model } = directing(
      {
        plan: [
          {
            calls: [
              ask('a', { subagent_type: 'scout' }),
              ask('b', { subagent_type: 'boss' }),
              ask('c'),
            ],
          },
          { text: 'ok' },
        ],
      },
      {
        tools: agentTools(),
        agents: [{ name: 'lead', delegates: ['scout'] }, { name: 'scout' }, { name: 'boss' }],
      },
    );

    await within(supervisor.delegate({ goal: 'plan', agent: 'lead' }), 'the outcome');

    const results = resultsIn(model.requests('plan')[1]);
    expect(results.map(([, isError]) => isError)).toEqual([false, true, true]);
    expect(results[1]?.[0]).toMatch(
      /"boss" is none that may be delegated to here; these may: scout/,
    );
    expect(results[2]?.[0]).toMatch(/an agent without a name/);
    expect([...model.requests('b'), ...model.requests('c')]).toEqual([]);
  });

  it('says so by its code', async () => {
    const lead = { name: 'lead', delegates: [] };
    const { supervisor, watch } = directing(
      { plan: [{ calls: [['Agent', task('a', { subagent_type: 'scout' })]] }, { text: 'ok' }] },
      { tools: agentTools(), agents: [lead, { name: 'scout' }] },
    );

    await within(supervisor.delegate({ goal: 'plan', agent: 'lead' }), 'the outcome');

    expect(watch.of('tool_completed').map(({ failure }) => failure?.code)).toEqual([
      'agent_denied',
    ]);
  });
});

describe('background tasks of a session', () => {
  it('outlive the call, are read once, and keep their end until then (X5)', async () => {
    const { opened: after, open } = gate();
    const { call, session, watch } = rig({ a: [{ after, text: 'a done' }] });

    const started = await call('Agent', task('a', { run_in_background: true }));
    const early = await call('TaskOutput', { task_id: 't1', block: false });
    expect(session.background()).toMatchObject([{ taskId: 't1', goal: 'a' }]);
    open();
    const completed = await watch.next('task_completed');

    expect(started.content).toMatch(/^Task t1 runs in the background/);
    expect(early.content).toMatch(/still runs/);
    expect(completed.sessionId).toBe('chat');
    expect(session.completions()).toMatchObject([{ taskId: 't1', outcome: { text: 'a done' } }]);
    const read = await call('TaskOutput', { task_id: 't1' });
    expect(read).toMatchObject({ content: 'a done', isError: false });
    expect([session.background(), session.completions()]).toEqual([[], []]);
    expect(await call('TaskOutput', { task_id: 't1' })).toMatchObject({ isError: true });
  });

  it('are acknowledged by their id, however late', async () => {
    const { session, watch } = rig();
    const handle = session.start({ goal: 'a' });
    await watch.next('task_completed');
    await within(handle.result(), 'the outcome');

    const [completion] = session.completions();

    expect(completion).toMatchObject({ taskId: handle.id, goal: 'a' });
    expect(session.acknowledge(completion?.id ?? '')).toBe(true);
    expect(session.acknowledge(completion?.id ?? '')).toBe(false);
    expect(session.completions()).toEqual([]);
  });

  it('belong to one session: another knows nothing of them, and their events name theirs (X20)', async () => {
    const { supervisor, session, watch } = rig({ a: [{ hang: true }] });
    const other = supervisor.session('other');
    const handle = session.start({ goal: 'a' });
    await watch.next('turn_started');

    expect(other.background()).toEqual([]);
    await expect(other.wait(handle.id)).rejects.toMatchObject({ code: 'unknown_task' });
    expect(watch.of('agent_started').map(({ sessionId }) => sessionId)).toEqual(['chat']);
    expect(await within(session.wait(handle.id, { timeoutMs: 0 }), 'the wait')).toBeNull();
    await within(handle.interrupt(), 'the receipts');
    expect(await within(session.wait(handle.id), 'the end')).toMatchObject({
      outcome: { status: 'interrupted' },
    });
  });

  it('survive an abort of the call that started them, and end with the supervisor', async () => {
    const { tools, watch, session } = rig({ a: [{ hang: true }] });
    const control = new AbortController();
    await within(
      tools.call('Agent', task('a', { run_in_background: true }), { signal: control.signal }),
      'the start',
    );
    await watch.next('turn_started');

    control.abort();

    expect(session.background()).toMatchObject([{ status: 'waiting' }]);
  });
});
