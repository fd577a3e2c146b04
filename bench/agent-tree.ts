// Owns trees of agents for the scenarios that end them: from the root down, host tools delegate to the next level. Measures nothing.
import { z } from 'zod';
import {
  createSupervisor,
  defineTool,
  type Supervisor,
  type SupervisorOptions,
  type TaskHandle,
} from '#src/index.js';
import { type ScriptedModel, type ScriptStep, scripted } from '#src/testing.js';

/** How a tree branches, and what its leaves do from their first turn on. */
export type TreeShape = {
  /** Children of each agent, level by level from the root down; those of the last level are the leaves. */
  readonly widths: readonly number[];
  readonly script: readonly ScriptStep[];
  /** Modules of the tools that the script calls. */
  readonly tools?: readonly URL[];
};

/** How many agents each level has, the root's first. */
export function levelsOf(widths: readonly number[]): readonly number[] {
  const levels = [1];
  for (const width of widths) levels.push((levels.at(-1) ?? 0) * width);
  return levels;
}

/** Threads of a supervisor where nothing else is set: agents beyond it share them. */
const maxThreads = 64;

/** A supervisor with room for one tree, which it can grow again and again. */
export type AgentTree = AsyncDisposable & {
  readonly supervisor: Supervisor;
  readonly model: ScriptedModel;
  /** Threads that came and went so far. */
  readonly threads: { spawned: number; lost: number };
  readonly agents: number;
  /** Resolves when all threads that were opened ahead are there. */
  warm(): Promise<void>;
  /** Starts the root; each level starts when the tools of the one above have delegated to it. */
  grow(): TaskHandle;
};

/** Opens the threads of a tree ahead; `timeouts` are the graces of its end. */
export function plantTree(
  shape: TreeShape,
  timeouts: NonNullable<SupervisorOptions['timeouts']> = {},
): AgentTree {
  const { widths, script, tools = [] } = shape;
  const agents = levelsOf(widths).reduce((sum, count) => sum + count);
  const warmThreads = Math.min(agents, maxThreads);
  const delegate = defineTool({
    name: 'delegate',
    description: 'Delegates to every child at once and waits for them.',
    input: z.object({}),
    async run(_input, tool) {
      const { depth } = tool.agent;
      const agent = depth + 1 === widths.length ? 'leaf' : 'orchestrator';
      const tasks = Array.from({ length: widths[depth] ?? 0 }, () => ({ goal: 'grow', agent }));
      const outcomes = await tool.delegate(tasks);
      return outcomes.map(({ status }) => status);
    },
  });
  const orchestrate = [{ toolCalls: [{ name: 'delegate', input: {} }] }, { text: 'done' }];
  const model = scripted({
    agents: { root: orchestrate, orchestrator: orchestrate, leaf: script },
  });
  const supervisor = createSupervisor({
    model,
    agents: [
      { name: 'root' },
      { name: 'orchestrator' },
      { name: 'leaf', disallowedTools: ['delegate'] },
    ],
    tools: [delegate, ...tools],
    limits: {
      maxLiveAgents: agents,
      maxConcurrentChildren: Math.max(...widths),
      maxSpawnDepth: widths.length,
    },
    timeouts,
    threads: { prewarm: warmThreads },
  });
  const threads = { spawned: 0, lost: 0 };
  const isWarm = new Promise<void>((resolve) => {
    supervisor.on('thread_spawned', () => {
      threads.spawned += 1;
      if (threads.spawned === warmThreads) resolve();
    });
  });
  supervisor.on('thread_lost', () => {
    threads.lost += 1;
  });
  return {
    supervisor,
    model,
    threads,
    agents,
    warm: () => isWarm,
    grow: () => supervisor.start({ goal: 'grow', agent: 'root' }),
    [Symbol.asyncDispose]: () => supervisor.close(),
  };
}

/** Resolves when `count` more agents have said in their tool that they spin; they do from then on. */
export function agentsSpinning(supervisor: Supervisor, count: number): Promise<void> {
  return new Promise((resolve) => {
    let spinning = 0;
    const off = supervisor.on('tool_progress', () => {
      spinning += 1;
      if (spinning < count) return;
      off();
      resolve();
    });
  });
}
