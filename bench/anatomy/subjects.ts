// Owns the things whose cost is counted: how each is made ready and done, so many times. Counts nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { z } from 'zod';
import type { Model, Supervisor, SupervisorOptions } from '#src/index.js';
import { instantModel } from '../instant-model.ts';
import type { Checkout } from './checkout.ts';

/** How something is done: `count` times one after another, or once after each `prepare`. */
export type Work = {
  readonly prepare?: () => Promise<void>;
  readonly perform: (count: number) => Promise<void>;
};

/** One thing, ready to be done. */
export type Subject = AsyncDisposable & {
  readonly work: Work;
  /** What its work does besides, and how often the thing is in the rest: one turn is what ten more turns cost. */
  readonly besides?: { readonly work: Work; readonly share: number };
};

type Open = (checkout: Checkout) => Promise<Subject>;

const timeoutMs = 30_000;
const shortTurns = 2;
const longTurns = 12;

/** All things by their names. */
export const subjects = {
  'warm task': async (checkout) => tasksOf(checkout, { model: instantModel() }),
  'turn with a thread tool': turn,
  'interrupt of a waiting run': interruptOfWaiting,
  'inline ask': inlineAsk,
  'warm task with a host tool': hostTool,
  'warm task by the gateway': async (checkout) => tasksOf(checkout, { model: 'offline' }),
} as const satisfies Record<string, Open>;

export type SubjectName = keyof typeof subjects;

export const subjectNames = Object.keys(subjects) as readonly SubjectName[];

async function tasksOf(
  checkout: Checkout,
  options: Pick<SupervisorOptions, 'model' | 'tools'>,
  turns = 1,
): Promise<Subject> {
  const supervisor = superviseOne(checkout, options);
  return {
    work: delegations(supervisor, 'worker', turns),
    [Symbol.asyncDispose]: () => supervisor.close(),
  };
}

async function hostTool(checkout: Checkout): Promise<Subject> {
  const add = checkout.library.defineTool({
    name: 'add',
    description: 'Adds two numbers.',
    input: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }) => String(a + b),
  });
  return tasksOf(checkout, { model: instantModel({ toolTurns: 1 }), tools: [add] }, 2);
}

/** Every turn but the last calls the tool. */
async function turn(checkout: Checkout): Promise<Subject> {
  const toolTurns = { short: shortTurns - 1, long: longTurns - 1 };
  const model = instantModel({ toolTurns });
  const supervisor = superviseOne(checkout, { model, tools: [checkout.tools] });
  return {
    work: delegations(supervisor, 'long', longTurns),
    besides: {
      work: delegations(supervisor, 'short', shortTurns),
      share: longTurns - shortTurns,
    },
    [Symbol.asyncDispose]: () => supervisor.close(),
  };
}

async function interruptOfWaiting(checkout: Checkout): Promise<Subject> {
  const asked = new EventTarget();
  const model: Model = {
    id: 'silent',
    async respond(_request, { signal }) {
      asked.dispatchEvent(new Event('asked'));
      if (!signal.aborted) await once(signal, 'abort');
      throw signal.reason;
    },
  };
  const supervisor = superviseOne(checkout, { model });
  let waiting = null as ReturnType<Supervisor['start']> | null;
  return {
    work: {
      async prepare() {
        const isAsked = once(asked, 'asked');
        waiting = supervisor.start({ goal: 'wait', agent: 'worker' });
        await isAsked;
      },
      async perform() {
        if (waiting === null) return;
        const receipts = await supervisor.interrupt(waiting.id);
        assert.deepEqual(
          receipts.map(({ stage }) => stage),
          ['interrupted'],
        );
        assert.equal((await waiting.result()).status, 'interrupted');
      },
    },
    [Symbol.asyncDispose]: () => supervisor.close(),
  };
}

async function inlineAsk({ actors }: Checkout): Promise<Subject> {
  const system = actors.createActorSystem();
  const echo = system.spawnInline<number>(
    actors.behavior<null, number>({
      start: () => null,
      receive(state, message, self) {
        self.reply(message);
        return actors.next(state);
      },
    }),
  );
  return {
    work: {
      async perform(count) {
        for (let asked = 0; asked < count; asked += 1)
          assert.equal(await echo.ask(asked, { timeoutMs }), asked);
      },
    },
    [Symbol.asyncDispose]: () => system[Symbol.asyncDispose](),
  };
}

/** One agent at a time on one thread, which stays. */
function superviseOne(
  { library }: Checkout,
  options: Pick<SupervisorOptions, 'model' | 'tools'>,
): Supervisor {
  return library.createSupervisor({
    agents: [{ name: 'worker' }, { name: 'short' }, { name: 'long' }],
    limits: { maxLiveAgents: 1 },
    threads: { prewarm: 1 },
    ...options,
  });
}

function delegations(supervisor: Supervisor, agent: string, turns: number): Work {
  return {
    async perform(count) {
      for (let done = 0; done < count; done += 1) {
        const outcome = await supervisor.delegate({ goal: 'count', agent });
        assert.equal(outcome.status, 'completed', outcome.error?.message);
        assert.equal(outcome.turns, turns, 'turns');
      }
    },
  };
}
