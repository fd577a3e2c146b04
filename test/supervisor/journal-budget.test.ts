// Checks budgets on a journal: what earlier processes have taken of them, and what they may have.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Model } from '#src/index.js';
import { file, on } from './journal-rig.ts';
import { gate, within } from './support.ts';

it('a task has left of its budget what its model did not take before (J2)', async () => {
  const path = file();
  const asked: number[] = [];
  const model: Model = {
    id: 'counted',
    respond: async ({ messages }) => {
      asked.push(messages.length);
      const call = { type: 'tool_use', id: 'c1', name: 'wait', input: {} } as const;
      return { content: messages.length < 4 ? [call] : [{ type: 'text', text: 'done' }] };
    },
  };
  const begun = gate();
  const wait = (run: () => Promise<string>) =>
    defineTool({
      name: 'wait',
      description: 'Waits.',
      input: z.object({}),
      idempotent: true,
      run,
    });
  const first = on(path, {
    model,
    tools: [
      wait(() => {
        begun.open();
        return new Promise<string>(() => {});
      }),
    ],
    timeouts: { interruptGraceMs: 10, stopGraceMs: 10 },
  });
  const { id } = first.start({ goal: 'go', budget: { maxTurns: 1 } });
  await within(begun.opened, 'the call of the tool');
  await within(first.close(), 'the close');

  const next = on(path, { model, tools: [wait(async () => 'waited')] });
  const events: unknown[] = [];
  next.on('task_started', (event) => events.push(event));
  next.on('task_recovered', (event) => events.push(event));
  const outcome = await within((await next.handle(id)).result(), 'the outcome');

  expect(outcome).toMatchObject({ exitReason: 'max_turns', turns: 2, toolCalls: 1 });
  expect(outcome.toolTrace).toMatchObject([{ name: 'wait', status: 'completed' }]);
  expect(outcome.usage.own.modelCalls).toBe(1);
  expect(asked).toEqual([1]);
  // It has started before.
  const recovered = { type: 'task_recovered', isStarted: true, turns: 1, repeated: ['wait'] };
  expect(events).toMatchObject([recovered]);
});

it('a model call that was on at the end of its process has taken what was reserved for it (J5)', async () => {
  const path = file();
  const limits: (number | undefined)[] = [];
  let asked = (): void => {};
  const model: Model = {
    id: 'silent',
    respond: ({ maxOutputTokens }, { signal }) => {
      limits.push(maxOutputTokens);
      asked();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      });
    },
  };
  let taskId: string | undefined;
  for (const life of [1, 2, 3]) {
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const supervisor = on(path, { model });
    taskId ??= supervisor.start({ goal: 'go', budget: { maxTokens: 9_000 } }).id;
    await within(isAsked, `the request of process ${life}`);
    await within(supervisor.close(), 'the close');
  }

  const last = on(path, { model });
  const outcome = await within((await last.handle(taskId ?? '')).result(), 'the outcome');

  // Twice the whole answer is reserved, then a part of what is left; then nothing is left.
  expect(limits).toEqual([4_096, 4_096, 512]);
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'budget_tokens' } });
  expect(outcome.usage.own).toMatchObject({ modelCalls: 0, inputTokens: 0, outputTokens: 0 });
});
