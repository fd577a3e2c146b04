// T11: what idle persistent agents of a journal take in the host. Leaves out the writing of the journal, and its thread.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  type AgentRef,
  createSupervisor,
  type Message,
  type Supervisor,
  sqlite,
} from '#src/index.js';
import type { JournalRecord } from '#src/journal/records.js';
import { JournalStore } from '#src/journal/store.js';
import { compare, type Measure } from '../harness.ts';
import { heapNow } from '../heap.ts';
import { instantModel } from '../instant-model.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

const sizes: Sizes<{
  readonly agents: number;
  readonly asks: number;
  readonly messages: number;
  /** How long nothing happens before the second figure of resident memory: V8 gives pages back about 40 s after the last work. */
  readonly restMs: number;
}> = {
  smoke: { agents: 40, asks: 10, messages: 4, restMs: 0 },
  normal: { agents: 10_000, asks: 1_000, messages: 20, restMs: 0 },
  full: { agents: 100_000, asks: 1_000, messages: 20, restMs: 60_000 },
};

const timeoutMs = 60_000;
/** As one that works with files has in a message. */
const words = 'What one says of a file. '.repeat(20);
/** That are found at a time. */
const width = 64;
/** 100,000 agents within 200 MB. */
const maxKib = 2;

/** All are found by their names, and some are asked: each remembers what it did, and none has it in the heap. */
export const idle: Scenario = {
  name: 'idle',
  targets: ['T11'],
  description:
    'resident memory and heap per idle agent of a journal, with its messages in the file',
  variants: ['troupe idle agent', 'its messages in the heap'],
  async run(size: Size) {
    const { agents, messages, restMs } = sizes[size];
    const folder = mkdtempSync(join(tmpdir(), 'troupe-idle-'));
    try {
      const { path, memory } = await journalOf(folder, agents, messages);
      const { atOnce, rested, heap } = await findAll(path, sizes[size]);
      const common = { unit: 'kib', figure: 'median', rounds: 1, warmups: 0 } as const;
      const baselines = [
        { name: 'its messages in the heap', measure: () => copiesOf(memory, agents) },
      ];
      const per = (what: string, bytes: number, targets: Measure['targets']) =>
        compare({
          ...common,
          what: `${what} per idle agent, ${messages} messages in the file`,
          ours: { name: 'troupe idle agent', measure: async () => [bytes / 1_024 / agents] },
          baselines,
          targets,
        });
      const comparisons = [await per('heap', heap, []), await per('resident', atOnce, [])];
      if (restMs === 0) return comparisons;
      const rest = `resident after ${restMs / 1_000} s of rest,`;
      return [...comparisons, await per(rest, rested, [{ id: 'T11', against: [], max: maxKib }])];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function supervise(path: string): Supervisor {
  return createSupervisor({
    model: instantModel(),
    agents: [{ name: 'analyst' }],
    journal: sqlite(path),
    logger: false,
    logDirectory: false,
    limits: { maxLiveAgents: 2 },
    threads: { passivateAfterMs: 0 },
  });
}

/** One agent has its memory by asking, the others are like it. */
async function journalOf(
  folder: string,
  count: number,
  messages: number,
): Promise<{ readonly path: string; readonly memory: readonly Message[] }> {
  const path = join(folder, 'troupe.db');
  const supervisor = supervise(path);
  const agent = await supervisor.spawn('analyst', { name: 'a0' });
  while (agent.history().length < messages) await reply(agent);
  const memory = agent.history();
  await supervisor.close();
  const store = await JournalStore.open(path);
  const kept = store.agents.load('a0');
  assert(kept !== null && !kept.isDamaged);
  const { spec, used, first, messages: texts } = kept.value;
  assert(used !== null && texts !== null);
  let records: JournalRecord[] = [];
  for (let at = 1; at < count; at += 1) {
    const name = `a${at}`;
    records.push({ type: 'agent_spawned', name, at, spec });
    records.push({ type: 'agent_remembered', name, used, first, from: first, messages: texts });
    if (records.length < 1_000) continue;
    store.commit(records);
    records = [];
  }
  store.commit(records);
  store.close();
  return { path, memory };
}

async function reply(agent: AgentRef): Promise<void> {
  const { status } = await agent.ask(words, { timeoutMs });
  assert.equal(status, 'completed');
}

/** Bytes more than before any agent was found. The garbage is left to V8 until the last figure, as in a service. */
async function findAll(
  path: string,
  { agents: count, asks, messages, restMs }: (typeof sizes)[Size],
): Promise<{ readonly atOnce: number; readonly rested: number; readonly heap: number }> {
  await using supervisor = supervise(path);
  const warm = await supervisor.agent('a0');
  await reply(warm);
  const heapBefore = await heapNow();
  const residentBefore = process.memoryUsage.rss();
  const agents: AgentRef[] = [];
  for (let from = 1; from < count; from += width) {
    const names = Array.from({ length: Math.min(width, count - from) }, (_, at) => `a${from + at}`);
    agents.push(...(await Promise.all(names.map((name) => supervisor.agent(name)))));
  }
  const step = Math.max(1, Math.floor(agents.length / asks));
  for (let at = 0; at < agents.length; at += step) {
    const agent = agents[at];
    assert(agent !== undefined);
    await reply(agent);
    assert.equal(agent.history().length, messages + 2);
  }
  const atOnce = process.memoryUsage.rss() - residentBefore;
  await setTimeout(restMs);
  const rested = process.memoryUsage.rss() - residentBefore;
  return { atOnce, rested, heap: (await heapNow()) - heapBefore };
}

/** KiB that the messages of one agent take. */
async function copiesOf(memory: readonly Message[], agents: number): Promise<readonly number[]> {
  const text = JSON.stringify(memory);
  const count = Math.min(agents, 2_000);
  const before = await heapNow();
  const copies = Array.from({ length: count }, () => JSON.parse(text) as unknown);
  const after = await heapNow();
  assert.equal(copies.length, count);
  return [(after - before) / 1_024 / count];
}
