// Checks persistent agents on a journal, from one supervisor to the next: their memory, what they were asked, what ended.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AgentDefinition,
  createSupervisor,
  defineTool,
  type Model,
  type Supervisor,
} from '#src/index.js';
import { openDatabase } from '#src/journal/driver.js';
import { gatedModel } from './gated-model.ts';
import { file, on, recoveredBy } from './journal-rig.ts';
import { rejection, within } from './support.ts';

const agents: readonly AgentDefinition[] = [{ name: 'clerk' }];
const timeoutMs = 60_000;

/** Says how many messages it was asked with; `work` is done with a tool. */
const counting: Model = {
  id: 'counting',
  respond: async ({ messages }) => {
    const [asked] = messages.at(-1)?.content ?? [];
    const isWork = asked?.type === 'text' && asked.text === 'work';
    const call = { type: 'tool_use', id: 'c1', name: 'wait', input: {} } as const;
    return { content: [isWork ? call : { type: 'text', text: String(messages.length) }] };
  },
};

const textsOf = (agent: Awaited<ReturnType<Supervisor['agent']>>): readonly string[] =>
  agent
    .history()
    .flatMap(({ content }) => content.flatMap((b) => (b.type === 'text' ? b.text : [])));

describe('a persistent agent', () => {
  it('is there with the next supervisor, with its memory and what it used, and goes on (J5)', async () => {
    const path = file();
    const first = on(path, { agents, model: counting });
    const before = await first.spawn('clerk', { name: 'ann' });
    await within(before.ask('first', { timeoutMs }), 'an answer');
    await within(before.ask('second', { timeoutMs }), 'an answer');
    const { usage } = before;
    await within(first.close(), 'the close');

    const next = on(path, { agents, model: counting });
    const agent = await within(next.agent('ann'), 'the agent');

    expect(agent).toMatchObject({ name: 'ann', path: '/ann', status: 'passivated', usage });
    expect(textsOf(agent)).toEqual(['first', '1', 'second', '3']);
    const outcome = await within(agent.ask('third', { timeoutMs }), 'an answer');
    expect(outcome.text).toBe('5');
    expect(textsOf(agent)).toEqual(['first', '1', 'second', '3', 'third', '5']);
    await within(next.close(), 'the close');

    const last = on(path, { agents });
    expect(textsOf(await within(last.agent('ann'), 'the agent'))).toHaveLength(6);
  });

  it('has the run that was on, and those that waited, and is asked for them by their keys (J2, J4, J5)', async () => {
    const path = file();
    const gated = gatedModel();
    const first = on(path, { agents, model: gated });
    const before = await first.spawn('clerk', { name: 'ann' });
    for (const key of ['a', 'b']) before.tell(`question ${key}`, { idempotencyKey: key });
    await gated.isAsked(1);
    await within(first.close(), 'the close');

    const model = gatedModel();
    const next = on(path, { agents, model });
    const listed = within(recoveredBy(next), 'the list');
    const agent = await within(next.spawn('clerk', { name: 'ann' }), 'the agent');
    const one = agent.ask('question a', { timeoutMs, idempotencyKey: 'a' });
    const second = agent.ask('question b', { timeoutMs, idempotencyKey: 'b' });
    await model.isAsked(1);
    model.answer('A');
    await model.isAsked(2);
    model.answer('B');

    expect((await listed).map(({ goal }) => goal)).toEqual(['question a', 'question b']);
    expect((await within(one, 'an answer')).text).toBe('A');
    expect((await within(second, 'an answer')).text).toBe('B');
    expect(textsOf(agent)).toEqual(['question a', 'A', 'question b', 'B']);
    // Ended ones are found as well, here and later.
    const again = await within(agent.ask('x', { timeoutMs, idempotencyKey: 'a' }), 'an answer');
    expect(again.text).toBe('A');
    await within(next.close(), 'the close');
    const last = on(path, { agents });
    const kept = await within(last.agent('ann'), 'the agent');
    const found = await within(kept.ask('x', { timeoutMs, idempotencyKey: 'b' }), 'an answer');
    expect(found.text).toBe('B');
    expect(textsOf(kept)).toHaveLength(4);
  });

  it('goes on in the middle of a run, from what that had committed, on what it remembered (J2, J5)', async () => {
    const path = file();
    let isFirst = true;
    let called = (): void => {};
    const isCalled = new Promise<void>((resolve) => {
      called = resolve;
    });
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      input: z.object({}),
      idempotent: true,
      run: async () => {
        if (!isFirst) return 'waited';
        called();
        return new Promise<string>(() => {});
      },
    });
    const rest = {
      agents,
      tools: [wait],
      timeouts: { interruptGraceMs: 10, stopGraceMs: 10 },
    };
    const first = on(path, { ...rest, model: counting });
    const before = await first.spawn('clerk', { name: 'ann' });
    await within(before.ask('hi', { timeoutMs }), 'an answer');
    before.tell('work');
    await within(isCalled, 'the call');
    await within(first.close(), 'the close');

    isFirst = false;
    const asked = gatedModel();
    const next = on(path, { ...rest, model: asked });
    const listed = within(recoveredBy(next), 'the list');
    await asked.isAsked(1);
    asked.answer('did it');
    const [recovered] = await listed;
    const { taskId = '' } = recovered ?? {};
    const outcome = await within((await next.handle(taskId)).result(), 'the outcome');

    expect(recovered).toMatchObject({ goal: 'work', turns: 1, repeated: ['wait'] });
    expect(outcome).toMatchObject({ text: 'did it', turns: 2, toolCalls: 1 });
    expect(asked.asked.map((messages) => messages.length)).toEqual([5]);
    const agent = await within(next.agent('ann'), 'the agent');
    expect(textsOf(agent)).toEqual(['hi', '1', 'work', 'did it']);
  });

  it('is in use once: a second one of its name is refused as ever', async () => {
    const path = file();
    const first = on(path, { agents });
    await first.spawn('clerk');
    await within(first.close(), 'the close');

    const next = on(path, { agents });
    const [one, other] = await Promise.allSettled([next.spawn('clerk'), next.spawn('clerk')]);

    expect(one).toMatchObject({ status: 'fulfilled' });
    expect(other).toMatchObject({ status: 'rejected', reason: { code: 'name_taken' } });
    expect((await next.agent('clerk')).id).toBe(
      one.status === 'fulfilled' ? one.value.id : undefined,
    );
  });

  it('is gone once it was stopped, and with a new one of its name its memory is new', async () => {
    const path = file();
    const first = on(path, { agents });
    const before = await first.spawn('clerk');
    await within(before.ask('hi', { timeoutMs }), 'an answer');
    await within(before.stop(), 'the stop');
    const other = await within(first.spawn('clerk'), 'the other');
    expect(textsOf(other)).toEqual([]);
    await within(other.stop(), 'the stop');
    await within(first.close(), 'the close');

    const next = on(path, { agents });

    expect(await rejection(next.agent('clerk'))).toMatchObject({ code: 'unknown_agent' });
    expect(textsOf(await within(next.spawn('clerk'), 'the agent'))).toEqual([]);
  });

  it('waits for its program when only that has its definition', async () => {
    const path = file();
    const own: AgentDefinition = { name: 'own' };
    const gated = gatedModel();
    const first = on(path, { model: gated });
    const before = await first.spawn(own, { name: 'ann' });
    before.tell('go', { idempotencyKey: 'k' });
    await gated.isAsked(1);
    await within(first.close(), 'the close');

    const next = on(path);
    const warnings: string[] = [];
    next.on('log', ({ message }) => warnings.push(message));
    expect(await within(recoveredBy(next), 'the list')).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('what agent ann was asked')]);
    expect(await rejection(next.agent('ann'))).toMatchObject({ code: 'unknown_agent' });

    const agent = await within(next.spawn(own, { name: 'ann' }), 'the agent');
    const outcome = await within(agent.ask('go', { timeoutMs, idempotencyKey: 'k' }), 'an answer');

    expect(outcome.text).toBe('done');
    expect(textsOf(agent)).toEqual(['go', 'done']);
  });

  it('is refused alone when its memory is damaged, and what it was asked fails', async () => {
    const path = file();
    const gated = gatedModel();
    const first = on(path, { agents, model: gated });
    const before = await first.spawn('clerk', { name: 'ann' });
    const answer = before.ask('hi', { timeoutMs });
    await gated.isAsked(1);
    gated.answer('ho');
    await within(answer, 'an answer');
    before.tell('more');
    await gated.isAsked(2);
    await within(first.close(), 'the close');
    const other = await openDatabase(path);
    other.exec(`UPDATE memories SET message = '{}' WHERE seq = 2`);
    other.close();

    const next = on(path, { agents });
    const ends: unknown[] = [];
    next.on('task_completed', ({ outcome }) => ends.push(outcome.error?.code));
    await within(recoveredBy(next), 'the list');
    const refused = await rejection(next.agent('ann'));
    await within(next.drain(), 'the end');

    expect(refused).toMatchObject({ code: 'recovery_failed' });
    expect(refused).toMatchObject({
      message: 'agent ann cannot go on: message 2 of its memory cannot be read',
    });
    expect(ends).toEqual(['recovery_failed']);
    expect((await next.delegate({ goal: 'other' })).status).toBe('completed');
  });

  it('has a key of its own runs alone while they are unfinished (J4)', async () => {
    const path = file();
    const gated = gatedModel();
    const first = on(path, { agents, model: gated });
    const before = await first.spawn('clerk', { name: 'ann' });
    before.tell('go', { idempotencyKey: 'k' });
    await gated.isAsked(1);
    await within(first.close(), 'the close');

    const next = on(path, { agents, model: gatedModel() });

    expect(() => next.start({ goal: 'go', idempotencyKey: 'k' })).toThrow(
      'the key "k" was given with another task',
    );
  });
});

it('the living one of its name is found without a journal too', async () => {
  await using supervisor = createSupervisor({
    model: counting,
    agents,
    logger: false,
    logDirectory: false,
  });
  const agent = await supervisor.spawn('clerk', { lazy: true });

  expect((await supervisor.agent('clerk')).id).toBe(agent.id);
  for (const name of ['none', 7 as unknown as string]) {
    expect(await rejection(supervisor.agent(name))).toMatchObject({ code: 'unknown_agent' });
  }
});
