// Checks work in the background: ids, refusals, results, waiting with its five outcomes.
import { describe, expect, it } from 'vitest';
import { gate, turns } from '../../supervisor/support.ts';
import { rig, rigInManualTime } from './rig.ts';

describe('a background handoff', () => {
  it('answers at once with an id that counts up per agent (A43, A44)', async () => {
    const { opened, open } = gate();
    const { create, send, wait, manager, watch } = rig({ a: [{ after: opened, text: 'x' }] });
    await create('ada');
    await create('ben');

    const first = await send('ada', 'a');
    const other = await send('ben', 'b');
    const status = manager.status('ada');
    const ended = watch.of('task_completed').some(({ taskId }) => taskId === 't1');
    open();
    await wait('ada');
    const second = await send('ada', 'c');

    expect(
      [first, other, second].map(([text]) => /subagent_task_id: (\d+)/.exec(text)?.[1]),
    ).toEqual(['1', '1', '2']);
    expect(first[0]).toMatch(/wait_for_subagent/);
    expect([status, ended]).toEqual(['RUNNING', false]);
    await wait('ben');
    await wait('ada');
  });

  it('refuses a second task while the agent is running, in either way, and starts nothing (A45)', async () => {
    const { create, send, hand, watch, session } = rig({ long: [{ hang: true }] });
    await create('ada');
    await send('ada', 'long');

    const refused = [await send('ada', 'more'), await hand('ada', 'more')];

    expect(refused.map(([text]) => text)).toEqual(
      Array(2).fill(expect.stringMatching(/^error: subagent "ada" is still running.*task 1/)),
    );
    await turns();
    expect(watch.of('task_queued')).toHaveLength(1);
    await session.reset();
  });

  it('refuses the second of two that are asked for in one message (A45)', async () => {
    const { create, send, watch, session } = rig({ long: [{ hang: true }] });
    await create('ada');

    const both = await Promise.all([send('ada', 'long'), send('ada', 'long')]);

    expect(both.map(([, isError]) => isError)).toEqual([false, true]);
    expect(watch.of('task_queued')).toHaveLength(1);
    await session.reset();
  });

  it('stores its result under agent and id (A46, A21, A53)', async () => {
    const { create, send, wait, manager, clock } = rigInManualTime({
      bad: [{ fail: 'down' }],
    });
    await create('ada');
    await send('ada', 'good');
    await wait('ada');
    await send('ada', 'bad');
    await wait('ada');

    const [good, bad] = [manager.tasks.result('ada', '1'), manager.tasks.result('ada')];

    const now = clock.wallTime();
    expect(good).toEqual({
      taskId: '1',
      agentName: 'ada',
      success: true,
      result: 'good done',
      error: null,
      executionTimeMs: 0,
      createdAt: now,
      completedAt: now,
      metadata: { taskId: 't1', exitReason: 'goal' },
    });
    expect(bad).toMatchObject({
      taskId: '2',
      success: false,
      error: expect.stringMatching(/down/),
    });
    expect(manager.status('ada')).toBe('FAILED');
  });

  it.each([
    ['cleared', 'clear'],
    ['read', 'read'],
  ] as const)('is kept nowhere once its result is %s (A53, A75)', async (_, how) => {
    const { create, send, session, manager, watch } = rig();
    await create('ada');
    await send('ada', 'a');
    await watch.next('task_completed');
    await turns();
    expect(session.completions()).toHaveLength(1);

    manager.tasks[how]('ada', '1');

    expect([session.completions(), session.background()]).toEqual([[], []]);
  });

  it('that meets a limit is refused at once, and takes no id (V7)', async () => {
    const { create, send, supervisor, manager, session } = rig();
    await create('ada');
    supervisor.pause();
    const refused = await send('ada', 'a');
    supervisor.resume();

    expect(refused).toEqual([
      expect.stringMatching(/^error: subagent "ada" failed: .*paused/),
      true,
    ]);
    expect([manager.tasks.latestId('ada'), manager.status('ada')]).toEqual([null, 'IDLE']);
    expect(session.background()).toEqual([]);
  });
});

describe('wait_for_subagent', () => {
  it('needs a name only; 60 and 5 are its defaults (A48)', () => {
    const { tools } = rig();
    const tool = tools.definitions.jsonSchema.find(({ name }) => name === 'wait_for_subagent');

    expect(tool?.schema).toMatchObject({
      required: ['subagent_name'],
      properties: { timeout: { default: 60 }, poll_interval: { default: 5 }, task_id: {} },
    });
  });

  it('tells five things apart: idle, completed, failed, running, and time that is over (A50)', async () => {
    const { opened, open } = gate();
    const { create, send, wait, clock, watch, manager } = rigInManualTime({
      slow: [{ after: opened, text: 'at last' }],
      bad: [{ fail: 'down' }],
    });
    for (const name of ['ada', 'ben', 'cleo']) await create(name);

    const idle = await wait('ada');
    await send('ben', 'bad');
    const failed = await wait('ben');
    await send('ada', 'slow');
    await watch.next('turn_started', ({ taskId }) => taskId === 't2');
    const waiting = wait('ada', { timeout: 10 });
    await clock.advance(10_000);
    const expired = await waiting;
    const again = wait('ada');
    open();
    const completed = await again;

    expect(idle).toEqual(['error: subagent "ada" is idle: no task of it is running.', true]);
    expect(failed).toEqual([expect.stringMatching(/"ben", task 1, failed[\s\S]*down/), true]);
    expect(expired).toEqual([
      'Subagent "ada" has not finished task 1 within 10 s. It may still be running; you can wait for it again.',
      false,
    ]);
    expect(completed).toEqual([
      'Subagent "ada", task 1, completed after 10.0 s.\nResult:\nat last',
      false,
    ]);
    expect(manager.status('ada')).toBe('COMPLETED');
  });

  it('takes null for what a model leaves out (A48, A49)', async () => {
    const { create, send, wait } = rig();
    await create('ada');
    await send('ada', 'a');

    const waited = await wait('ada', { task_id: null, timeout: null, poll_interval: null });

    expect(waited).toEqual([expect.stringMatching(/task 1, completed/), false]);
  });

  it('answers with the latest result and its id when nothing is pending (A49)', async () => {
    const { create, send, wait, session } = rig();
    await create('ada');
    await send('ada', 'a');
    await wait('ada', { task_id: '1' });

    const latest = await wait('ada');

    expect(latest).toEqual([
      expect.stringMatching(/task 1, completed.*No task of it is pending[\s\S]*a done$/),
      false,
    ]);
    expect(session.completions()).toEqual([]);
  });

  it('answers an unknown agent and an unknown task with an error that says what there is (A50, A53)', async () => {
    const { create, send, wait } = rig();
    await create('ada');
    await send('ada', 'a');
    await wait('ada');

    expect(await wait('eve')).toEqual(['error: there is no subagent "eve".', true]);
    expect(await wait('ada', { task_id: '9' })).toEqual([
      'error: subagent "ada" has no task "9"; it has: 1.',
      true,
    ]);
  });

  it('ends with its call, and the task goes on (S5)', async () => {
    const { opened, open } = gate();
    const { create, send, call, wait, watch } = rig({ a: [{ after: opened, text: 'x' }] });
    await create('ada');
    await send('ada', 'a');
    await watch.next('turn_started');
    const control = new AbortController();
    const waiting = call('wait_for_subagent', { subagent_name: 'ada' }, { signal: control.signal });
    await turns();

    control.abort();

    expect((await waiting)[1]).toBe(true);
    open();
    expect((await wait('ada'))[0]).toMatch(/x$/);
  });
});
