// Owns one storm over trees of agents: plays moves against a supervisor on real threads, calms it down, checks what is left.
import { tmpdir } from 'node:os';
import { expect } from 'vitest';
import { ledgerFault } from '#src/actor.js';
import {
  createSupervisor,
  type EventType,
  type ModelRequest,
  type Supervisor,
  type TreeSnapshot,
} from '#src/index.js';
import { toolFixture, turns } from '../supervisor/support.ts';
import { Mover } from './mover.ts';
import type { Move } from './moves.ts';
import { isEndless, lineOf, nodesOf } from './nodes.ts';
import { Puppets, type Said } from './puppets.ts';
import { Witness } from './witness.ts';

export type Weather = {
  readonly maxLiveAgents: number;
  readonly maxTotalAgents: number;
  readonly maxConcurrentChildren: number;
  /** What a model says without being played; null leaves it to the moves. */
  readonly atOnce: (request: ModelRequest, goal: string, nextGoal: NextGoal) => Said | null;
  /** What roots are called: `atOnce` may know it. */
  readonly rootKind: string;
  /** Moves between two waits for events. */
  readonly gust: number;
};

export type NextGoal = (kind: string) => string;

const maxSpawnDepth = 3;
export class TreeStorm {
  readonly supervisor: Supervisor;
  readonly witness: Witness;
  readonly #weather: Weather;
  readonly #puppets: Puppets;
  readonly #mover: Mover;
  #isCalm = false;

  constructor(weather: Weather) {
    this.#weather = weather;
    const nextGoal = (kind: string): string => this.#mover.nextGoal(kind);
    this.#puppets = new Puppets((request, goal) =>
      this.#isCalm ? { calls: [] } : weather.atOnce(request, goal, nextGoal),
    );
    const { maxLiveAgents, maxTotalAgents, maxConcurrentChildren } = weather;
    this.supervisor = createSupervisor({
      model: this.#puppets.model,
      tools: [...this.#puppets.tools(), ...['stubborn', 'careful', 'puppets'].map(toolFixture)],
      agents: [{ name: 'puppet', toolsets: ['terminal'] }],
      limits: { maxLiveAgents, maxTotalAgents, maxConcurrentChildren, maxSpawnDepth },
      timeouts: { interruptGraceMs: 20, stopGraceMs: 20 },
      approve: this.#puppets.approve,
      logDirectory: false,
      workspace: tmpdir(),
    });
    this.witness = new Witness(this.supervisor, { maxLiveAgents, maxSpawnDepth, maxTotalAgents });
    const { supervisor, witness } = this;
    const { rootKind } = weather;
    this.#mover = new Mover({ supervisor, witness, puppets: this.#puppets, rootKind });
  }

  /** One task from beginning to end: modules are described and a thread is warm, so that moves meet agents at once. */
  async begin(): Promise<void> {
    this.#isCalm = true;
    const { exitReason } = await within(
      this.supervisor.delegate(this.#mover.task('first')),
      () => 'the first task',
    );
    expect(exitReason).toBe('goal');
    this.#isCalm = false;
  }

  /** Plays the moves; throws the first thing that did not hold. */
  async play(moves: readonly Move[]): Promise<void> {
    for (const [at, move] of moves.entries()) {
      this.#mover.perform(move);
      if (at % this.#weather.gust === 0) await this.#letRun(4);
      expect(this.witness.faults, `after move ${at}: ${JSON.stringify(move)}`).toEqual([]);
      expect(ledgerFault(this.supervisor.ledger())).toBeNull();
    }
  }

  /** Answers what waits and interrupts what cannot end, until no task is left; then whoever survived answers. */
  async calm(): Promise<void> {
    this.#isCalm = true;
    this.#puppets.areGatesOpen = true;
    this.supervisor.resume();
    for (const handle of this.#mover.handles) handle.resume();
    let isDrained = false;
    const drained = Promise.all([this.supervisor.drain(), ...this.#mover.spawns]).then(() => {
      isDrained = true;
      return true as const;
    });
    const interrupted = new Set<string>();
    while (!isDrained) {
      const happens = this.witness.next();
      this.#letAll();
      this.#endIdle();
      for (const { taskId, tool } of this.#endless()) {
        if (interrupted.has(`${taskId} ${tool}`)) continue;
        interrupted.add(`${taskId} ${tool}`);
        this.#mover.interrupt(taskId, {});
      }
      await within(Promise.race([drained, happens]), () => `more of: ${this.show()}`);
      // Whoever waited for what just happened has heard of it.
      await turns(1);
    }
    await within(Promise.all(this.#mover.promised), () => 'what was promised');
    const survivors = this.#mover.agents.filter(({ status }) => status !== 'ended');
    const asked = survivors.map((agent) => agent.ask('survivor', { timeoutMs: 60_000 }));
    for (const { exitReason } of await within(Promise.all(asked), () => 'the survivors')) {
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
    await within(Promise.all(this.#mover.promised), () => 'what was promised');
    await within(
      Promise.all(this.#mover.handles.map((each) => each.result())),
      () => 'the outcomes',
    );
    this.witness.judge();
    expect(this.witness.faults).toEqual([]);
    expect(this.supervisor.tree()).toEqual([]);
    expect(this.supervisor.totals()).toMatchObject({ live: 0, queued: 0 });
    const ledger = this.supervisor.ledger();
    expect(ledgerFault(ledger)).toBeNull();
    expect(ledger.pending).toBe(0);
    const session = this.supervisor.session('storm');
    const listed = session.completions().map(({ taskId }) => taskId);
    const all = [...this.#mover.heard, ...listed].sort();
    expect(all, 'X5: each end was heard of or is listed').toEqual(
      [...this.#mover.sessionTasks].sort(),
    );
    expect(this.#puppets.held.size, 'model calls of nobody').toBe(0);
  }

  /** What came to pass, in a line. */
  report(): string {
    const { tasks, ends, seen, maxLive } = this.witness;
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
      events: this.witness.events,
    });
  }

  /** The tree in a line, for messages. */
  show(): string {
    const { live, queued } = this.supervisor.totals();
    return `${live} live, ${queued} queued: ${lineOf(this.supervisor.tree())}`;
  }

  /** What is in a call without an end, which may be another than the one that its node names. */
  #endless(): readonly TreeSnapshot[] {
    const { endless } = this.witness;
    return nodesOf(this.supervisor.tree()).filter(
      (node) => isEndless(node) || endless.has(node.agentId),
    );
  }

  #letAll(): void {
    for (const held of [...this.#puppets.held]) held.say({ calls: [] });
    for (const open of [...this.#puppets.gates]) open();
    for (const answer of [...this.#puppets.approvals]) answer('deny');
    for (const questionId of this.witness.questions) {
      this.#mover.allow(() => this.supervisor.answer(questionId, 'that way'));
    }
    this.witness.questions.clear();
  }

  /** Spawned agents that idle hold slots that others may wait for: one is kept, where there is room. */
  #endIdle(): void {
    const { queued, live } = this.supervisor.totals();
    const { maxLiveAgents } = this.#weather;
    if (queued === 0 || live < maxLiveAgents) return;
    const idle = this.#mover.agents.filter(({ status }) => status === 'idle');
    for (const agent of idle.slice(maxLiveAgents > 1 ? 1 : 0)) this.#mover.promise(agent.stop());
  }

  /** Goes on after so many events, or when nothing can happen without a move; nothing is concluded from it. */
  async #letRun(events: number): Promise<void> {
    const target = this.witness.events + events;
    while (this.witness.events < target && this.#isBusy()) {
      // A thread that starts may take long on a busy machine: then the storm goes on without it.
      if ((await inTime(this.witness.next(), patienceMs)) === null) return;
    }
  }

  /** Some thread has something to do that no move is needed for. */
  #isBusy(): boolean {
    const asking = new Set([...this.#puppets.held].map(({ request }) => request.agent.id));
    return nodesOf(this.supervisor.tree()).some(
      ({ agentId, taskId, phase, status }) =>
        status === 'running' &&
        busyPhases.has(phase) &&
        !asking.has(agentId) &&
        this.witness.tasks.get(taskId)?.isHeld !== true,
    );
  }
}

/** Where a run stands while its thread works. */
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
