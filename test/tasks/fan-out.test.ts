// Checks `map` without a supervisor: what is pulled when, in which order outcomes come, how every loop ends.
import { describe, expect, it } from 'vitest';
import { noUsage, type Outcome } from '#src/base/outcome.js';
import { fanOut, type MapOptions, type StartedTask } from '#src/tasks/fan-out.js';
import type { Task } from '#src/tasks/task.js';

function outcomeOf(goal: string, exitReason: 'goal' | 'interrupted' = 'goal'): Outcome {
  return {
    status: exitReason === 'goal' ? 'completed' : 'interrupted',
    exitReason,
    text: goal,
    lastText: goal,
    usage: { own: noUsage, subtree: noUsage },
    turns: 1,
    toolCalls: 0,
    filesTouched: [],
    durationMs: 0,
    model: 'scripted',
    metadata: {},
    agent: { id: goal, name: 'agent', path: `/${goal}`, depth: 0, parentId: null },
    taskId: goal,
    index: 0,
  };
}

/** Stands for the supervisor: tasks run until they are finished or interrupted. */
class TaskScheduler {
  readonly started: string[] = [];
  readonly interrupted: string[] = [];
  readonly #running = new Map<string, (outcome: Outcome) => void>();

  start(task: Task): StartedTask {
    const { goal } = task;
    if (goal === '') throw new Error('a blank goal');
    this.started.push(goal);
    const result = new Promise<Outcome>((resolve) => this.#running.set(goal, resolve));
    return {
      result: () => result,
      interrupt: async () => {
        this.interrupted.push(goal);
        this.#end(goal, 'interrupted');
        return [];
      },
    };
  }

  get running(): readonly string[] {
    return [...this.#running.keys()];
  }

  finish(...goals: readonly string[]): void {
    for (const goal of goals) this.#end(goal, 'goal');
  }

  #end(goal: string, how: 'goal' | 'interrupted'): void {
    this.#running.get(goal)?.(outcomeOf(goal, how));
    this.#running.delete(goal);
  }
}

/** A source that counts what is taken from it. */
class Source implements AsyncIterableIterator<Task> {
  readonly #goals: readonly string[];
  pulled = 0;
  returns = 0;

  constructor(...goals: readonly string[]) {
    this.#goals = goals;
  }

  async next(): Promise<IteratorResult<Task>> {
    const goal = this.#goals[this.pulled];
    if (goal === undefined) return { done: true, value: undefined };
    this.pulled += 1;
    if (goal === '!') throw new Error('the source broke');
    return { done: false, value: { goal } };
  }

  async return(): Promise<IteratorResult<Task>> {
    this.returns += 1;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

function arrange(source: AsyncIterable<Task> | Iterable<Task>, options: MapOptions = {}) {
  const scheduler = new TaskScheduler();
  const openJob = () => ({ account: undefined, close: () => {} });
  const start = (task: Task) => scheduler.start(task);
  return { scheduler, outcomes: fanOut(source, options, { openJob, start }) };
}

/** Lets promises run until they have nothing more to do. */
async function untilIdle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((next) => setImmediate(next));
}

async function texts(outcomes: AsyncIterable<Outcome>): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const { text } of outcomes) seen.push(text);
  return seen;
}

describe('map', () => {
  it('starts nothing before it is read', async () => {
    const source = new Source(...letters);
    const { scheduler } = arrange(source);
    await untilIdle();

    expect([source.pulled, scheduler.started]).toEqual([0, []]);
  });

  it('runs no more than its concurrency and pulls at most twice as many ahead', async () => {
    const source = new Source(...letters);
    const { scheduler, outcomes } = arrange(source, { concurrency: 2 });
    const first = outcomes.next();
    await untilIdle();
    expect(scheduler.running).toEqual(['a', 'b']);

    // The first is not finished: others fill the room there is, and then nothing is pulled.
    scheduler.finish('b');
    await untilIdle();
    scheduler.finish('c');
    await untilIdle();
    scheduler.finish('d');
    await untilIdle();

    expect([source.pulled, scheduler.running]).toEqual([4, ['a']]);
    scheduler.finish('a');
    expect((await first).value).toMatchObject({ text: 'a' });
    await outcomes.return();
  });

  it('goes on while its reader is busy, up to twice its concurrency', async () => {
    const source = new Source(...letters);
    const { scheduler, outcomes } = arrange(source, { concurrency: 2 });
    const first = outcomes.next();
    await untilIdle();
    scheduler.finish('a');
    await first;

    scheduler.finish('b');
    await untilIdle();
    expect(scheduler.running).toEqual(['c', 'd']);
    scheduler.finish('c', 'd');
    await untilIdle();
    expect(scheduler.running).toEqual(['e']);
    scheduler.finish('e');
    await untilIdle();

    // One is yielded, four wait for the reader.
    expect([source.pulled, scheduler.running]).toEqual([5, []]);
    await outcomes.return();
  });

  it.each([
    [true, ['a', 'b', 'c']],
    [false, ['c', 'a', 'b']],
  ])('with ordered: %s yields %s', async (ordered, expected) => {
    const source = new Source('a', 'b', 'c');
    const { scheduler, outcomes } = arrange(source, { ordered });
    const all = texts(outcomes);
    await untilIdle();
    for (const goal of ['c', 'a', 'b']) {
      scheduler.finish(goal);
      await untilIdle();
    }

    expect([await all, source.returns]).toEqual([expected, 0]);
  });

  it('takes plain iterables, and an empty one', async () => {
    const { scheduler, outcomes } = arrange([{ goal: 'a' }]);
    const all = texts(outcomes);
    await untilIdle();
    scheduler.finish('a');

    expect(await all).toEqual(['a']);
    expect(await texts(arrange([]).outcomes)).toEqual([]);
  });
});

describe('leaving the loop', () => {
  it('interrupts what runs, calls the source’s return once, and pulls nothing more (S5)', async () => {
    const source = new Source(...letters);
    const { scheduler, outcomes } = arrange(source, { concurrency: 3 });
    const first = outcomes.next();
    await untilIdle();
    scheduler.finish('a');
    await first;
    await untilIdle();
    const { pulled } = source;

    await outcomes.return();
    await untilIdle();

    expect(scheduler.running).toEqual([]);
    expect(scheduler.interrupted).toEqual(scheduler.started.slice(1));
    expect([source.returns, source.pulled]).toEqual([1, pulled]);
  });

  it('starts nothing that the source still gives afterwards (S8)', async () => {
    let give: (task: Task) => void = () => {};
    async function* slow(): AsyncGenerator<Task> {
      yield { goal: 'a' };
      yield await new Promise<Task>((resolve) => {
        give = resolve;
      });
    }
    const { scheduler, outcomes } = arrange(slow());
    const first = outcomes.next();
    await untilIdle();
    scheduler.finish('a');
    await first;
    await untilIdle();

    await outcomes.return();
    give({ goal: 'late' });
    await untilIdle();

    expect(scheduler.started).toEqual(['a']);
  });

  it('by its signal yields what was interrupted and ends, also while the source is silent (S5)', async () => {
    const controller = new AbortController();
    async function* silent(): AsyncGenerator<Task> {
      yield { goal: 'a' };
      await new Promise(() => {});
    }
    const { scheduler, outcomes } = arrange(silent(), { signal: controller.signal });
    const all = texts(outcomes);
    await untilIdle();

    controller.abort();

    expect(await all).toEqual(['a']);
    expect(scheduler.interrupted).toEqual(['a']);
  });

  it('starts nothing under a signal that is aborted already', async () => {
    const source = new Source(...letters);
    const { scheduler, outcomes } = arrange(source, { signal: AbortSignal.abort() });

    expect(await texts(outcomes)).toEqual([]);
    expect([scheduler.started, source.returns]).toEqual([[], 1]);
  });
});

describe('a source', () => {
  it('that throws ends the loop with its error, after the outcomes of what it had given', async () => {
    const source = new Source('a', 'b', '!');
    const { scheduler, outcomes } = arrange(source);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { text } of outcomes) seen.push(text);
    })();
    await untilIdle();
    scheduler.finish('b', 'a');

    await expect(reading).rejects.toThrow('the source broke');
    expect([seen, source.returns]).toEqual([['a', 'b'], 0]);
  });

  it('that gives a wrong task ends the loop with that error and is told to return', async () => {
    const source = new Source('a', '', 'never');
    const { scheduler, outcomes } = arrange(source);
    const all = texts(outcomes);
    await untilIdle();
    scheduler.finish('a');

    await expect(all).rejects.toThrow('a blank goal');
    expect([source.returns, source.pulled]).toEqual([1, 2]);
  });

  it.each([0, -1, 1.5, Number.NaN, '8'])('is not touched with concurrency %o', async (value) => {
    const source = new Source('a');
    // A value from outside of the types.
    const { outcomes } = arrange(source, { concurrency: value as number });

    await expect(outcomes.next()).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining(String(value)),
    });
    expect(source.pulled).toBe(0);
  });
});
