// Measures thousands of sessions with subagents of their own on few threads: how long a delegation waits, and what two rounds leave behind.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSupervisor, defineAgent, type Supervisor, type Toolbox } from '#src/index.js';
import { subagentManager, subagentTools } from '../../src/dialects/subagent-manager/index.ts';
import { type Comparison, compare } from '../harness.ts';
import { heapNow } from '../heap.ts';
import { instantModel } from '../instant-model.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

const sizes: Sizes<{
  readonly sessions: number;
  readonly threads: number;
  readonly inFlight: number;
  readonly rounds: number;
  readonly warmups: number;
}> = {
  smoke: { sessions: 4, threads: 2, inFlight: 4, rounds: 1, warmups: 0 },
  normal: { sessions: 500, threads: 16, inFlight: 200, rounds: 3, warmups: 1 },
  full: { sessions: 2_000, threads: 16, inFlight: 200, rounds: 3, warmups: 1 },
};

const names = ['reader', 'writer', 'critic'] as const;
/** What is kept of ended runs is bounded; with fewer than this it is not full, and still grows. */
const runsUntilFull = 1_500;
const figures = [
  { name: 'heap', now: heapNow, maxGrowth: 1.05 },
  { name: 'resident', now: async () => process.memoryUsage().rss, maxGrowth: 1.1 },
] as const;

type Delegation = () => Promise<void>;

/**
 * Each session has three subagents, and every one of them is handed one task a round, so many at a time. Beside it as many
 * tasks of three agents that belong to no session. What a subagent remembers is full after its first run, so a further
 * round leaves heap and process as they were: that is asserted, not only shown.
 */
export const sessions: Scenario = {
  name: 'sessions',
  targets: [],
  description: '2,000 sessions with 3 agents each, 200 delegations in flight on 16 threads',
  variants: ['troupe sessions', 'troupe tasks without sessions', 'after the round before'],
  async run(size: Size) {
    const { sessions: count, threads, inFlight, rounds, warmups } = sizes[size];
    const workspace = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
    try {
      await using ours = supervise(threads, workspace);
      await using plain = supervise(threads, workspace);
      const delegations = await openSessions(ours, count);
      const tasks = tasksOf(plain, delegations.length);
      const waits = await compare({
        rounds,
        warmups,
        targets: [],
        what: 'admission to start p99',
        unit: 'ms',
        figure: 'p99',
        ours: { name: 'troupe sessions', measure: () => perform(ours, delegations, inFlight) },
        baselines: [
          {
            name: 'troupe tasks without sessions',
            measure: () => perform(plain, tasks, inFlight),
          },
        ],
      });
      const isFull = delegations.length >= runsUntilFull;
      return [waits, ...(await growth(() => perform(ours, delegations, inFlight), isFull))];
    } finally {
      rmSync(workspace, { recursive: true, force: true });
    }
  },
};

/** What heap and process hold after one more round, beside what they held before it, in KiB. Rejects when it grew. */
async function growth(
  round: () => Promise<unknown>,
  isJudged: boolean,
): Promise<readonly Comparison[]> {
  const found: Comparison[] = [];
  for (const { name, now, maxGrowth } of figures) {
    const before = await now();
    const measure = async () => {
      await round();
      const after = await now();
      const ratio = after / before;
      assert.ok(!isJudged || ratio <= maxGrowth, `${name} is ${ratio.toFixed(2)} of before`);
      return [after / 1_024];
    };
    found.push(
      await compare({
        what: `${name} after one more round`,
        unit: 'kib',
        figure: 'median',
        rounds: 1,
        warmups: 0,
        ours: { name: 'troupe sessions', measure },
        baselines: [{ name: 'after the round before', measure: async () => [before / 1_024] }],
        targets: [],
      }),
    );
  }
  return found;
}

function supervise(maxLiveAgents: number, workspace: string): Supervisor {
  return createSupervisor({
    model: instantModel(),
    workspace,
    limits: { maxLiveAgents },
    threads: { prewarm: maxLiveAgents },
  });
}

/** Opens the sessions, each with its subagents; every one of these is a delegation that can be made again and again. */
async function openSessions(supervisor: Supervisor, count: number): Promise<readonly Delegation[]> {
  const delegations: Delegation[] = [];
  for (let at = 0; at < count; at += 1) {
    const session = supervisor.session(`chat-${at}`);
    const tools = session.tools(
      subagentTools(session, {
        config: { enabled: true, dynamicEnabled: true, maxHistoryMessages: 2 },
      }),
    );
    for (const name of names) {
      const { toolName } = await subagentManager(session).create({
        name,
        systemPrompt: `You are the ${name}.`,
      });
      delegations.push(() => handOver(tools, toolName));
    }
  }
  return delegations;
}

async function handOver(tools: Toolbox, toolName: string): Promise<void> {
  const { content, isError } = await tools.call(toolName, { input: 'go on' });
  assert.deepEqual([content, isError], ['done', false]);
}

/** As many tasks, shared out among three agents that belong to no session. */
function tasksOf(supervisor: Supervisor, count: number): readonly Delegation[] {
  const agents = names.map((name) => defineAgent({ name, prompt: `You are the ${name}.` }));
  return Array.from({ length: count / agents.length }, () =>
    agents.map((agent) => async () => {
      const { status, text } = await supervisor.delegate({ goal: 'go on', agent });
      assert.deepEqual([status, text], ['completed', 'done']);
    }),
  ).flat();
}

/** Makes every delegation once, so many at a time, and says how long each task waited from admission to start, in ms. */
async function perform(
  supervisor: Supervisor,
  delegations: readonly Delegation[],
  inFlight: number,
): Promise<readonly number[]> {
  const queuedAt = new Map<string, number>();
  const samples: number[] = [];
  const stops = [
    supervisor.on('task_queued', ({ taskId = '' }) => queuedAt.set(taskId, performance.now())),
    supervisor.on('task_started', ({ taskId = '' }) => {
      samples.push(performance.now() - (queuedAt.get(taskId) ?? Number.NaN));
      queuedAt.delete(taskId);
    }),
  ];
  const coming = delegations.values();
  const oneAfterAnother = async (): Promise<void> => {
    for (const delegation of coming) await delegation();
  };
  await Promise.all(Array.from({ length: inFlight }, oneAfterAnother));
  for (const stop of stops) stop();
  assert.equal(samples.length, delegations.length, 'every delegation has started once');
  assert.equal(queuedAt.size, 0, 'nothing waits any more');
  return samples;
}
