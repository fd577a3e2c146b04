// Checks the file of a journal from the supervisor's side: whose it is, what is refused, what a failed write comes to.
import { describe, expect, it } from 'vitest';
import { sqlite } from '#src/index.js';
import { openDatabase } from '#src/journal/driver.js';
import { gatedModel } from './gated-model.ts';
import { file, leftBehind, on } from './journal-rig.ts';
import { rejection, within } from './support.ts';

/** A task that waits for its model, on a journal whose table can be taken away. */
async function running() {
  const path = file();
  const gated = gatedModel();
  const supervisor = on(path, { model: gated });
  const failed = new Promise((resolve) => supervisor.on('journal_failed', resolve));
  const handle = supervisor.start({ goal: 'a' });
  await within(handle.accepted(), 'the acceptance');
  await gated.isAsked(1);
  const database = await openDatabase(path);
  const breakIt = (): void => void database.exec('ALTER TABLE tasks RENAME TO elsewhere');
  const mend = (): void => {
    database.exec('ALTER TABLE elsewhere RENAME TO tasks');
    database.close();
  };
  return { path, supervisor, handle, failed, breakIt, mend, answer: gated.answer };
}

describe('a journal', () => {
  it('is one supervisor’s at a time (J6)', async () => {
    const path = file();
    const first = on(path);

    expect(() => on(path)).toThrow(expect.objectContaining({ code: 'journal_locked' }));
    await within(first.close(), 'the close');
    on(path);
  });

  it('is free again when the options of its supervisor are refused', async () => {
    const path = file();
    const refused = () => on(path, { agents: [{ name: 'a', tools: ['none'] }] });

    expect(refused).toThrow(expect.objectContaining({ code: 'unknown_tool' }));
    await expect.poll(() => on(path), { timeout: 10_000 }).toBeDefined();
  });

  it.each([
    ['no path', () => sqlite(''), 'path'],
    ['another durability', () => sqlite('a', { durability: 'none' as 'process' }), 'durability'],
  ])('is refused with %s', (_what, make, field) => {
    expect(make).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        detail: expect.objectContaining({ field }),
      }),
    );
  });

  it('with a damaged task refuses that one, also under its key, and writes on', async () => {
    const path = file();
    const taskId = await leftBehind(path, { goal: 'a', idempotencyKey: 'k' });
    const database = await openDatabase(path);
    database.exec("UPDATE tasks SET spec = '{}'");
    database.close();

    const next = on(path);
    await within((await next.handle(taskId)).result(), 'the outcome');
    const again = await within(next.delegate({ goal: 'a', idempotencyKey: 'k' }), 'the outcome');
    const other = await within(next.delegate({ goal: 'b' }), 'the outcome');

    expect(again).toMatchObject({ taskId, error: { code: 'recovery_failed' } });
    expect(other.status).toBe('completed');
  });

  it('that cannot write accepts nothing and completes nothing (J3)', async () => {
    const { path, supervisor, handle, failed, breakIt, mend } = await running();
    breakIt();
    const late = supervisor.start({ goal: 'b' });

    expect(await within(failed, 'the event')).toMatchObject({
      failure: { code: 'journal_failed' },
    });
    expect(() => supervisor.start({ goal: 'c' })).toThrow(
      expect.objectContaining({ code: 'journal_failed' }),
    );
    supervisor.validate({ goal: 'c' });
    const refused = rejection(late.accepted());
    await within(supervisor.close(), 'the close');
    expect(await refused).toMatchObject({ code: 'journal_failed' });
    mend();
    // It is not done: the next process goes on with it, and knows nothing of the other one.
    const next = on(path);
    expect(await within((await next.handle(handle.id)).result(), 'the outcome')).toMatchObject({
      status: 'completed',
    });
    expect(await rejection(next.handle(late.id))).toMatchObject({ code: 'unknown_task' });
  });

  it('does not complete a task whose end it cannot write (J3)', async () => {
    const { supervisor, handle, failed, breakIt, mend, answer } = await running();
    breakIt();
    answer('done');
    await within(failed, 'the event');

    await within(supervisor.close(), 'the close');

    expect(await handle.result()).toMatchObject({
      status: 'failed',
      error: { code: 'journal_failed' },
    });
    mend();
  });

  it('goes on with another writer, and everything that waited, once it can write again (J3)', async () => {
    const { path, supervisor, handle, failed, breakIt, mend, answer } = await running();
    breakIt();
    answer('done');
    await within(failed, 'the event');

    mend();

    expect(await within(handle.result(), 'the outcome')).toMatchObject({ text: 'done' });
    await within(supervisor.start({ goal: 'b' }).accepted(), 'the next acceptance');
    await within(supervisor.close(), 'the close');
    const next = on(path);
    expect(await (await next.handle(handle.id)).result()).toMatchObject({ text: 'done' });
  });
});
