// Checks whom the end of a background task reaches: the main agent in its run, or by waking it, exactly once.
import { describe, expect, it } from 'vitest';
import type { SubagentResult } from '#src/dialects/subagent-manager/task-book.js';
import { gate, turns } from '../../supervisor/support.ts';
import { rig } from './rig.ts';

describe('the end of a background task', () => {
  const waking = () => {
    const woken: SubagentResult[] = [];
    return { woken, onWake: (result: SubagentResult) => woken.push(result) };
  };

  it('does not wake the main agent while its run is on: it picks the result up, once (A47)', async () => {
    const { woken, onWake } = waking();
    const { create, send, wait, watch, session } = rig({}, { options: { onWake } });
    await create('ada');
    await send('ada', 'a');
    await watch.next('task_completed');
    await turns();
    expect(session.completions()).toHaveLength(1);

    const read = await wait('ada');
    session.endRun();
    await turns();

    expect(read[0]).toMatch(/a done$/);
    expect(woken).toEqual([]);
    expect([session.completions(), session.background()]).toEqual([[], []]);
  });

  it('wakes the main agent when its run is over, once (A47)', async () => {
    const { opened, open } = gate();
    const { woken, onWake } = waking();
    const { create, send, watch, session, manager } = rig(
      { a: [{ after: opened, text: 'late' }] },
      { options: { onWake } },
    );
    await create('ada');
    await send('ada', 'a');
    manager.setProtected('ada', true);

    expect(session.endRun().running).toEqual([{ agent: 'ada', taskId: '1' }]);
    open();
    await watch.next('task_completed');
    await turns();

    expect(woken).toMatchObject([{ agentName: 'ada', taskId: '1', result: 'late' }]);
    expect([session.completions(), manager.tasks.unread()]).toEqual([[], []]);
  });

  it('wakes the main agent when whoever waited for it gives up in the moment it ends (A47)', async () => {
    const { opened, open } = gate();
    const { woken, onWake } = waking();
    const { create, send, call, session, supervisor, manager } = rig(
      { a: [{ after: opened, text: 'late' }] },
      { options: { onWake } },
    );
    await create('ada');
    await send('ada', 'a');
    const control = new AbortController();
    supervisor.on('task_completed', () => control.abort());
    const waiting = call('wait_for_subagent', { subagent_name: 'ada' }, { signal: control.signal });
    await turns();
    // A call says that the run is on; this one outlives it.
    session.endRun();

    open();
    const [, isError] = await waiting;
    await turns();

    expect([isError, woken]).toMatchObject([true, [{ agentName: 'ada', result: 'late' }]]);
    expect([session.completions(), manager.tasks.unread()]).toEqual([[], []]);
  });

  it('stays, and a warning says so, when whoever is woken fails (A47)', async () => {
    const { opened, open } = gate();
    const onWake = () => Promise.reject(new Error('asleep'));
    const { create, send, watch, session, wait } = rig(
      { a: [{ after: opened, text: 'late' }] },
      { options: { onWake } },
    );
    await create('ada');
    await send('ada', 'a');
    session.endRun();
    open();

    const warning = await watch.next('log');

    expect(warning.message).toMatch(/task 1 of subagent "ada" was not heard: asleep/);
    expect(session.completions()).toMatchObject([{ outcome: { text: 'late' } }]);
    // The agent is gone, and its result is there until somebody reads it.
    expect((await wait('ada'))[0]).toMatch(/late$/);
    expect((await wait('ada'))[0]).toMatch(/no subagent "ada"/);
  });
});
