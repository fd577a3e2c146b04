// Checks runs of the main agents of one session: counted, each result told once, and no agent taken from a run that is on.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { subagentManager, subagentTools } from '#src/dialects/subagent-manager/index.js';
import type { SubagentResult } from '#src/dialects/subagent-manager/task-book.js';
import { defineAgent } from '#src/index.js';
import { gate, turns, within } from '../../supervisor/support.ts';
import { on, rig } from './rig.ts';

function waking(onWake: (result: SubagentResult) => unknown = () => {}) {
  const woken: string[] = [];
  return {
    woken,
    onWake: (result: SubagentResult) => {
      woken.push(`${result.agentName}: ${result.result}`);
      return onWake(result);
    },
  };
}

describe('a run that the program does not begin', () => {
  it('hands what it left unread to whoever is woken, once (A47)', async () => {
    const { woken, onWake } = waking();
    const { create, send, watch, session, manager } = rig({}, { options: { onWake } });
    await create('ada');
    await send('ada', 'a');
    await watch.next('task_completed');
    await turns();
    expect(woken, 'its run picks it up').toEqual([]);

    const end = session.endRun();
    await turns();
    session.endRun();
    await turns();

    expect(end).toMatchObject({ removed: ['ada'], unread: [] });
    expect(woken).toEqual(['ada: a done']);
    expect([session.completions(), manager.tasks.unread()]).toEqual([[], []]);
  });

  it('hands it over again at the next end, when whoever is woken fails (A47)', async () => {
    const failing = [new Error('asleep')];
    const { woken, onWake } = waking(() => {
      const error = failing.pop();
      if (error !== undefined) throw error;
    });
    const { create, send, watch, session } = rig({}, { options: { onWake } });
    await create('ada');
    await send('ada', 'a');
    await watch.next('task_completed');

    session.endRun();
    const warning = await watch.next('log');
    expect(session.completions()).toHaveLength(1);
    session.tools(subagentTools(session));
    session.endRun();
    await turns();

    expect(warning.message).toMatch(/not heard: asleep/);
    expect([woken, session.completions()]).toEqual([['ada: a done', 'ada: a done'], []]);
  });

  it('does not wake with the rest, when a run that the first one brings about picks it up (A47)', async () => {
    const answers: string[] = [];
    const { woken, onWake } = waking(async () => {
      session.tools(subagentTools(session));
      answers.push((await wait('ben'))[0]);
      session.endRun();
    });
    const { create, send, wait, watch, session, manager } = rig({}, { options: { onWake } });
    await create('ada');
    await send('ada', 'a');
    await watch.next('task_completed');
    await create('ben');
    await send('ben', 'b');
    await watch.next('task_completed', ({ outcome }) => outcome.agent.name === 'ben');

    session.endRun();
    await turns(30);

    expect(woken).toEqual(['ada: a done']);
    expect(answers).toEqual([expect.stringMatching(/b done$/)]);
    expect([manager.tasks.unread(), session.completions()]).toEqual([[], []]);
  });

  it('begins with each asking for tools: the end of one takes nothing from another (A71)', async () => {
    const { create, hand, session } = rig();
    session.tools(subagentTools(session));
    await create('ada');

    const first = session.endRun();
    const handed = await hand('ada', 'a');
    const second = session.endRun();

    expect([first.removed, first.kept]).toEqual([[], ['ada']]);
    expect(handed).toEqual(['a done', false]);
    expect(second).toMatchObject({ removed: ['ada'], kept: [] });
  });

  it('begins with a call, where a program keeps its tools from run to run (A71)', async () => {
    const { create, session } = rig();
    await create('ada');
    expect(session.endRun().removed).toEqual(['ada']);

    await create('ben');
    await create('cal');

    expect(session.endRun().removed).toEqual(['ben', 'cal']);
    expect(session.endRun().removed).toEqual([]);
  });

  it('is over when its tools are collected, though it was never ended (A71)', async () => {
    const { create, session } = rig();
    await create('ada');
    (() => session.tools(subagentTools(session)))();
    expect(session.endRun().removed, 'the other may be on').toEqual([]);

    setFlagsFromString('--expose-gc');
    await turns();
    runInNewContext('gc')();
    await turns();

    expect(session.endRun().removed).toEqual(['ada']);
  });
});

describe('a run that the program begins', () => {
  it('picks up what ends before its first call, and the main agent is not woken with it too (A47)', async () => {
    const { opened, open } = gate();
    const { woken, onWake } = waking();
    const { create, send, wait, watch, session } = rig(
      { a: [{ after: opened, text: 'late' }] },
      { options: { onWake } },
    );
    await create('ada');
    await send('ada', 'a');
    session.endRun();

    session.beginRun();
    open();
    await watch.next('task_completed');
    await turns();
    const read = await wait('ada');
    session.endRun();
    await turns();

    expect(read[0]).toMatch(/late$/);
    expect(woken).toEqual([]);
  });

  it('is one with all that ask for tools in it, and ends with the last of its kind (A47, A71)', async () => {
    const { woken, onWake } = waking();
    const { create, send, session, watch } = rig({}, { options: { onWake } });
    session.beginRun();
    session.tools(subagentTools(session));
    session.tools(subagentTools(session));
    session.beginRun();
    await create('ada');
    await send('ada', 'a');
    await watch.next('task_completed');

    const first = session.endRun();
    await turns();
    expect([first.removed, woken]).toEqual([[], []]);
    expect(first.unread).toEqual([{ agent: 'ada', taskId: '1' }]);
    const last = session.endRun();
    await turns();

    expect([last.removed, woken]).toEqual([['ada'], ['ada: a done']]);
  });

  it('is forgotten with its session (A74)', async () => {
    const { session, create } = rig();
    session.beginRun();
    await session.reset();

    session.tools(subagentTools(session, { config: on }));
    await create('ada');

    expect(session.endRun().removed).toEqual(['ada']);
  });
});

describe('a run of an agent of the tree', () => {
  const main = (session: ReturnType<typeof rig>['session']) =>
    defineAgent({ name: 'main', ...subagentManager(session).mainAgent() });

  it('takes nothing from a run of the program, nor that from it (A71)', async () => {
    const { opened, open } = gate();
    const { supervisor, session, create, watch } = rig({ lead: [{ after: opened, text: 'led' }] });
    await create('ada');
    await within(supervisor.delegate({ goal: 'short', agent: main(session) }), 'a short run');
    expect(subagentManager(session).agents(), 'the program’s run is on').toHaveLength(1);

    const handle = supervisor.start({ goal: 'lead', agent: main(session) });
    await watch.next('turn_started', ({ taskId }) => taskId === handle.id);
    expect(session.endRun().removed).toEqual([]);
    open();
    await within(handle.result(), 'the run');

    expect(subagentManager(session).agents()).toEqual([]);
  });

  it('takes nothing from another one, and its end is counted once, however it ends (A71)', async () => {
    const { opened, open } = gate();
    const { supervisor, session, watch } = rig({
      lead: [
        { calls: [['create_subagent', { name: 'ada', system_prompt: 'Work.' }]] },
        { after: opened, text: 'led' },
      ],
      stuck: [{ hang: true }],
    });
    session.endRun();
    const lead = supervisor.start({ goal: 'lead', agent: main(session) });
    await watch.next('turn_started', ({ taskId, turn }) => taskId === lead.id && turn === 2);
    const stuck = supervisor.start({ goal: 'stuck', agent: main(session) });
    await watch.next('turn_started', ({ taskId }) => taskId === stuck.id);

    await within(stuck.interrupt(), 'the interrupt');
    const kept = subagentManager(session)
      .agents()
      .map(({ name }) => name);
    open();
    await within(lead.result(), 'the run');

    expect(kept).toEqual(['ada']);
    expect(subagentManager(session).agents()).toEqual([]);
  });
});
