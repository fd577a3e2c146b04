// Owns one storm over trees of agents: plays moves against a supervisor on real threads, calms it down, checks what is left.
import { tmpdir } from 'node:os';
import { expect } from 'vitest';
import { ledgerFault } from '#src/actor.js';
import {
  createSupervisor,
  type EventType,
  type ModelRequest,
  type Supervisor,
  type SupervisorOptions,
  type TreeSnapshot,
} from '#src/index.js';
import { toolFixture, turns } from '../supervisor/support.ts';
import { StormModel } from './model.ts';
import type { Move } from './moves.ts';
import { isEndless, lineOf, nodesOf } from './nodes.ts';
import { ScriptedAgents, type ScriptedTurn } from './scripted-agents.ts';
import { ScriptedHooks } from './scripted-hooks.ts';
import { Driver } from './tree-driver.ts';

export type Weather = {
  readonly maxLiveAgents: number;
  readonly maxTotalAgents: number;
  readonly maxConcurrentChildren: number;
  /** What a model says without being played; null leaves it to the moves. */
  readonly atOnce: (request: ModelRequest, goal: string, nextGoal: NextGoal) => ScriptedTurn | null;
  /** What roots are called: `atOnce` may know it. */
  readonly rootKind: string;
  /** Moves between two waits for events. */
  readonly gust: number;
  readonly threads?: NonNullable<SupervisorOptions['threads']>;
};

type NextGoal = (kind: string) => string;

const maxSpawnDepth = 3;
const passing = new URL('../fixtures/hooks/passes.js', import.meta.url);

export class TreeStorm {
  readonly supervisor: Supervisor;
  readonly model: StormModel;
  readonly #weather: Weather;
  readonly #scripted: ScriptedAgents;
  readonly #hooks: ScriptedHooks;
  readonly #driver: Driver;
  #isCalm = false;

  constructor(weather: Weather) {
    this.#weather = weather;
    const nextGoal = (kind: string): string => this.#driver.nextGoal(kind);
    this.#scripted = new ScriptedAgents((request, goal) =>
      this.#isCalm ? { calls: [] } : weather.atOnce(request, goal, nextGoal),
    );
    const { gates } = this.#scripted;
    this.#hooks = new ScriptedHooks(gates, () => this.#isCalm || this.#scripted.areGatesOpen);
    const { maxLiveAgents, maxTotalAgents, maxConcurrentChildren, threads = {} } = weather;
    this.supervisor = createSupervisor({
      model: this.#scripted.model,
      tools: [...this.#scripted.tools(), ...['stubborn', 'careful', 'scripted'].map(toolFixture)],
      agents: [{ name: 'puppet', toolsets: ['terminal'], hooks: [this.#hooks.hooks, passing] }],
      limits: { maxLiveAgents, maxTotalAgents, maxConcurrentChildren, maxSpawnDepth },
      threads,
      timeouts: { interruptGraceMs: 20, stopGraceMs: 20 },
      approve: this.#scripted.approve,
      logDirectory: false,
      workspace: tmpdir(),
    });
    this.model = new StormModel(this.supervisor, { maxLiveAgents, maxSpawnDepth, maxTotalAgents });
    const { supervisor, model } = this;
    const { rootKind } = weather;
    this.#driver = new Driver({ supervisor, model, scripted: this.#scripted, rootKind });
  }

  /** One task from beginning to end: modules are described and a thread is warm, so that moves meet agents at once. */
  async begin(): Promise<void> {
    this.#isCalm = true;
    const { exitReason } = await within(
      this.supervisor.delegate(this.#driver.task('first')),
      () => 'the first task',
    );
    expect(exitReason).toBe('goal');
    this.#isCalm = false;
  }

  /** Plays the moves; throws the first thing that did not hold. */
  async play(moves: readonly Move[]): Promise<void> {
    for (const [at, move] of moves.entries()) {
      this.#driver.perform(move);
      if (at % this.#weather.gust === 0) await this.#letRun(4);
      expect(this.model.faults, `after move ${at}: ${JSON.stringify(move)}`).toEqual([]);
      expect(ledgerFault(this.supervisor.ledger())).toBeNull();
    }
  }

  /** Answers what waits and interrupts what cannot end, until no task is left; then whoever survived answers. */
  async calm(): Promise<void> {
    this.#isCalm = true;
    this.#scripted.areGatesOpen = true;
    this.supervisor.resume();
    for (const handle of this.#driver.handles) handle.resume();
    let isDrained = false;
    const drained = Promise.all([this.supervisor.drain(), ...this.#driver.spawns]).then(() => {
      isDrained = true;
      return true as const;
    });
    const interrupted = new Set<string>();
    while (!isDrained) {
      const happens = this.model.next();
      this.#letAll();
      this.#endIdle();
      for (const { taskId, tool } of this.#endless()) {
        if (interrupted.has(`${taskId} ${tool}`)) continue;
        interrupted.add(`${taskId} ${tool}`);
        this.#driver.interrupt(taskId, {});
      }
      await within(
        Promise.race([drained, happens]),
        () => `more of: ${this.show()}\n${this.model.recent}`,
      );
      // Whoever waited for what just happened has heard of it.
      await turns(1);
    }
    await within(Promise.all(this.#driver.promised), () => 'what was promised');
    const survivors = this.#driver.agents.filter(({ status }) => status !== 'ended');
    const asked = survivors.map((agent) => agent.ask('survivor', { timeoutMs: 60_000 }));
    for (const { exitReason } of await within(
      Promise.all(asked),
      () => `the survivors: ${this.show()}\n${this.model.recent}`,
    )) {
      expect(exitReason).toBe('goal');
    }
    const { live, queued } = this.supervisor.totals();
    // An idle one may have given its thread to another (P1).
    expect(live).toBeLessThanOrEqual(survivors.length);
    expect(queued).toBe(0);
  }

  /** Closes the supervisor; everything is over then, once, and everything promised has settled. */
  async end(): Promise<void> {
    await within(
      this.supervisor.close().then(() => true as const),
      () => `close: ${this.show()}`,
    );
    await within(Promise.all(this.#driver.promised), () => 'what was promised');
    await within(
      Promise.all(this.#driver.handles.map((each) => each.result())),
      () => 'the outcomes',
    );
    this.model.judge();
    expect(this.model.faults).toEqual([]);
    expect(this.#hooks.repeated, 'D23: a hook is called once for each thing').toEqual([]);
    expect(this.supervisor.tree()).toEqual([]);
    expect(this.supervisor.totals()).toMatchObject({ live: 0, queued: 0 });
    const ledger = this.supervisor.ledger();
    expect(ledgerFault(ledger)).toBeNull();
    expect(ledger.pending).toBe(0);
    const session = this.supervisor.session('storm');
    const listed = session.completions().map(({ taskId }) => taskId);
    const all = [...this.#driver.reported, ...listed].sort();
    expect(all, 'X5: each end was heard of or is listed').toEqual(
      [...this.#driver.sessionTasks].sort(),
    );
    expect(this.#scripted.open.size, 'model calls of nobody').toBe(0);
  }

  /** What came to pass, in a line. */
  report(): string {
    const { tasks, ends, seen, maxLive } = this.model;
    const count = (type: EventType): number => seen.get(type) ?? 0;
    return JSON.stringify({
      tasks: tasks.size,
      largestTree: Math.max(0, ...[...tasks.values()].map(({ agentsOfTree }) => agentsOfTree)),
      maxLive,
      ends: Object.fromEntries(ends),
      parked: count('agent_parked'),
      threads: count('thread_spawned'),
      steered: count('steering_updated'),
      questions: count('question_asked'),
      approvals: count('approval_requested'),
      interrupts: count('interrupt_requested'),
      unresponsive: count('agent_unresponsive'),
      events: this.model.events,
    });
  }

  /** The tree in a line, for messages. */
  show(): string {
    const { live, queued } = this.supervisor.totals();
    return `${live} live, ${queued} queued: ${lineOf(this.supervisor.tree())}`;
  }

  /** What is in a call without an end, which may be another than the one that its node names. */
  #endless(): readonly TreeSnapshot[] {
    const { endless } = this.model;
    return nodesOf(this.supervisor.tree()).filter(
      (node) => isEndless(node) || endless.has(node.agentId),
    );
  }

  #letAll(): void {
    for (const open of [...this.#scripted.open]) open.say({ calls: [] });
    for (const open of [...this.#scripted.gates]) open();
    for (const answer of [...this.#scripted.approvals]) answer('deny');
    for (const questionId of this.model.questions) {
      this.#driver.allow(() => this.supervisor.answer(questionId, 'that way'));
    }
    this.model.questions.clear();
  }

  /** Spawned agents that idle hold slots that others may wait for: one is kept, where there is room. */
  #endIdle(): void {
    const { queued, live } = this.supervisor.totals();
    const { maxLiveAgents } = this.#weather;
    if (queued === 0 || live < maxLiveAgents) return;
    const idle = this.#driver.agents.filter(({ status }) => status === 'idle');
    for (const agent of idle.slice(maxLiveAgents > 1 ? 1 : 0)) this.#driver.promise(agent.stop());
  }

  /** Goes on after so many events, or when nothing can happen without a move; nothing is concluded from it. */
  async #letRun(events: number): Promise<void> {
    const target = this.model.events + events;
    while (this.model.events < target && this.#isBusy()) {
      // A thread that starts may take long on a busy machine: then the storm goes on without it.
      if ((await inTime(this.model.next(), patienceMs)) === null) return;
    }
  }

  /** Some thread has something to do that no move is needed for. */
  #isBusy(): boolean {
    const asking = new Set([...this.#scripted.open].map(({ request }) => request.agent.id));
    return nodesOf(this.supervisor.tree()).some(
      ({ agentId, taskId, phase, status }) =>
        status === 'ready' ||
        ((status === 'running' || status === 'waiting') &&
          busyPhases.has(phase) &&
          !asking.has(agentId) &&
          this.model.tasks.get(taskId)?.isPaused !== true),
    );
  }
}

/** Where a run stands while its thread works, or its model is about to be asked. */
const busyPhases: ReadonlySet<string> = new Set(['starting', 'between_turns', 'waiting_for_model']);
const patienceMs = 200;

/** For waits for what threads do: they yield to everything else on the machine. */
const deadlineMs = 45_000;

/** What resolves in time; null for what does not. */
async function inTime<Value>(promise: Promise<Value>, ms: number): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, overdue]);
  } finally {
    clearTimeout(timer);
  }
}

/** What has to come, or an error that says what did not. */
async function within<Value extends object | true>(
  promise: Promise<Value>,
  what: () => string,
): Promise<Value> {
  const value = await inTime(promise, deadlineMs);
  if (value === null) throw new Error(`waited too long for ${what()}`);
  return value;
}
