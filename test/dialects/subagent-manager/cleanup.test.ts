// Checks ends: of agents, of runs of the main agent, of sessions; and that no result is lost to them that nobody has read.
import { describe, expect, it } from 'vitest';
import { subagentManager } from '#src/dialects/subagent-manager/index.js';
import type { SessionEnd } from '#src/index.js';
import { gate, turns, within } from '../../supervisor/support.ts';
import { on, rig, rigInManualTime, sessionOf } from './rig.ts';

describe('remove_subagent', () => {
  it('takes an agent, its tool and its history; an unknown name is an error (A72)', async () => {
    const { create, call, hand, offered, manager } = rig();
    await create('ada');
    await hand('ada', 'one');

    const removed = await call('remove_subagent', { name: 'ada' });
    const unknown = await call('remove_subagent', { name: 'ada' });
    await create('ada');

    expect(removed).toEqual([
      expect.stringMatching(/^__SUBAGENT_REMOVED__\nSubagent "ada" was removed\.$/),
      false,
    ]);
    expect(unknown).toEqual([expect.stringMatching(/no subagent "ada"; there is: none/), true]);
    expect([offered().includes('transfer_to_ada'), manager.history('ada')]).toEqual([true, []]);
  });

  it('takes all of them (A72)', async () => {
    const { create, call, manager } = rig();
    await create('ada');
    await create('ben');

    const [text] = await call('remove_subagent', { name: 'all' });

    expect(text).toMatch(/^__SUBAGENT_REMOVED__[\s\S]*"ada"[\s\S]*"ben"/);
    expect(manager.agents()).toEqual([]);
  });

  it('interrupts a task that runs and says so; its end can still be read (X5)', async () => {
    const { create, send, call, wait, watch } = rig({ long: [{ hang: true }] });
    await create('ada');
    await send('ada', 'long');
    await watch.next('turn_started');

    const [text] = await call('remove_subagent', { name: 'ada' });
    const end = await watch.next('task_completed');

    expect(text).toMatch(/Its task 1 was not finished and was interrupted/);
    expect(end.outcome.status).toBe('interrupted');
    expect(await wait('ada')).toEqual([
      expect.stringMatching(/task 1, failed[\s\S]*removed/),
      true,
    ]);
  });
});

describe('the end of a run', () => {
  it('removes who is not protected, with posts and results that were read (A71, A73)', async () => {
    const config = { ...on, boardEnabled: true };
    const { create, call, send, wait, session, manager } = rig({}, { config });
    await create('ada');
    await create('ben');
    await call('manage_subagent_protection', { name: 'ada', protected: true });
    await send('ben', 'b');
    await wait('ben');
    session.board.post({ type: 'status', sender: 'ben', content: 'busy' });
    session.board.post({ type: 'status', sender: 'ada', content: 'busy too' });

    const end = session.endRun();

    expect(end).toEqual({ removed: ['ben'], kept: ['ada'], running: [], unread: [], expired: [] });
    expect(session.board.entries().map(({ sender }) => sender)).toEqual(['ada']);
    expect(manager.tasks.result('ben')).toBeNull();
    expect(manager.isProtected('ada')).toBe(true);
    await call('manage_subagent_protection', { name: 'ada', protected: false });
    expect(session.endRun().removed).toEqual(['ada']);
    expect(session.board.entries()).toEqual([]);
  });

  it('removes no agent where cleanup is off, or the manager is (A7, A1)', async () => {
    const { create, session, manager } = rig({}, { config: { ...on, cleanupAtRunEnd: false } });
    await create('ada');

    expect(session.endRun()).toMatchObject({ removed: [], kept: ['ada'] });
    manager.configure({ enabled: false });
    expect(session.endRun()).toMatchObject({ removed: [], kept: ['ada'] });
  });

  it('lets background tasks go on, and keeps unread results (X5, A71)', async () => {
    const { opened, open } = gate();
    const { create, send, wait, session, watch, manager } = rig({
      slow: [{ after: opened, text: 'late' }],
    });
    await create('ada');
    await create('ben');
    await send('ada', 'slow');
    await send('ben', 'quick');
    await watch.next('task_completed');
    await turns();

    const end = session.endRun();
    open();
    const late = await wait('ada');
    const quick = await wait('ben');

    expect(end).toMatchObject({
      removed: ['ada', 'ben'],
      running: [{ agent: 'ada', taskId: '1' }],
      unread: [{ agent: 'ben', taskId: '1' }],
    });
    expect([late[0], quick[0]].map((text) => text.split('\n').at(-1))).toEqual([
      'late',
      'quick done',
    ]);
    expect([manager.agents(), manager.tasks.names(), session.completions()]).toEqual([[], [], []]);
  });
});

describe('the end of a session', () => {
  it('discards everything: runs are interrupted, and unread results are returned (A74)', async () => {
    const { supervisor, create, send, session, watch, offered } = rig({ long: [{ hang: true }] });
    await create('ada');
    await create('ben');
    await send('ben', 'quick');
    await watch.next('task_completed');
    await send('ada', 'long');
    await watch.next('turn_started', ({ taskId }) => taskId === 't2');

    const end = await within(session.reset(), 'the reset');

    expect(end).toEqual({
      removed: ['ada', 'ben'],
      interrupted: 1,
      unread: [{ agent: 'ben', taskId: '1', success: true, text: 'quick done' }],
    });
    expect(supervisor.hasSession('chat')).toBe(false);
    expect(offered()).toEqual([]);
    expect(subagentManager(supervisor.session('chat')).agents()).toEqual([]);
  });

  it('does not wake the main agent with what it interrupts, and keeps nothing of it (A74, A47)', async () => {
    const woken: unknown[] = [];
    const options = { onWake: (result: unknown) => woken.push(result) };
    const { create, send, session, watch } = rig({ long: [{ hang: true }] }, { options });
    await create('ada');
    await send('ada', 'long');
    await watch.next('turn_started');
    session.endRun();

    const { interrupted } = await within(session.reset(), 'the reset');
    await turns();

    expect([interrupted, woken]).toEqual([1, []]);
    expect([session.completions(), session.background()]).toEqual([[], []]);
  });

  it('hands over the end of a run that was over before its interrupt came (A74, S9)', async () => {
    const { create, send, session, supervisor, watch } = rig({ long: [{ hang: true }] });
    await create('ada');
    await create('ben');
    await send('ada', 'long');
    await watch.next('turn_started');
    const reset = gate<Promise<SessionEnd>>();
    supervisor.on('task_completed', ({ taskId }) => {
      if (taskId === 't2') reset.open(session.reset());
    });

    await send('ben', 'quick');
    const end = await within(
      reset.opened.then((ended) => ended),
      'the reset',
    );

    expect(end).toEqual({
      removed: ['ada', 'ben'],
      interrupted: 1,
      unread: [{ agent: 'ben', taskId: '1', success: true, text: 'quick done' }],
    });
    expect([session.completions(), session.background()]).toEqual([[], []]);
  });

  it('keeps no background task that it interrupted, and the end of one that was over (A74, S9)', async () => {
    const { session, supervisor, watch } = rig({ long: [{ hang: true }] });
    session.start({ goal: 'long' });
    await watch.next('turn_started');
    const reset = gate<Promise<SessionEnd>>();
    supervisor.on('task_completed', ({ taskId }) => {
      if (taskId === 't2') reset.open(session.reset());
    });

    session.start({ goal: 'quick' });
    await within(
      reset.opened.then((ended) => ended),
      'the reset',
    );

    expect(session.completions()).toMatchObject([
      { goal: 'quick', outcome: { text: 'quick done' } },
    ]);
    expect(session.background()).toMatchObject([{ taskId: 't2' }]);
  });

  it('forgets who was idle for more than half an hour, at the end of any run, and says whom (A75)', async () => {
    const { supervisor, session, create, clock, watch } = rigInManualTime();
    await create('ada');
    const other = sessionOf(supervisor, 'other', on);
    await other.create('ben');

    await clock.advance(1_800_000);
    expect(session.endRun().expired).toEqual([]);
    await clock.advance(1);
    const end = session.endRun();

    expect(end.expired).toEqual([{ sessionId: 'other', idleMs: 1_800_001, agents: 1 }]);
    expect([supervisor.hasSession('other'), supervisor.hasSession('chat')]).toEqual([false, true]);
    expect(watch.of('log')).toMatchObject([
      { sessionId: 'other', message: expect.stringMatching(/1 subagents was idle for 1800 s/) },
    ]);
  });

  it('keeps a session with a running task or an unread result (A75, X5)', async () => {
    const { opened, open } = gate();
    const { supervisor, session, clock, watch } = rigInManualTime(
      { slow: [{ after: opened, text: 'late' }] },
      { config: { ...on, executionTimeoutMs: -1 } },
    );
    const other = sessionOf(supervisor, 'other', { ...on, executionTimeoutMs: -1 });
    await other.create('ben');
    await other.send('ben', 'slow');
    await watch.next('turn_started');

    await clock.advance(1_900_000);
    const whileItRuns = session.endRun().expired;
    open();
    await watch.next('task_completed');
    await clock.advance(1_900_000);
    const whileUnread = session.endRun().expired;
    const read = await other.wait('ben');
    await clock.advance(1_900_000);

    expect([whileItRuns, whileUnread]).toEqual([[], []]);
    expect(read[0]).toMatch(/late$/);
    expect(session.endRun().expired).toMatchObject([{ sessionId: 'other' }]);
  });

  it('shows everything as plain data until then (A22)', async () => {
    const { create, send, wait, manager, clock } = rigInManualTime(
      {},
      { config: { ...on, boardEnabled: true } },
    );
    await create('ada');
    await send('ada', 'a');
    await wait('ada');

    expect(manager.snapshot()).toMatchObject({
      sessionId: 'chat',
      agents: { ada: { name: 'ada', systemPrompt: 'You are ada.' } },
      handoffTools: { ada: 'transfer_to_ada' },
      statuses: { ada: 'COMPLETED' },
      protectedAgents: [],
      historyEnabled: true,
      histories: { ada: [{ role: 'user' }, { role: 'assistant' }] },
      board: [],
      boardEnabled: true,
      backgroundResults: { ada: { 1: { result: 'a done' } } },
      taskCounters: { ada: 1 },
      lastActivityAt: clock.wallTime(),
    });
  });

  it('names the tools of one session only (A55, A19)', async () => {
    const { supervisor, create, manager } = rig();
    const other = sessionOf(supervisor, 'other', on);
    await create('ada');

    expect(manager.agents().map(({ handoff }) => handoff.name)).toEqual(['transfer_to_ada']);
    expect(manager.find('ada')?.made.config.tools).toEqual([]);
    expect(other.manager.agents()).toEqual([]);
    expect(other.manager.find('ada')).toBeNull();
  });
});
