// T13: what a hundred thousand tasks leave behind, in the host and in its threads. Asserted at every size, not only shown.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  createSupervisor,
  defineTool,
  type Supervisor,
  type SupervisorOptions,
  sqlite,
} from '#src/index.js';
import { type Comparison, compare } from '../harness.ts';
import { heapNow } from '../heap.ts';
import { instantModel } from '../instant-model.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

const sizes: Sizes<{
  readonly tasks: number;
  /** What the end is compared with: the first so many, by which time everything is loaded, compiled and full. */
  readonly first: number;
}> = {
  smoke: { tasks: 200, first: 40 },
  normal: { tasks: 10_000, first: 3_000 },
  // A new process takes memory until its 15,000th task and keeps it: 171 MB after 5,000, 216 after 20,000, 218 after 80,000.
  full: { tasks: 100_000, first: 20_000 },
};

const threads = 2;
const inFlight = 4;
const goal = 'g'.repeat(40_000);
/** What is kept of ended runs is bounded; with fewer than this it is not full, and the host still grows. */
const runsUntilFull = 1_500;
const maxGrowth = 1.1;
/** What compiled code may add to a thread: a third of the goals that the shortest run would leave there. */
const slackBytes = 2 ** 20;
/** Of the journal; the goals of all tasks are many times as much. */
const maxJournalBytes = 16_000_000;
/** What is written while a piece of it is forgotten, and a log that was not folded into it. */
const journalSlackBytes = 40_000_000;
const channelName = 'troupe-bench-heap';
const patienceMs = 60_000;

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => String(a + b),
});

type Form = { readonly name: string; readonly toolTurns: 0 | 1 } & Pick<
  SupervisorOptions,
  'tools'
> & {
    readonly hooks?: { readonly beforeTurn: () => null; readonly afterRun: () => null };
    readonly isDurable?: boolean;
  };

const forms: readonly Form[] = [
  { name: 'no tools', toolTurns: 0, tools: [] },
  { name: 'host tool', toolTurns: 1, tools: [add] },
  {
    name: 'thread tool',
    toolTurns: 1,
    tools: [new URL('../threads/add-tool.js', import.meta.url)],
  },
  {
    name: 'hooks',
    toolTurns: 0,
    tools: [],
    hooks: { beforeTurn: () => null, afterRun: () => null },
  },
  { name: 'journal', toolTurns: 1, tools: [add], isDurable: true },
];

/** What is there at one moment, garbage gone. */
type Census = {
  readonly residentBytes: number;
  readonly hostBytes: number;
  /** Of each thread, the largest first. */
  readonly threadBytes: readonly number[];
  readonly threadIds: readonly number[];
  readonly handles: number;
  readonly listeners: number;
};

/** Tasks with a conversation of their own, four at a time on two threads, one form after the other. */
export const soak: Scenario = {
  name: 'soak',
  targets: ['T13'],
  description: 'memory of host and threads after 100,000 tasks, beside what it was after the first',
  variants: ['after all tasks', 'after the first'],
  async run(size: Size) {
    const found: Comparison[] = [];
    for (const form of forms) found.push(...(await soaked(form, size)));
    return found;
  },
};

async function soaked(form: Form, size: Size): Promise<readonly Comparison[]> {
  const { tasks, first } = sizes[size];
  const folder = mkdtempSync(join(tmpdir(), 'troupe-soak-'));
  const path = join(folder, 'troupe.db');
  await using supervisor = createSupervisor({
    model: instantModel({ toolTurns: form.toolTurns }),
    tools: form.tools ?? [],
    ...(form.isDurable
      ? { journal: sqlite(path, { retention: { maxBytes: maxJournalBytes } }) }
      : {}),
    logDirectory: false,
    limits: { maxLiveAgents: threads },
    threads: {
      prewarm: threads,
      profile: {
        execArgv: ['--import', String(new URL('../threads/heap-teller.js', import.meta.url))],
      },
    },
  });
  let threadsLost = 0;
  supervisor.on('thread_lost', () => {
    threadsLost += 1;
  });
  await perform(supervisor, form, first);
  const before = await census();
  await perform(supervisor, form, tasks - first);
  const after = await census();

  assert.equal(threadsLost, 0, 'threads lost');
  assert.deepEqual(after.threadIds, before.threadIds, 'the same threads');
  assert.ok(after.handles <= before.handles, `${after.handles - before.handles} handles more`);
  assert.ok(after.listeners <= before.listeners, 'listeners more than before');
  for (const [at, bytes] of after.threadBytes.entries()) {
    assertFlat('the heap of a thread', bytes, before.threadBytes[at] ?? 0);
  }
  if (form.isDurable) {
    const { size: bytes } = statSync(path);
    const max = maxJournalBytes + journalSlackBytes;
    assert.ok(bytes <= max, `the journal has ${bytes} bytes, at most ${max}`);
  }
  rmSync(folder, { recursive: true });
  if (first >= runsUntilFull) assertFlat('the heap of the host', after.hostBytes, before.hostBytes);
  return [
    await beside(`${form.name}: resident`, after.residentBytes, before.residentBytes),
    await beside(`${form.name}: heap of the host`, after.hostBytes, before.hostBytes),
    await beside(
      `${form.name}: heap of a thread`,
      after.threadBytes[0] ?? Number.NaN,
      before.threadBytes[0] ?? Number.NaN,
    ),
  ];
}

function assertFlat(what: string, after: number, before: number): void {
  const maxAfter = before * maxGrowth + slackBytes;
  assert.ok(
    after <= maxAfter,
    `${what} grew from ${before} to ${after} bytes, at most ${maxAfter}`,
  );
}

function beside(what: string, afterBytes: number, beforeBytes: number): Promise<Comparison> {
  return compare({
    what,
    unit: 'kib',
    figure: 'median',
    rounds: 1,
    warmups: 0,
    ours: { name: 'after all tasks', measure: async () => [afterBytes / 1_024] },
    baselines: [{ name: 'after the first', measure: async () => [beforeBytes / 1_024] }],
    targets: [{ id: 'T13', against: ['after the first'], max: maxGrowth }],
  });
}

async function perform(supervisor: Supervisor, form: Form, count: number): Promise<void> {
  const hooks = form.hooks === undefined ? {} : { hooks: form.hooks };
  let begun = 0;
  const oneAfterAnother = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      const outcome = await supervisor.delegate({ goal: `${begun} ${goal}`, ...hooks });
      assert.equal(outcome.status, 'completed', outcome.error?.message);
      assert.equal(outcome.toolCalls, form.toolTurns, 'tool calls');
    }
  };
  await Promise.all(Array.from({ length: inFlight }, oneAfterAnother));
}

async function census(): Promise<Census> {
  const heaps = await heapsOfThreads();
  const hostBytes = await heapNow();
  return {
    residentBytes: process.memoryUsage.rss(),
    hostBytes,
    threadBytes: [...heaps.values()].sort((left, right) => right - left),
    threadIds: [...heaps.keys()].sort((left, right) => left - right),
    handles: process.getActiveResourcesInfo().length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}

/** What each thread holds, by its number. */
async function heapsOfThreads(): Promise<ReadonlyMap<number, number>> {
  const channel = new BroadcastChannel(channelName);
  const heaps = new Map<number, number>();
  try {
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`${heaps.size} of ${threads} threads told of their heap`)),
        patienceMs,
      );
      channel.onmessage = (event) => {
        const { threadId, bytes } = (
          event as { readonly data: { readonly threadId: number; readonly bytes: number } }
        ).data;
        heaps.set(threadId, bytes);
        if (heaps.size < threads) return;
        clearTimeout(late);
        resolve();
      };
      channel.postMessage('how much?');
    });
  } finally {
    channel.close();
  }
  return heaps;
}
