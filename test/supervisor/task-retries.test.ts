// Checks tasks that are run again from the start: which failures, how often, and that each has one outcome with all it took.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSupervisor, defineTool, type Model, type SupervisorOptions } from '#src/index.js';
import { ManualClock, scripted } from '#src/testing.js';
import { folderWith } from '../support/command.ts';
import { inShort, rejection, supervise, toolFixture, turns, watched, within } from './support.ts';

const usage = { inputTokens: 10, outputTokens: 1 };

/** A model that plays these runs, one after the other: an error, or the text of its answer. */
function playing(...runs: readonly unknown[]): Model & { calls: number } {
  return {
    id: 'own',
    price: { inputPerMTok: 1, outputPerMTok: 1 },
    retry: false,
    calls: 0,
    async respond() {
      const next = runs[this.calls];
      this.calls += 1;
      if (typeof next !== 'string') throw next;
      return { content: next === '' ? [] : [{ type: 'text', text: next }], usage };
    },
  };
}

const overloaded = () => Object.assign(new Error('overloaded'), { status: 529, retryable: true });

function arrange(model: Model, options: Partial<SupervisorOptions> = {}) {
  const clock = new ManualClock();
  const base = { model, clock, logDirectory: false, logger: false } as const;
  return { clock, ...watched(createSupervisor({ ...base, ...options })) };
}

describe('a task that may be run again', () => {
  it('is run from the start until it completes, and has one outcome with what all its runs took', async () => {
    const model = playing('', overloaded(), 'done');
    const { clock, supervisor, watch } = arrange(model);

    const handle = supervisor.start({ goal: 'a', name: 'worker', retry: { attempts: 4 } });
    await watch.next('task_retried');
    expect(handle.status()).toBe('queued');
    await clock.advance(999);
    expect(model.calls).toBe(1);
    await clock.advance(1);
    await watch.next('task_retried', ({ attempt }) => attempt === 3);
    await clock.advance(2_000);

    const outcome = await within(handle.result(), 'the outcome');
    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(outcome).toMatchObject({ attempts: 3, turns: 1, agent: { path: '/worker' } });
    expect(outcome.usage.own).toMatchObject({ inputTokens: 20, modelCalls: 2 });
    expect(outcome.usage.subtree).toEqual(outcome.usage.own);
    expect(supervisor.totals().usage).toEqual(outcome.usage.subtree);
    expect(watch.of('task_retried')).toMatchObject([
      {
        taskId: outcome.taskId,
        attempt: 2,
        delayMs: 1_000,
        failure: { code: 'model_empty_answer' },
      },
      { taskId: outcome.taskId, attempt: 3, delayMs: 2_000, failure: { code: 'model_failed' } },
    ]);
    expect(watch.of('task_completed')).toHaveLength(1);
    expect(watch.of('agent_started')).toHaveLength(3);
  });

  it('ends as its last run did when the attempts are used up', async () => {
    const model = playing(overloaded(), overloaded(), 'too late');
    const { clock, supervisor, watch } = arrange(model);

    const handle = supervisor.start({ goal: 'a', retry: { attempts: 2 } });
    await watch.next('task_retried');
    await clock.advance(1_000);

    const outcome = await within(handle.result(), 'the outcome');
    expect(outcome).toMatchObject({
      status: 'failed',
      attempts: 2,
      error: { code: 'model_failed' },
    });
    expect(model.calls).toBe(2);
  });

  it('is not run again for a mistake of its request, a refusal, its turns or its budget', async () => {
    const refused = Object.assign(new Error('no'), { code: 'model_bad_request' });
    const { supervisor, watch } = arrange(playing(refused), {
      tools: [
        defineTool({ name: 'step', description: 'd', input: z.object({}), run: () => 'stepped' }),
      ],
      budget: { maxTokens: 1_000 },
    });
    const steps = [{ toolCalls: [{ name: 'step', input: {} }], repeat: true as const }];
    const refusing = scripted({ default: [{ text: 'no', stopReason: 'refusal' }] });
    const retry = { attempts: 3 };

    const outcomes = await within(
      supervisor.delegate([
        { goal: 'a', retry },
        { goal: 'b', retry, model: refusing },
        { goal: 'c', retry, model: scripted({ default: steps }), maxTurns: 2 },
        { goal: 'd'.repeat(8_000), retry, model: scripted({ default: steps }) },
      ]),
      'the outcomes',
    );

    expect(outcomes.map(({ exitReason }) => exitReason)).toEqual([
      'error',
      'refused',
      'max_turns',
      'budget',
    ]);
    expect(outcomes.map((outcome) => 'attempts' in outcome)).toEqual(Array(4).fill(false));
    expect(watch.of('task_retried')).toEqual([]);
  });

  it('whose thread is lost is run again on another one', async () => {
    const { supervisor, watch } = supervise(
      { default: [{ toolCalls: [{ name: 'exit', input: {} }] }, { text: 'done' }] },
      { tools: [toolFixture('stubborn')] },
    );

    const outcome = await within(
      supervisor.delegate({ goal: 'a', retry: { attempts: 2 } }),
      'the outcome',
    );

    expect(outcome).toMatchObject({ status: 'failed', exitReason: 'crashed', attempts: 2 });
    expect(watch.of('task_retried')).toHaveLength(1);
  });

  it('is run again after a timeout only where that is asked for', async () => {
    const hanging = scripted({ default: [{ hang: true }] });
    const { clock, supervisor, watch } = arrange(hanging, { timeouts: { idleTimeoutMs: 5_000 } });

    const handles = [undefined, true].map((timeouts) =>
      supervisor.start({
        goal: 'a',
        retry: { attempts: 2, ...(timeouts === undefined ? {} : { timeouts }) },
      }),
    );
    await watch.next('turn_started');
    for (let second = 0; second < 20; second += 1) await clock.advance(1_000);

    const outcomes = await within(Promise.all(handles.map((each) => each.result())), 'outcomes');
    expect(outcomes.map(({ status }) => status)).toEqual(['timeout', 'timeout']);
    expect(outcomes.map(({ attempts }) => attempts)).toEqual([undefined, 2]);
  });

  it('that waits for its next run is ended at once by an interrupt, with what it took', async () => {
    const { supervisor, watch } = arrange(playing(''));
    const handle = supervisor.start({ goal: 'a', retry: { attempts: 2 } });
    await watch.next('task_retried');

    await within(handle.interrupt(), 'the receipts');

    const outcome = await within(handle.result(), 'the outcome');
    expect(outcome).toMatchObject({ status: 'interrupted', attempts: 1 });
    expect(outcome.usage.own).toMatchObject({ inputTokens: 10, modelCalls: 1 });
  });

  it('is given up with the supervisor', async () => {
    const { supervisor, watch } = arrange(playing(''));
    const handle = supervisor.start({ goal: 'a', retry: { attempts: 2 } });
    await watch.next('task_retried');

    await within(supervisor.close(), 'close');

    expect(await within(handle.result(), 'the outcome')).toMatchObject({ status: 'interrupted' });
  });

  it('has a transcript for each run', async () => {
    const directory = folderWith();
    const { clock, supervisor, watch } = arrange(playing('', 'done'), {
      transcripts: { directory },
    });
    const handle = supervisor.start({ goal: 'a', retry: { attempts: 2 } });
    await watch.next('task_retried');
    await turns(50);
    await clock.advance(1_000);
    const { taskId } = await within(handle.result(), 'the outcome');
    await within(supervisor.close(), 'close');

    expect(readdirSync(directory).sort()).toEqual([`${taskId}-2.jsonl`, `${taskId}.jsonl`]);
    expect(readFileSync(`${directory}/${taskId}-2.jsonl`, 'utf8')).toContain('done');
  });
});

it('map hands its retry to tasks that have none, and hands out one outcome each', async () => {
  const model = playing(overloaded(), 'a', overloaded());
  const clock = new ManualClock();
  const { supervisor, watch } = arrange(model, { clock });
  const tasks = [{ goal: 'one' }, { goal: 'two', retry: { attempts: 1 } }];

  const outcomes: unknown[] = [];
  const reading = (async () => {
    for await (const { status, attempts, index } of supervisor.map(tasks, {
      concurrency: 1,
      retry: { attempts: 2 },
    })) {
      outcomes.push({ status, attempts, index });
    }
  })();
  await watch.next('task_retried');
  await clock.advance(1_000);
  await within(reading, 'the end');

  expect(outcomes).toEqual([
    { status: 'completed', attempts: 2, index: 0 },
    { status: 'failed', attempts: undefined, index: 1 },
  ]);
});

it.each([
  [{ attempts: 0 }, 'retry.attempts'],
  [{}, 'retry.attempts'],
  [{ attempts: 2, after: 1 }, 'retry'],
])('a task with retry %j is refused', async (retry, field) => {
  const { supervisor } = supervise({ default: [{ text: 'done' }] });

  const error = await rejection(supervisor.delegate({ goal: 'a', retry: retry as never }));

  expect(error).toMatchObject({ code: 'invalid_task', message: expect.stringContaining(field) });
});
