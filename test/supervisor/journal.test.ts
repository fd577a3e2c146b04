// Checks supervisors on a journal, one after the other on one file: what goes on, what is found again, what is refused.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSupervisor, sqlite, type TroupeEvent } from '#src/index.js';
import { openDatabase } from '#src/journal/driver.js';
import { scripted } from '#src/testing.js';
import { gatedModel } from './gated-model.ts';
import { file, leftBehind, made, on, recoveredBy } from './journal-rig.ts';
import { rejection, within } from './support.ts';

describe('a task that its supervisor left unfinished', () => {
  it('goes on with the next one, under its id, and is not queued again (J2, J8)', async () => {
    const path = file();
    const taskId = await leftBehind(path, { goal: 'sum up', metadata: { row: 7 } });

    const next = on(path);
    const events: TroupeEvent[] = [];
    for (const type of ['task_queued', 'task_recovered', 'task_completed'] as const) {
      next.on(type, (event) => events.push(event));
    }
    const listed = within(recoveredBy(next), 'the list');
    const handle = await within(next.handle(taskId), 'the handle');
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed', text: 'done', taskId });
    expect(outcome.metadata).toEqual({ row: 7 });
    expect(await listed).toEqual([{ taskId, goal: 'sum up', turns: 0, repeated: [], unknown: [] }]);
    expect(events.map(({ type }) => type)).toEqual(['task_recovered', 'task_completed']);
  });

  it('has its settings, schemas and objects by name', async () => {
    const path = file();
    const goal = 'add';
    const outputSchema = z.object({ sum: z.number() });
    const taskId = await leftBehind(path, { goal, agent: { name: 'adder' }, outputSchema });

    const model = scripted({
      agents: { adder: [{ toolCalls: [{ name: 'generate_response', input: { sum: 3 } }] }] },
    });
    const next = on(path, { model, agents: [{ name: 'adder' }] });
    const handle = await within(next.handle(taskId), 'the handle');

    expect(await within(handle.result(), 'the outcome')).toMatchObject({
      status: 'completed',
      structured: { sum: 3 },
    });
  });

  it('fails when only the process before had what it needs', async () => {
    const path = file();
    const gated = gatedModel();
    const first = on(path);
    const warnings: string[] = [];
    first.on('log', ({ message }) => warnings.push(message));
    const own = first.start({ goal: 'own model', model: gated });
    await within(own.accepted(), 'the acceptance');
    await gated.isAsked(1);
    await within(first.close(), 'the close');
    const named = await leftBehind(path, { goal: 'own agent', agent: { name: 'gone' } });

    const next = on(path);
    const ended = async (taskId: string) =>
      within((await next.handle(taskId)).result(), 'the outcome');

    expect(warnings).toEqual([
      expect.stringContaining('a task has a model that only this process'),
    ]);
    expect((await ended(own.id)).error).toMatchObject({ code: 'recovery_failed' });
    expect((await ended(named)).error).toMatchObject({ code: 'unknown_agent' });
  });

  it('fails alone when what the journal has of it is damaged (J6)', async () => {
    const path = file();
    const damaged = await leftBehind(path, { goal: 'damaged' });
    const whole = await leftBehind(path, { goal: 'whole' });
    const database = await openDatabase(path);
    database.prepare("UPDATE tasks SET spec = '{}' WHERE id = ?").run(damaged);
    database.close();

    const next = on(path);
    const ended = async (taskId: string) =>
      within((await next.handle(taskId)).result(), 'the outcome');

    expect((await ended(damaged)).error).toMatchObject({
      code: 'recovery_failed',
      message: expect.stringContaining('what it was asked cannot be read'),
    });
    expect(await ended(whole)).toMatchObject({ status: 'completed' });
  });

  it('gives its number to no other task, and the events go on (J8)', async () => {
    const path = file();
    const first = await leftBehind(path, { goal: 'first' });

    const next = on(path);
    const seqs: number[] = [];
    next.on('task_queued', ({ seq }) => seqs.push(seq));
    const second = next.start({ goal: 'second' });
    await within(second.result(), 'the outcome');

    expect(Number(second.id.slice(1))).toBeGreaterThan(Number(first.slice(1)));
    expect(seqs[0]).toBeGreaterThan(1_000);
  });
});

describe('an idempotency key (J4)', () => {
  it('is one task however often it is given, running or ended', async () => {
    const gated = gatedModel();
    const supervisor = createSupervisor({ model: gated, logDirectory: false });
    made.add(supervisor);
    const task = { goal: 'once', idempotencyKey: 'k' };

    const [first, second] = [supervisor.start(task), supervisor.start(task)];
    await gated.isAsked(1);
    gated.answer('did it');
    const outcomes = await within(supervisor.delegate([task, task]), 'the outcomes');

    expect(second.id).toBe(first.id);
    expect(outcomes.map(({ text, taskId }) => [text, taskId])).toEqual([
      ['did it', first.id],
      ['did it', first.id],
    ]);
    expect(gated.asked).toHaveLength(1);
  });

  it('finds a task of an earlier process, ended or not', async () => {
    const path = file();
    const first = on(path);
    const ended = await within(
      first.delegate({ goal: 'ended', idempotencyKey: 'ended' }),
      'the outcome',
    );
    await within(first.close(), 'the close');
    const left = await leftBehind(path, { goal: 'left', idempotencyKey: 'left' });

    const next = on(path);
    let turns = 0;
    next.on('turn_started', () => {
      turns += 1;
    });
    const [again, continued] = await within(
      next.delegate([
        { goal: 'ended', idempotencyKey: 'ended' },
        { goal: 'left', idempotencyKey: 'left' },
      ]),
      'the outcomes',
    );

    expect(again).toEqual(ended);
    expect(continued).toMatchObject({ taskId: left, status: 'completed' });
    expect(turns).toBe(1);
  });

  it('is what a task waits for, when it goes on only once it is asked for', async () => {
    const path = file();
    const [keyed, other] = [
      await leftBehind(path, { goal: 'keyed', idempotencyKey: 'k' }),
      await leftBehind(path, { goal: 'other' }),
    ];

    const next = on(path, { journal: sqlite(path, { recover: 'when_asked' }) });
    const recovered: unknown[] = [];
    next.on('task_recovered', ({ taskId, idempotencyKey }) => {
      recovered.push([taskId, idempotencyKey]);
    });
    expect(await within(recoveredBy(next), 'the list')).toEqual([]);
    const outcome = await within(next.delegate({ goal: 'keyed', idempotencyKey: 'k' }), 'it');
    expect(outcome).toMatchObject({ taskId: keyed, status: 'completed' });
    expect(recovered).toEqual([[keyed, 'k']]);

    const handle = await within(next.handle(other), 'the handle');
    expect(await within(handle.result(), 'the other')).toMatchObject({ status: 'completed' });
    expect(recovered).toEqual([
      [keyed, 'k'],
      [other, undefined],
    ]);
  });

  it('counts for the budget of a job what an earlier process has paid for it', async () => {
    const path = file();
    const tasks = ['a', 'b', 'c'].map((goal) => ({ goal, idempotencyKey: goal }));
    const first = on(path);
    await within(first.delegate(tasks.slice(0, 1)), 'the first');
    await within(first.close(), 'the close');

    const next = on(path);
    const ends: unknown[] = [];
    const job = next.map(tasks, { concurrency: 1, budget: { maxTurns: 2 } });
    for await (const { index, exitReason } of job) ends.push([index, exitReason]);

    expect(ends).toEqual([
      [0, 'goal'],
      [1, 'goal'],
      [2, 'max_turns'],
    ]);
  });

  it('is one task when a call gives it twice', async () => {
    const supervisor = on(file());
    const task = { goal: 'twice', idempotencyKey: 'k' };

    const outcomes = await within(supervisor.delegate([task, { goal: 'other' }, task]), 'the ends');

    const [first, other, again] = outcomes.map(({ taskId }) => taskId);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('is refused where it is none', async () => {
    const supervisor = on(file());

    expect(() => supervisor.start({ goal: 'a', idempotencyKey: '' })).toThrow(
      expect.objectContaining({ code: 'invalid_task' }),
    );
  });
});

describe('what is kept', () => {
  it('is an outcome until it is acknowledged; one with a key longer', async () => {
    const path = file();
    const first = on(path);
    const handles = [
      first.start({ goal: 'read' }),
      first.start({ goal: 'unread' }),
      first.start({ goal: 'keyed', idempotencyKey: 'k' }),
    ];
    await within(Promise.all(handles.map((each) => each.result())), 'the outcomes');
    await within(Promise.all([0, 2].map((at) => handles[at]?.acknowledge())), 'the writes');
    await within(first.close(), 'the close');

    const next = on(path);
    const found = (at: number) => next.handle(handles[at]?.id ?? '');

    expect(await rejection(found(0))).toMatchObject({ code: 'unknown_task' });
    expect((await found(1)).status()).toBe('completed');
    expect(await (await found(2)).result()).toMatchObject({ text: 'done' });
  });

  it('ends with its retention', async () => {
    const path = file();
    const first = on(path);
    const { taskId } = await within(first.delegate({ goal: 'a', idempotencyKey: 'k' }), 'the end');
    await within(first.close(), 'the close');

    const next = on(path, { journal: sqlite(path, { retention: { outcomesMs: 0 } }) });

    expect(await rejection(next.handle(taskId))).toMatchObject({ code: 'unknown_task' });
  });
});
