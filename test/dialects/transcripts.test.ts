// Checks that what is kept for review and what is replayed are two things: a transcript stays readable, and later requests hold nothing of it (X15).
import { describe, expect, it } from 'vitest';
import { subagentManager } from '#src/dialects/subagent-manager/index.js';
import type { Supervisor } from '#src/index.js';
import { turns, within } from '../supervisor/support.ts';
import { dialectTools } from '../support/dialect-tools.ts';
import { directing, lastGoalOf } from '../support/directed.ts';
import { rig } from './subagent-manager/rig.ts';

/** What a run said, in the words it said it. */
const secret = 'the dragon sleeps';
const parts = { first: [{ text: secret }] };
const taskIdOf = (watch: ReturnType<typeof directing>['watch']): string =>
  watch.of('task_completed')[0]?.taskId ?? '';
const transcriptOf = (supervisor: Supervisor, taskId: string): string =>
  JSON.stringify(supervisor.transcript(taskId));

describe('the transcript of a run', () => {
  const worker = { name: 'worker', description: 'Works.', tools: [] };

  it.each([
    ['agent', 'Agent', (prompt: string) => ({ description: 'a task', prompt })],
    ['task', 'task', (prompt: string) => ({ prompt, subagent_type: 'worker' })],
    ['delegate-task', 'delegate_task', (goal: string) => ({ goal, toolsets: [] })],
  ] as const)(
    'stays readable after its end, and no later run is told of it (%s) (X15, C47)',
    async (dialect, tool, inputOf) => {
      const { supervisor, model, watch } = directing(parts, { agents: [worker] });
      const tools = supervisor.session('chat').tools(dialectTools(dialect));

      await within(tools.call(tool, inputOf('first')), 'the first result');
      const second = await within(tools.call(tool, inputOf('second')), 'the second result');

      expect(second.isError).toBe(false);
      expect(model.requests()).toHaveLength(2);
      expect(JSON.stringify(model.requests()[1])).not.toContain(secret);
      expect(JSON.stringify(model.requests()[1])).not.toContain('first');
      expect(transcriptOf(supervisor, taskIdOf(watch))).toContain(secret);
    },
  );

  it('of a subagent without history is readable, though its next run begins anew (X15, A12)', async () => {
    const config = { enabled: true, dynamicEnabled: true, historyEnabled: false };
    const { supervisor, model, watch, manager, create, hand } = rig(parts, { config });
    await create('ada');

    await hand('ada', 'first');
    await hand('ada', 'second');

    expect(manager.history('ada')).toEqual([]);
    expect(JSON.stringify(model.requests()[1])).not.toContain(secret);
    expect(transcriptOf(supervisor, taskIdOf(watch))).toContain(secret);
  });

  it('of a subagent that was reset is readable, though what it remembered is gone (X15, A56, A57)', async () => {
    const { supervisor, model, watch, create, hand, call } = rig(parts);
    await create('ada');
    await hand('ada', 'first');
    await hand('ada', 'second');

    await call('reset_subagent', { name: 'ada' });
    await hand('ada', 'third');

    const [, second, third] = model.requests().map((request) => JSON.stringify(request));
    expect(second, 'until then it remembers').toContain(secret);
    expect(third).not.toContain(secret);
    expect(transcriptOf(supervisor, taskIdOf(watch))).toContain(secret);
  });

  it('outlives its session: what is kept for review is no part of what a session remembers (X15, A74)', async () => {
    const { supervisor, watch, session, create, hand } = rig(parts);
    await create('ada');
    await hand('ada', 'first');

    await within(session.reset(), 'the reset');
    await turns();

    expect(subagentManager(supervisor.session('chat')).agents()).toEqual([]);
    expect(transcriptOf(supervisor, taskIdOf(watch))).toContain(secret);
  });

  it('of a spawned agent is its memory, and that of each of its runs is kept beside it (X15)', async () => {
    const { supervisor, watch } = directing(parts, {}, lastGoalOf);
    const memory = { maxMessages: 1 };
    const agent = await within(supervisor.spawn({ name: 'ada', tools: [], memory }), 'the agent');

    await within(agent.ask('first', { timeoutMs: 20_000 }), 'the first answer');
    await within(agent.ask('second', { timeoutMs: 20_000 }), 'the second answer');

    expect(JSON.stringify(agent.history())).not.toContain(secret);
    expect(transcriptOf(supervisor, taskIdOf(watch))).toContain(secret);
  });
});
