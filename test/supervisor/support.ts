// Shared arrangements of the supervisor tests: supervisors that are closed and audited, waits with deadlines. Starts no test.
import { expect } from 'vitest';
import { eventTypes } from '#src/events/event-types.js';
import {
  createSupervisor,
  type EventType,
  type Outcome,
  type Supervisor,
  type SupervisorOptions,
  type TroupeEvent,
} from '#src/index.js';
import { ManualClock, type Script, type ScriptedModel, scripted } from '#src/testing.js';
import { afterEveryTest } from '../support/after-every-test.ts';
import { forgetRegistries, idleRuns, lookSoon } from './watchdog.ts';

/** Tools that tests run in agents' own threads. */
export const toolFixture = (name: string): URL =>
  new URL(`../fixtures/tools/${name}.js`, import.meta.url);

const deadlineMs = 20_000;

/** The value, or an error that says what did not come: every wait of these tests has a deadline. */
export async function within<Value>(
  promise: Promise<Value>,
  what: string,
  ms: number = deadlineMs,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    const giveUp = (): void =>
      reject(new Error([`waited too long for ${what}`, ...idleRuns()].join('; ')));
    timer = setTimeout(giveUp, ms);
  });
  try {
    return await Promise.race([promise, overdue]);
  } finally {
    clearTimeout(timer);
  }
}

/** A few turns of the event loop, for what is only a promise away. */
export async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

type Waiter = {
  readonly matches: (event: TroupeEvent) => boolean;
  readonly resolve: (event: TroupeEvent) => void;
};

/** Everything a supervisor has said so far, and a way to wait for what it will say. */
export class Watch {
  /** What listeners heard: an event is here before the promise it explains settles (O3). */
  readonly events: TroupeEvent[] = [];
  /** What a reader of the stream got, whole once the supervisor is closed. */
  readonly read: Promise<readonly TroupeEvent[]>;
  readonly #waiters = new Set<Waiter>();

  constructor(supervisor: Supervisor) {
    for (const type of allTypes) supervisor.on(type, (event) => this.#onEvent(event));
    this.read = readAll(supervisor.events());
  }

  of<Type extends EventType>(type: Type): readonly TroupeEvent<Type>[] {
    // The tag was compared: a union of types cannot say it of itself.
    return this.events.filter((event) => event.type === type) as TroupeEvent<Type>[];
  }

  /** The first event of a type that satisfies `matches`, past or to come. */
  async next<Type extends EventType>(
    type: Type,
    matches: (event: TroupeEvent<Type>) => boolean = () => true,
  ): Promise<TroupeEvent<Type>> {
    const isIt = (event: TroupeEvent): boolean =>
      event.type === type && matches(event as TroupeEvent<Type>);
    const known = this.events.find(isIt);
    if (known !== undefined) return known as TroupeEvent<Type>;
    const coming = new Promise<TroupeEvent>((resolve) => {
      this.#waiters.add({ matches: isIt, resolve });
    });
    return (await within(coming, `event ${type}`)) as TroupeEvent<Type>;
  }

  /** Whatever is told next. */
  anything(): Promise<TroupeEvent> {
    return new Promise((resolve) => this.#waiters.add({ matches: () => true, resolve }));
  }

  #onEvent(event: TroupeEvent): void {
    this.events.push(event);
    lookSoon();
    for (const waiter of this.#waiters) {
      if (!waiter.matches(event)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(event);
    }
  }
}

// The keys of a record of every type are the types.
const allTypes = Object.keys(eventTypes) as EventType[];

async function readAll(reader: AsyncIterable<TroupeEvent>): Promise<readonly TroupeEvent[]> {
  const events: TroupeEvent[] = [];
  for await (const event of reader) events.push(event);
  return events;
}

type Open = { readonly supervisor: Supervisor; readonly watch: Watch };

const open: Open[] = [];

/** Starts a supervisor with a scripted model; closed after the test, its events and ledger audited. */
export function supervise(
  script: Script,
  options: Partial<SupervisorOptions> = {},
): { supervisor: Supervisor; model: ScriptedModel; watch: Watch } {
  const model = scripted(script);
  // Files and warnings that a test does not look for go nowhere.
  return {
    ...watched(createSupervisor({ model, logDirectory: false, logger: false, ...options })),
    model,
  };
}

/** The same with time that stands still. */
export function superviseInManualTime(script: Script, options: Partial<SupervisorOptions> = {}) {
  const clock = new ManualClock();
  return { ...supervise(script, { ...options, clock }), clock };
}

/** A clock that waits for a few turns of the event loop after each timer, and for nothing that registers with it. */
class UnacknowledgedClock extends ManualClock {
  constructor() {
    super();
    super.settleWith(() => turns());
  }

  override settleWith(): () => void {
    return () => {};
  }
}

/** The same for threads that never answer: time does not wait for them, which takes a real second for each. */
export function superviseUnacknowledged(script: Script, options: Partial<SupervisorOptions> = {}) {
  const clock = new UnacknowledgedClock();
  return { ...supervise(script, { ...options, clock }), clock };
}

/** Has a supervisor closed and audited after the test. */
export function watched(supervisor: Supervisor): { supervisor: Supervisor; watch: Watch } {
  const watch = new Watch(supervisor);
  open.push({ supervisor, watch });
  return { supervisor, watch };
}

afterEveryTest(async () => {
  expect(idleRuns(), 'W3: every run that waits has an open call').toEqual([]);
  for (const { supervisor, watch } of open.splice(0)) {
    await within(supervisor.close(), 'close');
    audit(supervisor, watch.events, await within(watch.read, 'the end of the events'));
  }
  forgetRegistries();
});

/** O1, O2 and L1 over everything a closed supervisor did. */
export function audit(
  supervisor: Supervisor,
  events: readonly TroupeEvent[],
  read: readonly TroupeEvent[],
): void {
  const numbered = events.filter(({ type }) => type !== 'model_delta');
  expect(
    numbered.map(({ seq }) => seq),
    'O1: one sequence without gaps',
  ).toEqual(numbered.map((_, at) => at + 1));
  expect(
    read.filter(({ type }) => type !== 'model_delta'),
    'O1: a reader gets what listeners hear',
  ).toEqual(numbered);
  const count = tally(events);
  for (const taskId of count.ids('task_queued', 'taskId')) {
    expect(count.of('task_queued', taskId), `O2: task_queued of ${taskId}`).toBe(1);
    expect(count.of('task_completed', taskId), `O2: task_completed of ${taskId}`).toBe(1);
    expect(count.of('task_started', taskId), `O2: task_started of ${taskId}`).toBeLessThan(2);
  }
  for (const agentId of count.ids('agent_started', 'agentId')) {
    expect(count.of('agent_started', agentId), `O2: agent_started of ${agentId}`).toBe(1);
  }
  expect(count.ids('agent_stopped', 'agentId').sort(), 'O2: every start has one stop').toEqual(
    count.ids('agent_started', 'agentId').sort(),
  );
  expect(count.total('task_completed'), 'O2: nothing completes that was not queued').toBe(
    count.total('task_queued'),
  );
  expect(idleRuns(), 'W3: every run that waited had an open call').toEqual([]);
  expect(supervisor.tree(), 'nothing is alive').toEqual([]);
  const { offered, accepted, refused, processed, deadLettered, pending } = supervisor.ledger();
  expect(offered, 'L1: offered').toBe(accepted + refused);
  expect(accepted, 'L1: accepted').toBe(processed + deadLettered + pending);
  expect(pending, 'L1: pending').toBe(0);
}

function tally(events: readonly TroupeEvent[]) {
  const idOf = (event: TroupeEvent): string | undefined =>
    event.type.startsWith('task_') ? event.taskId : event.agentId;
  const all = (type: EventType) => events.filter((event) => event.type === type);
  return {
    total: (type: EventType): number => all(type).length,
    of: (type: EventType, id: string): number =>
      all(type).filter((event) => idOf(event) === id).length,
    ids: (type: EventType, key: 'taskId' | 'agentId'): string[] => [
      ...new Set(all(type).flatMap((event) => event[key] ?? [])),
    ],
  };
}

/** An outcome by its three words: exit reason, code of its error, text. */
export function inShort({ exitReason, error, text }: Outcome): readonly unknown[] {
  return [exitReason, error?.code, text];
}

/** What a promise rejected with; fails when it resolved. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
}

/** A promise and its resolver, for tools of tests that wait to be told. */
export function gate<Value = void>(): { opened: Promise<Value>; open: (value: Value) => void } {
  let open: (value: Value) => void = () => {};
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

type Call = string | readonly [name: string, input: unknown];

/** A script of one turn that says `calling` and calls these tools, and one that says `done`. */
export function calls(...wanted: readonly Call[]): Script {
  const toolCalls = wanted.map((each) =>
    typeof each === 'string' ? { name: each, input: {} } : { name: each[0], input: each[1] },
  );
  return { default: [{ text: 'calling', toolCalls }, { text: 'done' }] };
}

/** What the model was told of its calls in its last request: content and whether it is an error, in order. */
export function answered(model: ScriptedModel): readonly (readonly [string, boolean])[] {
  const content = model.requests().at(-1)?.messages.at(-1)?.content ?? [];
  return content.flatMap((block) =>
    block.type === 'tool_result' ? [[String(block.content), block.is_error === true] as const] : [],
  );
}
