// Owns random histories of a supervisor and their audit: batches, trees, spawned agents, interrupts, pauses, crashes,
// kills. Starts no test.
import fc from 'fast-check';
import { expect } from 'vitest';
import { pairingFault } from '#src/agent/history-repair.js';
import {
  type AgentRef,
  createSupervisor,
  type Outcome,
  type Supervisor,
  type TaskHandle,
  type TreeSnapshot,
  TroupeError,
} from '#src/index.js';
import { scripted } from '#src/testing.js';
import { delegate, handsTo, named } from './family.ts';
import { audit, toolFixture, turns, Watch, within } from './support.ts';

const kinds = [
  'quick',
  'tools',
  'hang',
  'crash',
  'ignore',
  'parent',
  'grandparent',
  'in_turn',
] as const;

export type Step =
  | { readonly do: 'start'; readonly kinds: readonly (typeof kinds)[number][] }
  | { readonly do: 'interrupt' | 'pause_task' | 'resume_task'; readonly at: number }
  | { readonly do: 'pause' | 'resume' }
  | { readonly do: 'spawn'; readonly kind: (typeof kinds)[number] }
  | { readonly do: 'ask' | 'tell' | 'interrupt_run' | 'stop' | 'kill'; readonly at: number }
  /** Goes on after so many more events, or when nothing happens any more. */
  | { readonly do: 'let_run'; readonly events: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: startStep() },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('interrupt', 'pause_task', 'resume_task'),
      at: fc.nat(20),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('pause', 'resume') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('spawn' as const), kind: fc.constantFrom(...kinds) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('ask', 'ask', 'tell', 'interrupt_run', 'stop', 'kill'),
      at: fc.nat(20),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('let_run' as const),
      events: fc.integer({ min: 1, max: 40 }),
    }),
  },
);

function startStep(): fc.Arbitrary<Step> {
  return fc.record({
    do: fc.constant('start' as const),
    kinds: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 3 }),
  });
}

/** A history, and the room it has. */
export const history = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
  maxLiveAgents: fc.integer({ min: 1, max: 4 }),
  overflow: fc.constantFrom('queue' as const, 'queue' as const, 'reject' as const),
  drains: fc.boolean(),
});

export type History = { readonly steps: readonly Step[] } & {
  readonly maxLiveAgents: number;
  readonly overflow: 'queue' | 'reject';
  /** Ends what cannot end by itself and waits for the rest, before the supervisor is closed. */
  readonly drains: boolean;
};

function open({ maxLiveAgents, overflow }: History) {
  const model = scripted({
    agents: {
      quick: [{ text: 'quick' }],
      tools: [
        { text: 'step', toolCalls: [{ name: 'echo', input: { text: 'a' } }] },
        { text: 'tools' },
      ],
      hang: [{ chunks: ['so far'], hang: true }],
      crash: [{ text: 'before', toolCalls: [{ name: 'exit', input: {} }] }],
      ignore: [{ text: 'before', toolCalls: [{ name: 'ignore', input: {} }] }],
      parent: [handsTo('quick', 'crash', 'tools'), { text: 'parent' }],
      grandparent: [handsTo('parent', 'hang'), { text: 'grandparent' }],
      in_turn: [
        {
          text: 'handing over',
          toolCalls: ['quick', 'tools', 'quick'].map((agent) => {
            return { name: 'delegate', input: { agents: [agent] } };
          }),
        },
        { text: 'in_turn' },
      ],
    },
  });
  const supervisor = createSupervisor({
    model,
    agents: named(...kinds).map((agent) =>
      agent.name === 'in_turn' ? { ...agent, loop: { parallelToolCalls: false } } : agent,
    ),
    tools: [delegate, toolFixture('stubborn')],
    limits: { maxLiveAgents, overflow, maxSpawnDepth: 2 },
    timeouts: { interruptGraceMs: 20, stopGraceMs: 20 },
  });
  return { supervisor, model, watch: new Watch(supervisor) };
}

/** Plays a history on real threads, closes the supervisor, and audits all it did. */
export async function play(what: History): Promise<void> {
  const { supervisor, watch } = open(what);
  const played: Played = { handles: [], agents: [], asked: [], spawns: [], interrupts: [] };
  const { handles } = played;
  try {
    for (const each of what.steps) {
      if (each.do === 'let_run') await letRun(watch, each.events);
      else perform(each, supervisor, played);
    }
    supervisor.resume();
    for (const handle of handles) handle.resume();
    await within(Promise.all(played.interrupts), 'the receipts');
    if (what.drains) await drain(supervisor, watch);
  } finally {
    await within(supervisor.close(), 'close');
  }
  await within(Promise.all(played.spawns), 'the spawns');
  const results = [...handles.map((each) => each.result()), ...played.asked];
  const outcomes = (await within(Promise.all(results), 'outcomes')).filter((each) => each !== null);
  for (const agent of played.agents) {
    expect(agent.status).toBe('ended');
    expect(pairingFault(agent.history()), 'the memory is whole').toBeNull();
  }
  audit(supervisor, watch.events, await within(watch.read, 'the end of the events'));
  expect(watch.of('task_completed')).toHaveLength(watch.of('task_queued').length);
  for (const outcome of outcomes) judge(outcome, supervisor);
  const { agents, live, queued } = supervisor.totals();
  expect({ agents, live, queued }).toEqual({
    agents: watch.of('agent_started').length,
    live: 0,
    queued: 0,
  });
}

/** What a history has started so far. */
type Played = {
  readonly handles: TaskHandle[];
  readonly agents: AgentRef[];
  /** Null for an ask of an agent that had ended. */
  readonly asked: Promise<Outcome | null>[];
  readonly spawns: Promise<unknown>[];
  readonly interrupts: Promise<unknown>[];
};

/** Many times the turns that a thread needs to answer; only shapes the history, nothing is concluded from it. */
const patienceTurns = 1_000;

async function letRun(watch: Watch, events: number): Promise<void> {
  const target = watch.events.length + events;
  let seen = watch.events.length;
  for (let idle = 0; seen < target && idle < patienceTurns; idle += 1) {
    await turns(1);
    if (watch.events.length > seen) idle = 0;
    seen = watch.events.length;
  }
}

/** Interrupts whatever hangs, until every task is over; each wait for anything to happen has its deadline. */
async function drain(supervisor: Supervisor, watch: Watch): Promise<void> {
  let isDrained = false;
  const drained = supervisor.drain().then(() => {
    isDrained = true;
  });
  while (!isDrained) {
    const happens = watch.anything();
    const leaves = leavesOf(supervisor.tree());
    const endless = leaves.filter(isEndless).map(({ taskId }) => supervisor.interrupt(taskId));
    // One that idles holds a slot that others may wait for.
    const idle = leaves
      .filter(({ status }) => status === 'idle')
      .map(({ agentId }) => supervisor.interrupt(agentId, { scope: 'agent' }));
    await Promise.all([...endless, ...idle]);
    await within(Promise.race([drained, happens]), `more of: ${show(supervisor)}`);
  }
}

function isEndless({ name, phase }: TreeSnapshot): boolean {
  return (
    (name === 'hang' && phase === 'waiting_for_model') || (name === 'ignore' && phase === 'in_tool')
  );
}

/** The tree in a line, for messages. */
function show(supervisor: Supervisor): string {
  const line = (each: TreeSnapshot): string =>
    `${each.name} ${each.status} ${each.phase} [${each.children.map(line).join(', ')}]`;
  return supervisor.tree().map(line).join(', ');
}

function leavesOf(tree: readonly TreeSnapshot[]): readonly TreeSnapshot[] {
  return tree.flatMap((each) => (each.children.length === 0 ? [each] : leavesOf(each.children)));
}

function perform(
  each: Exclude<Step, { readonly do: 'let_run' }>,
  supervisor: Supervisor,
  { handles, agents, asked, spawns, interrupts }: Played,
): void {
  const agent = 'at' in each ? agents[each.at % Math.max(agents.length, 1)] : undefined;
  switch (each.do) {
    case 'start':
      for (const agent of each.kinds) handles.push(supervisor.start({ goal: agent, agent }));
      break;
    case 'interrupt': {
      const handle = handles[each.at % Math.max(handles.length, 1)];
      if (handle !== undefined) interrupts.push(handle.interrupt());
      break;
    }
    case 'pause_task':
      handles[each.at % Math.max(handles.length, 1)]?.pause();
      break;
    case 'resume_task':
      handles[each.at % Math.max(handles.length, 1)]?.resume();
      break;
    case 'spawn': {
      const spawned = supervisor.spawn(each.kind, { name: `spawned${spawns.length}` });
      spawns.push(spawned.then((ref) => void agents.push(ref), expectRefusal));
      break;
    }
    case 'ask':
      if (agent !== undefined) {
        asked.push(agent.ask('more', { timeoutMs: 60_000 }).catch(expectRefusal));
      }
      break;
    case 'tell':
      agent?.tell('more');
      break;
    case 'interrupt_run':
      if (agent !== undefined) interrupts.push(agent.interrupt());
      break;
    case 'stop':
      if (agent !== undefined) interrupts.push(agent.stop());
      break;
    case 'kill':
      if (agent !== undefined) interrupts.push(agent.kill());
      break;
    case 'pause':
      supervisor.pause();
      break;
    case 'resume':
      supervisor.resume();
      break;
  }
}

const refusals = ['max_live_agents', 'closed', 'actor_terminated', 'killed', 'stopped'];

function expectRefusal(error: unknown): null {
  expect(refusals).toContain(error instanceof TroupeError ? error.code : error);
  return null;
}

const endsOf: Readonly<Record<string, readonly string[]>> = {
  quick: ['goal'],
  tools: ['goal'],
  hang: [],
  crash: ['crashed'],
  ignore: [],
  parent: ['goal'],
  grandparent: ['goal'],
  in_turn: ['goal'],
};

/** Whatever happened: an end that this kind of task can have, with its work kept and its history whole. */
function judge(outcome: Outcome, supervisor: Supervisor): void {
  const { exitReason, agent, taskId, error } = outcome;
  const possible = [...(endsOf[agent.name] ?? []), 'interrupted', 'killed', 'rejected'];
  expect(possible, `${agent.name} ended ${exitReason}: ${error?.message}`).toContain(exitReason);
  expect(pairingFault(supervisor.transcript(taskId)), 'the history is whole').toBeNull();
  if (exitReason !== 'goal') expect(outcome.partial).toBeDefined();
  if (exitReason === 'rejected') expect(outcome.turns).toBe(0);
}
