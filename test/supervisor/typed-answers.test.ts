// Checks what the types promise: an answer has the type of its schema, and a wrong task is told by what it lacks.
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, type Outcome, type Supervisor, type Task } from '#src/index.js';

const verdict = z.object({ score: z.number(), note: z.string().optional() });
const other = z.object({ city: z.string() });
type Verdict = { score: number; note?: string | undefined };

/** Judged by the compiler alone: nothing of it runs. */
async function typed(supervisor: Supervisor): Promise<void> {
  const task = { goal: 'a', outputSchema: verdict };

  const one = await supervisor.delegate({ goal: 'a', outputSchema: verdict });
  expectTypeOf(one.structured).toEqualTypeOf<Verdict | undefined>();
  expectTypeOf((await supervisor.delegate(task)).structured).toEqualTypeOf<Verdict | undefined>();

  const [first] = await supervisor.delegate([task, task]);
  expectTypeOf(first?.structured).toEqualTypeOf<Verdict | undefined>();
  const mixed = await supervisor.delegate([
    task,
    { goal: 'b', outputSchema: other },
    { goal: 'c' },
  ]);
  expectTypeOf(mixed).toExtend<readonly Outcome[]>();

  const handle = supervisor.start(task, { signal: new AbortController().signal });
  expectTypeOf((await handle.result()).structured).toEqualTypeOf<Verdict | undefined>();

  for await (const { structured } of supervisor.map([task])) {
    expectTypeOf(structured).toEqualTypeOf<Verdict | undefined>();
  }

  const agent = await supervisor.spawn(defineAgent({ name: 'judge', outputSchema: verdict }));
  const answer = await agent.ask('Well?', { timeoutMs: 1_000 });
  expectTypeOf(answer.structured).toEqualTypeOf<Verdict | undefined>();

  const inSession = await supervisor.session('chat').run(task);
  expectTypeOf(inSession.structured).toEqualTypeOf<Verdict | undefined>();

  const bare = await supervisor.delegate({ goal: 'a' });
  expectTypeOf(bare.structured).toEqualTypeOf<unknown>();
  const tasks: readonly Task[] = [task];
  expectTypeOf(await supervisor.delegate(tasks)).toEqualTypeOf<readonly Outcome[]>();

  // @ts-expect-error: a task has a goal
  await supervisor.delegate({ name: 'a' });
  // @ts-expect-error: no such field
  await supervisor.delegate({ goal: 'a', toolset: ['file'] });
  // @ts-expect-error: a number
  await supervisor.delegate({ goal: 'a', maxTurns: '5' });
}

test('infers the answer of a task from its schema (D19)', () => {
  expectTypeOf(typed).toBeFunction();
});
