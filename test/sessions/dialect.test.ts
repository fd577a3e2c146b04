// Checks the interface by which a dialect registers with a session: what it keeps follows the session's runs and ends.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { subagentManager } from '#src/dialects/subagent-manager/index.js';
import {
  createSupervisor,
  type Dialect,
  type DialectState,
  defineTool,
  type Retention,
  type SessionHost,
} from '#src/index.js';
import { supervise, superviseInManualTime, within } from '../supervisor/support.ts';
import { folderOf } from './folders.ts';

const task = { agent: 'ada', taskId: 't1' };

/** Counts what the session does with it. */
class NoteDialect implements DialectState {
  readonly host: SessionHost;
  readonly calls: string[] = [];
  need: Retention = { need: 'none' };

  constructor(host: SessionHost) {
    this.host = host;
  }

  beginRun(): void {
    this.calls.push('beginRun');
  }

  endRun() {
    this.calls.push('endRun');
    return { removed: ['ada'], kept: ['bob'], running: [task], unread: [] };
  }

  async reset() {
    this.calls.push('reset');
    return { removed: ['bob'], interrupted: 2, unread: [{ ...task, success: true, text: 'end' }] };
  }

  retention(): Retention {
    return this.need;
  }
}

const notes: Dialect<NoteDialect> = { open: (host) => new NoteDialect(host) };
const plain: Dialect = { open: () => ({}) };

function chat() {
  const { supervisor, clock } = superviseInManualTime(
    { default: [{ text: 'done' }] },
    { workspace: folderOf({}) },
  );
  return { supervisor, clock, session: supervisor.session('chat') };
}

describe('a dialect of a session', () => {
  it('is opened once, and again after a reset', async () => {
    const { session } = chat();
    const kept = session.use(notes);

    expect(session.use(notes)).toBe(kept);
    expect(session.use(plain)).not.toBe(kept);
    await within(session.reset(), 'the reset');

    expect(session.use(notes)).not.toBe(kept);
    expect(kept.calls).toEqual(['reset']);
  });

  it('sees each run of the program begin and end, also those that are on when it is opened', () => {
    const { session } = chat();
    session.beginRun();
    session.beginRun();
    const { calls } = session.use(notes);
    session.endRun();
    session.beginRun();

    expect(calls).toEqual(['beginRun', 'beginRun', 'endRun', 'beginRun']);
  });

  it('reports what an end comes to, beside the other dialects', async () => {
    const { session } = chat();
    session.use(plain);
    session.use(notes);
    subagentManager(session).configure({ enabled: true });
    await subagentManager(session).create({ name: 'cleo' });

    expect(session.endRun()).toEqual({
      removed: ['ada', 'cleo'],
      kept: ['bob'],
      running: [task],
      unread: [],
      expired: [],
    });
    expect(await within(session.reset(), 'the reset')).toEqual({
      removed: ['bob'],
      interrupted: 2,
      unread: [{ ...task, success: true, text: 'end' }],
    });
  });

  it.each([
    [{ need: 'none' }, false, []],
    [{ need: 'idle', agents: 3 }, false, [{ sessionId: 'chat', agents: 3 }]],
    [{ need: 'needed' }, true, []],
  ] as const)(
    'decides whether an unused session is forgotten: %j',
    async (need, isKept, expired) => {
      const { supervisor, clock, session } = chat();
      session.use(notes).need = need;
      await clock.advance(1_800_001);

      expect(supervisor.session('next').endRun().expired).toMatchObject(expired);
      expect(supervisor.hasSession('chat')).toBe(isKept);
    },
  );

  it('runs tasks, and ends no run of a session that was reset since', async () => {
    const { session } = chat();
    const { host } = session.use(notes);
    let ends = 0;

    const outcome = await within(host.run({ goal: 'a' }), 'the run');
    host.endRun(() => (ends += 1));
    await within(session.reset(), 'the reset');
    host.endRun(() => (ends += 1));

    expect(outcome.text).toBe('done');
    expect(ends).toBe(1);
  });

  it('never gets one number twice', async () => {
    const { supervisor, session } = chat();
    const numbers = [session.use(notes).host.nextNumber()];
    await within(session.reset(), 'the reset');
    numbers.push(session.use(notes).host.nextNumber());
    numbers.push(supervisor.session('other').use(notes).host.nextNumber());

    expect(new Set(numbers).size).toBe(3);
  });
});

describe('the tools of a session', () => {
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    input: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }) => a + b,
  });

  it.each([
    ['one', add],
    ['several', [add, delegateTaskTool()]],
    ['those that come and go', { now: () => [add] }],
  ])('are the program’s own: %s', async (_what, tools) => {
    const { supervisor } = supervise({ default: [] });

    const { content } = await supervisor.session('chat').tools(tools).call('add', { a: 1, b: 2 });

    expect(content).toBe('3');
  });

  it('report what was corrected in their options, and so do those of a supervisor', () => {
    const lines: string[] = [];
    const corrected = () => delegateTaskTool({ maxSpawnDepth: 9 });
    const supervisor = createSupervisor({
      model: 'offline',
      tools: [corrected()],
      logger: { warn: (_fields, message) => lines.push(message), error() {} },
    });
    supervisor.session('chat').tools(corrected());

    const line = 'delegate_task: maxSpawnDepth 9 is not 1 to 3, 3 is used';
    expect(lines).toEqual([line, line]);
  });
});
