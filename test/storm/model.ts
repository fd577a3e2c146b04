// Owns what must hold at each event of a supervisor: a model of its tasks, agents, pauses and limits.
// Leaves out what runs were told (heard.ts).
import { pairingFault } from '#src/agent/history-repair.js';
import { eventTypes } from '#src/events/event-types.js';
import type { EventType, Supervisor, TroupeEvent } from '#src/index.js';
import { endlessTools, nodesOf, waitingIn } from './nodes.ts';
import { RecentEvents } from './recent-events.ts';
import { countsOf, type SeenAgent, type SeenTask, stateAfter } from './state-model.ts';
import { SteerModel } from './steer-model.ts';

export type StormModelLimits = {
  readonly maxLiveAgents: number;
  readonly maxSpawnDepth: number;
  readonly maxTotalAgents: number;
};

/** No event of a task comes after its end. */
const ofRuns: ReadonlySet<EventType> = new Set<EventType>([
  'task_started',
  'turn_started',
  'turn_committed',
  'tool_started',
  'question_asked',
  'approval_requested',
  'task_paused',
  'task_resumed',
  'agent_parked',
  'agent_activated',
  'agent_passivated',
]);

type LifecycleEvent = TroupeEvent<'agent_started' | keyof typeof stateAfter>;
const spinning: ReadonlySet<string> = new Set(['spin', 'ignore']);
const leftByTools = /out of sight|left alone/;

export class StormModel {
  /** What did not hold; empty as long as all is well. */
  readonly faults: string[] = [];
  readonly tasks = new Map<string, SeenTask>();
  readonly questions = new Set<string>();
  /** Agents whose threads spin. */
  readonly spinners = new Set<string>();
  /** Agents in a call without an end: of several calls that they are in, the tree names one. */
  readonly endless = new Set<string>();
  /** Agents that may have waited for children in their threads: they went on whatever the limit, and are counted since. */
  readonly #inPlace = new Set<string>();
  readonly ends = new Map<string, number>();
  readonly seen = new Map<EventType, number>();
  readonly recent = new RecentEvents();
  readonly #supervisor: Supervisor;
  readonly #limits: StormModelLimits;
  readonly #agents = new Map<string, SeenAgent>();
  readonly #steers = new SteerModel((what) => this.#fault(what));
  readonly #waiting: (() => void)[] = [];
  #maxLive = 0;
  #lastSeq = 0;
  #pausedRoots: ReadonlySet<string> | null = null;

  constructor(supervisor: Supervisor, limits: StormModelLimits) {
    this.#supervisor = supervisor;
    this.#limits = limits;
    for (const type of Object.keys(eventTypes) as EventType[]) {
      supervisor.on(type, (event) => this.#see(event));
    }
  }

  get events(): number {
    return this.#lastSeq;
  }

  get maxLive(): number {
    return this.#maxLive;
  }

  /** Resolves with the next event. */
  next(): Promise<true> {
    return new Promise((resolve) => this.#waiting.push(() => resolve(true)));
  }

  /** The last thing that was told of a steer. */
  endOf(steerId: string): string | undefined {
    return this.#steers.endOf(steerId);
  }

  hasEnded(taskId: string): boolean {
    return this.tasks.get(taskId)?.completedSeq != null;
  }

  /** Tasks that an agent's run keeps, or kept, in the background. */
  backgroundOf(agentId: string): readonly string[] {
    const task = this.#agents.get(agentId)?.task;
    const all = [...(task?.below ?? []), ...(task?.endedBelow ?? []).map((each) => each.task)];
    return all.flatMap(({ goal, id }) => (goal.startsWith('background') ? [id] : []));
  }

  stateOf(agentId: string): SeenAgent['state'] | null {
    return this.#agents.get(agentId)?.state ?? null;
  }

  /** After the end of everything: one end for every beginning (O2), every steer over. */
  judge(): void {
    for (const { id, completedSeq } of this.tasks.values()) {
      if (completedSeq === null) this.#fault(`task ${id} has no end`);
    }
    for (const [id, { state }] of this.#agents) {
      if (state !== 'stopped') this.#fault(`agent ${id} never stopped`);
    }
    this.#steers.judge();
  }

  /** The first comes with the events that led to it. */
  #fault(what: string): void {
    const recent = this.faults.length === 0 ? `\n${this.recent}` : '';
    this.faults.push(`${what} (seq ${this.#lastSeq})${recent}`);
  }

  #see(event: TroupeEvent): void {
    if (event.type === 'model_delta') return;
    if (event.seq !== this.#lastSeq + 1) this.#fault(`O1: ${event.seq} after ${this.#lastSeq}`);
    this.#lastSeq = event.seq;
    this.recent.see(event);
    this.seen.set(event.type, (this.seen.get(event.type) ?? 0) + 1);
    const task = event.taskId === undefined ? undefined : this.tasks.get(event.taskId);
    if (task !== undefined && task.completedSeq !== null && ofRuns.has(event.type)) {
      this.#fault(`${event.type} of task ${task.id} after its end`);
    }
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#steers.see(event);
    switch (event.type) {
      case 'task_queued':
        this.#queued(event);
        break;
      case 'task_started':
        if (task !== undefined) this.#started(task, event);
        break;
      case 'task_completed':
        if (task === undefined) this.#fault(`the end of an unknown task ${event.taskId}`);
        else this.#completed(task, event);
        break;
      case 'agent_started':
      case 'agent_parked':
      case 'agent_activated':
      case 'agent_passivated':
      case 'agent_stopped':
        this.#lived(event);
        break;
      case 'turn_started':
        if (task !== undefined) this.#turned(task);
        break;
      case 'tool_started':
      case 'tool_completed': {
        const change = event.type === 'tool_started' ? 'add' : 'delete';
        if (spinning.has(event.name)) this.spinners[change](event.agentId ?? '');
        if (endlessTools.has(event.name)) this.endless[change](event.agentId ?? '');
        break;
      }
      case 'question_asked':
        this.questions.add(event.questionId);
        break;
      case 'task_paused':
        if (task !== undefined) this.#paused(task);
        break;
      case 'task_resumed':
        if (task !== undefined) task.isPaused = false;
        break;
      case 'supervisor_paused':
        this.#pausedRoots ??= new Set(waitingIn(this.#supervisor.tree()));
        break;
      case 'supervisor_resumed':
        this.#pausedRoots = null;
        break;
      case 'log':
        if (event.level === 'error' && !leftByTools.test(event.failure?.message ?? ''))
          this.#fault(`log: ${event.message} ${event.failure?.message}`);
        break;
      default:
        break;
    }
  }

  #queued({ taskId = '', parentId, goal }: TroupeEvent<'task_queued'>): void {
    if (this.tasks.has(taskId)) this.#fault(`O2: task ${taskId} is queued twice`);
    const parent = parentId === undefined ? null : (this.#agents.get(parentId)?.task ?? null);
    const task: SeenTask = {
      id: taskId,
      goal,
      parentId,
      rootId: parent?.rootId ?? taskId,
      hasStarted: false,
      isPaused: false,
      wasWaiting: false,
      turnsSincePaused: 0,
      lastTurnSeq: 0,
      below: new Set(),
      endedBelow: [],
      usageBelow: [0, 0, 0],
      agentsOfTree: 0,
      completedSeq: null,
    };
    this.tasks.set(taskId, task);
    if (parentId === undefined) return;
    if (parent === null || parent.completedSeq !== null) {
      this.#fault(`S8: task ${taskId} has a parent without a run`);
    } else {
      parent.below.add(task);
      if (this.#agents.get(parentId)?.state === 'live') this.#inPlace.add(parentId);
    }
  }

  #started(task: SeenTask, { agentId = '' }: TroupeEvent<'task_started'>): void {
    if (task.hasStarted) this.#fault(`O2: task ${task.id} starts twice`);
    task.hasStarted = true;
    const agent = this.#agents.get(agentId);
    if (agent === undefined) this.#fault(`task ${task.id} starts without an agent`);
    else agent.task = task;
    if (task.isPaused && task.wasWaiting) this.#fault(`C46: paused task ${task.id} starts`);
    if (this.#pausedRoots?.has(task.id) === true) this.#fault(`C46: ${task.id} starts in pause`);
    if (task.goal.startsWith('wide')) this.#fault(`V7: ${task.id} of a call too wide starts`);
    const root = this.tasks.get(task.rootId);
    if (root === undefined) return;
    root.agentsOfTree += 1;
    const { maxTotalAgents } = this.#limits;
    if (root.agentsOfTree > maxTotalAgents) this.#fault(`V7: a tree of ${root.agentsOfTree}`);
  }

  #lived({ type, agentId = '', depth = 0 }: LifecycleEvent): void {
    const agent = this.#agents.get(agentId);
    if (type === 'agent_started') {
      if (agent !== undefined) this.#fault(`O2: agent ${agentId} starts twice`);
      this.#agents.set(agentId, { state: 'live', task: null });
      if (depth > this.#limits.maxSpawnDepth) this.#fault(`V7: an agent at depth ${depth}`);
    } else if (agent === undefined || agent.state === 'stopped') {
      this.#fault(`O2: ${type} of ${agentId}, which is not there`);
    } else {
      const next = stateAfter[type];
      if (next === agent.state) this.#fault(`${type} of ${agentId}, which is ${next}`);
      agent.state = next;
      if (next !== 'live') this.spinners.delete(agentId);
      else if (agent.task !== null && agent.task.below.size > 0) this.#inPlace.add(agentId);
      // A run that leaves its thread takes along what the host does for it, and its place.
      if (next !== 'live' && next !== 'parked') {
        for (const kept of [this.endless, this.#inPlace]) kept.delete(agentId);
      }
    }
    const { live } = this.#supervisor.totals();
    this.#maxLive = Math.max(this.#maxLive, live);
    // Who waits for children is not counted, though it may have a thread.
    if (live > this.#limits.maxLiveAgents + this.#inPlace.size) {
      this.#fault(`V7: ${live} agents are live`);
    }
  }

  #paused(task: SeenTask): void {
    task.isPaused = true;
    task.wasWaiting =
      !task.hasStarted && waitingIn(nodesOf(this.#supervisor.tree())).includes(task.id);
    task.turnsSincePaused = 0;
  }

  /** A turn may be on its way when the pause is said; what follows it may not. */
  #turned(task: SeenTask): void {
    task.lastTurnSeq = this.#lastSeq;
    if (!task.isPaused) return;
    task.turnsSincePaused += 1;
    if (task.turnsSincePaused > 1) this.#fault(`C46: paused task ${task.id} asks its model`);
  }

  #completed(task: SeenTask, { outcome, agentId = '' }: TroupeEvent<'task_completed'>): void {
    if (task.completedSeq !== null) this.#fault(`O2: task ${task.id} ends twice`);
    task.completedSeq = this.#lastSeq;
    const { exitReason, usage } = outcome;
    this.ends.set(exitReason, (this.ends.get(exitReason) ?? 0) + 1);
    for (const { id } of task.below) this.#fault(`V5: ${id} outlives its parent ${task.id}`);
    const own = countsOf(usage.own);
    const all = countsOf(usage.subtree);
    const sum = own.map((count, at) => count + (task.usageBelow[at] ?? 0));
    if (sum.join() !== all.join()) {
      this.#fault(`C45: usage of ${task.id} is ${all.join()}, its parts make ${sum.join()}`);
    }
    const parent = this.#parentOf(task);
    if (parent !== null) {
      parent.below.delete(task);
      parent.endedBelow.push({ task, seq: this.#lastSeq });
      parent.usageBelow = parent.usageBelow.map((count, at) => count + (all[at] ?? 0));
    }
    const messages = this.#supervisor.transcript(task.id);
    const fault = pairingFault(messages);
    if (fault !== null) this.#fault(`S5: the history of ${task.id}: ${fault}`);
    this.#steers.ended(task, messages);
    if (exitReason === 'goal') this.#steers.answered(task, messages);
    const agent = this.#agents.get(agentId);
    if (agent?.task === task) agent.task = null;
    task.endedBelow.length = 0;
  }

  #parentOf(task: SeenTask): SeenTask | null {
    const { parentId } = task;
    return parentId === undefined ? null : (this.#agents.get(parentId)?.task ?? null);
  }
}
