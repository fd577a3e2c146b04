// Checks sessions over a restart: their boards, and the ends of their background tasks, until they are received.
import { describe, expect, it } from 'vitest';
import type { Supervisor } from '#src/index.js';
import { openDatabase } from '#src/journal/driver.js';
import { scripted } from '#src/testing.js';
import { gatedModel } from './gated-model.ts';
import { file, made, on } from './journal-rig.ts';
import { rejection, within } from './support.ts';

const texts = (supervisor: Supervisor, id = 'chat'): readonly string[] =>
  supervisor
    .session(id)
    .board.entries()
    .map(({ content }) => content);

async function closed(supervisor: Supervisor): Promise<void> {
  await within(supervisor.close(), 'the close');
  made.delete(supervisor);
}

/** A task in the background of the session that waits for its model while its supervisor closes. */
async function leftInBackground(path: string, goal: string): Promise<string> {
  const gated = gatedModel();
  const supervisor = on(path, { model: gated });
  const { id, accepted } = supervisor.session('chat').start({ goal });
  await within(accepted(), 'the acceptance');
  await gated.isAsked(1);
  await closed(supervisor);
  return id;
}

describe('a session of an earlier process (J5)', () => {
  it('has its board, with what was posted, trimmed and taken down', async () => {
    const path = file();
    const first = on(path);
    const { board } = first.session('chat');
    board.turnOn({ maxEntries: 10, timeZone: 'Europe/Berlin' });
    for (let at = 1; at <= 10; at += 1) board.post({ type: 'message', content: `entry ${at}` });
    board.post({ type: 'status', sender: 'ada', content: 'from ada' });
    board.removeAgent('ada');
    board.post({ type: 'message', content: 'last' });
    await closed(first);

    const second = on(path);
    expect(second.hasSession('chat')).toBe(true);
    const again = second.session('chat').board;
    expect([again.isOn, again.maxEntries, again.timeZone]).toEqual([true, 10, 'Europe/Berlin']);
    expect(texts(second)).toEqual([
      ...Array.from({ length: 9 }, (_, at) => `entry ${at + 2}`),
      'last',
    ]);
    again.post({ type: 'message', content: 'of the second' });
    again.turnOff();
    await closed(second);

    const third = on(path);
    expect(third.session('chat').board.isOn).toBe(false);
    expect(texts(third).slice(-2)).toEqual(['last', 'of the second']);
  });

  it('is gone once it was reset', async () => {
    const path = file();
    const first = on(path);
    first.session('chat').board.turnOn();
    first.session('chat').board.post({ type: 'message', content: 'x' });
    await within(first.session('chat').reset(), 'the reset');
    await closed(first);

    const next = on(path);
    expect(next.hasSession('chat')).toBe(false);
    expect(texts(next)).toEqual([]);
  });

  it('has the tasks in its background: those that go on, and the ends that were not received', async () => {
    const path = file();
    const gated = gatedModel();
    const model = scripted({ default: [{ text: 'done' }] });
    const first = on(path, { model });
    const session = first.session('chat');
    const read = session.start({ goal: 'read' });
    const unread = session.start({ goal: 'unread' });
    await within(session.wait(read.id), 'the end');
    await within(unread.result(), 'the end');
    await closed(first);
    // Its model is an object of that process only where it is set on the task.
    const second = on(path, { model: gated });
    const running = second.session('chat').start({ goal: 'running' });
    await within(running.accepted(), 'the acceptance');
    await gated.isAsked(1);
    expect(second.session('chat').completions()).toMatchObject([
      { taskId: unread.id, goal: 'unread', outcome: { text: 'done', status: 'completed' } },
    ]);
    await closed(second);

    const third = on(path, { model });
    const again = third.session('chat');
    expect(again.background()).toMatchObject([
      { taskId: unread.id, goal: 'unread', status: 'completed' },
      { taskId: running.id, goal: 'running' },
    ]);
    expect(await within(again.wait(running.id), 'the end')).toMatchObject({
      taskId: running.id,
      outcome: { status: 'completed', text: 'done' },
    });
    const [completion] = again.completions();
    expect(again.acknowledge(completion?.id ?? '')).toBe(true);
    await closed(third);

    const fourth = on(path, { model });
    expect(fourth.session('chat').background()).toEqual([]);
    expect(fourth.hasSession('other')).toBe(false);
  });

  it('whose task ended before the program asks for it has that end too', async () => {
    const path = file();
    const id = await leftInBackground(path, 'go');

    const next = on(path);
    const handle = await within(next.handle(id), 'the handle');
    await within(handle.result(), 'the end');

    expect(next.session('chat').completions()).toMatchObject([{ taskId: id, goal: 'go' }]);
  });

  it('finds a task again by its key, once', async () => {
    const path = file();
    const first = on(path);
    const task = { goal: 'go', idempotencyKey: 'k' };
    const { id } = first.session('chat').start(task);
    await within((await first.handle(id)).result(), 'the end');
    await closed(first);

    const next = on(path);
    const again = next.session('chat').start(task);
    expect(again.id).toBe(id);
    await within(again.result(), 'the end');
    expect(next.session('chat').completions()).toHaveLength(1);
  });

  it('is reset with what goes on in its background', async () => {
    const path = file();
    const id = await leftInBackground(path, 'go');

    const next = on(path, { model: gatedModel() });
    await within(next.session('chat').reset(), 'the reset');

    expect(next.session('chat').background()).toEqual([]);
    const handle = await within(next.handle(id), 'the handle');
    expect(await within(handle.result(), 'the end')).toMatchObject({ status: 'interrupted' });
    await closed(next);
    expect(on(path).hasSession('chat')).toBe(false);
  });

  it('keeps what can be read, and says what cannot (J6)', async () => {
    const path = file();
    const first = on(path);
    const { board } = first.session('chat');
    board.turnOn();
    for (const content of ['a', 'b', 'c']) board.post({ type: 'message', content });
    await closed(first);
    const database = await openDatabase(path);
    database.prepare("UPDATE posts SET entry = '{}' WHERE seq = 2").run();
    database.close();

    const next = on(path);
    const warnings: string[] = [];
    next.on('log', ({ message }) => warnings.push(message));
    expect(texts(next)).toEqual(['a', 'c']);
    expect(warnings).toEqual([expect.stringContaining('entry 2 of its board cannot be read')]);
  });

  it('cannot be asked for once the supervisor is closed', async () => {
    const path = file();
    const first = on(path);
    first.session('chat').board.turnOn();
    await closed(first);
    const next = on(path);
    await closed(next);

    const ask = async () => next.session('chat');
    expect(await rejection(ask())).toMatchObject({ code: 'closed' });
  });
});
