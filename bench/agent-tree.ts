// Owns trees of agents for the scenarios that end them: a root whose host tool delegates to leaves. Measures nothing.
import { z } from 'zod';
import {
  createSupervisor,
  defineTool,
  type Supervisor,
  type SupervisorOptions,
  type TaskHandle,
} from '#src/index.js';
import { type ScriptedModel, type ScriptStep, scripted } from '#src/testing.js';

/** What every leaf does, from its first turn on. */
export type Leaves = {
  readonly count: number;
  readonly script: readonly ScriptStep[];
  /** Modules of the tools that the script calls. */
  readonly tools?: readonly URL[];
};

/** A supervisor with room for one tree, which it can grow again and again. */
export type AgentTree = AsyncDisposable & {
  readonly supervisor: Supervisor;
  readonly model: ScriptedModel;
  /** Threads that came and went so far. */
  readonly threads: { spawned: number; lost: number };
  /** Resolves when every agent of the tree has its thread. */
  warm(): Promise<void>;
  /** Starts the root; its leaves start when its tool has delegated to them. */
  grow(): TaskHandle;
};

/** Opens the threads of a tree ahead; `timeouts` are the graces of its end. */
export function plantTree(
  leaves: Leaves,
  timeouts: NonNullable<SupervisorOptions['timeouts']> = {},
): AgentTree {
  const agents = leaves.count + 1;
  const delegate = defineTool({
    name: 'delegate',
    description: 'Delegates to every leaf at once and waits for them.',
    input: z.object({}),
    async run(_input, tool) {
      const tasks = Array.from({ length: leaves.count }, () => ({ goal: 'grow', agent: 'leaf' }));
      const outcomes = await tool.delegate(tasks);
      return outcomes.map(({ status }) => status);
    },
  });
  const model = scripted({
    agents: {
      root: [{ toolCalls: [{ name: 'delegate', input: {} }] }, { text: 'done' }],
      leaf: leaves.script,
    },
  });
  const supervisor = createSupervisor({
    model,
    agents: [{ name: 'root' }, { name: 'leaf', disallowedTools: ['delegate'] }],
    tools: [delegate, ...(leaves.tools ?? [])],
    limits: { maxLiveAgents: agents, maxConcurrentChildren: leaves.count },
    timeouts,
    threads: { prewarm: agents },
  });
  const threads = { spawned: 0, lost: 0 };
  const isWarm = new Promise<void>((resolve) => {
    supervisor.on('thread_spawned', () => {
      threads.spawned += 1;
      if (threads.spawned === agents) resolve();
    });
  });
  supervisor.on('thread_lost', () => {
    threads.lost += 1;
  });
  return {
    supervisor,
    model,
    threads,
    warm: () => isWarm,
    grow: () => supervisor.start({ goal: 'grow', agent: 'root' }),
    [Symbol.asyncDispose]: () => supervisor.close(),
  };
}

/** Resolves when `count` more tool calls have started; a spinning tool spins from then on. */
export function toolsStarted(
  supervisor: Supervisor,
  { name, count }: { readonly name: string; readonly count: number },
): Promise<void> {
  return new Promise((resolve) => {
    let started = 0;
    const off = supervisor.on('tool_started', (event) => {
      if (event.name !== name) return;
      started += 1;
      if (started < count) return;
      off();
      resolve();
    });
  });
}
