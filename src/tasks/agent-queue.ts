// Owns how the runs of spawned agents begin: one after the other, on the agent's current thread or on one it is queued
// for (P2). Leaves out how the agents themselves begin and end (persistent-agents.ts).
import type { Cell } from '../actor/cell.ts';
import { taskMessage } from '../agent/prompt/task-message.ts';
import type { Clock } from '../base/clock.ts';
import type { EventBus } from '../events/events.ts';
import type { Decision } from '../supervision/admission.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import type { Completion } from './completion/completion.ts';
import type { IdlePassivation } from './idle-passivation.ts';
import { openRun } from './open-run.ts';
import type { PersistentAgent } from './persistent-agent.ts';
import { noSpace, overLimit } from './refusals.ts';
import { Run } from './run.ts';
import type { RunServices } from './services/run-services.ts';
import type { SlotQueue } from './slot-queue.ts';
import type { SteeringQueue } from './steering-queue.ts';
import type { TaskRecord } from './task-record.ts';

export type AgentQueueOptions = {
  readonly queue: SlotQueue;
  readonly activations: RunServices;
  readonly completion: Completion;
  readonly runtime: AgentRuntime;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly steering: SteeringQueue;
  readonly rest: IdlePassivation;
  readonly admitRoot: () => Decision;
  /** Puts an agent that begins a run on the registry, its clocks running. */
  readonly enroll: (entry: TaskRecord, agent: Run) => void;
  /** Starts queued items that may start now. */
  readonly pump: () => void;
  /** An agent has a thread and no run: a queued item may need its slot. */
  readonly onIdle: () => void;
};

export class AgentQueue {
  readonly #options: AgentQueueOptions;

  constructor(options: AgentQueueOptions) {
    this.#options = options;
  }

  /** Begins the next run when the agent is free and nothing is paused. */
  next(agent: PersistentAgent): void {
    const { queue, runtime, rest, onIdle, completion } = this.#options;
    const { cell, run, isOpening, waiting } = agent;
    if (cell === null || agent.state.status !== 'live') return;
    if (run !== null || isOpening) return;
    const [entry] = waiting;
    if (entry === undefined) {
      if (agent.isPassive) return;
      rest.idle(agent);
      onIdle();
      return;
    }
    if (!runtime.hasSpace(taskMessage(entry.task))) {
      completion.endWaiting(entry, noSpace);
      this.next(agent);
      return;
    }
    if (queue.isPaused) return;
    // An agent that is being passivated continues here once it is passivated.
    if (cell.state.status === 'passivating') return;
    rest.leave(agent);
    if (cell.state.status === 'passivated') {
      this.#enqueue(agent);
      return;
    }
    agent.hasStayed = false;
    const opening = runtime.openTree(cell, entry.id);
    if (opening === null) {
      this.#begin(agent, cell, entry);
      return;
    }
    agent.isOpening = true;
    void opening.then(() => {
      agent.isOpening = false;
      // It may have been interrupted meanwhile, and the next one has a budget of its own.
      if (entry.isEnded || queue.isPaused || agent.state.status !== 'live') this.next(agent);
      else this.#begin(agent, cell, entry);
    });
  }

  /** A passivated agent has a run to begin: it needs a slot, as a root does (V7, P2). */
  #enqueue(agent: PersistentAgent): void {
    const { queue, admitRoot, pump, completion } = this.#options;
    if (queue.has(agent)) return;
    agent.order = queue.nextOrder();
    const verdict = admitRoot();
    switch (verdict.type) {
      case 'start':
        this.activate(agent);
        break;
      case 'queue':
        queue.join(agent);
        pump();
        break;
      case 'reject': {
        const end = overLimit(verdict);
        for (const entry of [...agent.waiting]) completion.endWaiting(entry, end);
        break;
      }
    }
  }

  /** The run exists before the activation: its message is sent with the start, and it ends if the start fails (P2). */
  activate(agent: PersistentAgent): void {
    const { queue, events, runtime, activations } = this.#options;
    const { cell } = agent;
    const [entry] = agent.waiting;
    // The run that the agent was queued for may have been cancelled.
    if (cell === null || entry === undefined || agent.run !== null) return;
    queue.takeSlot(agent);
    agent.hasStayed = false;
    events.emit('agent_activated', agent.subject, {});
    this.#begin(agent, cell, entry);
    runtime.activate(cell, activations.activationOf(agent));
  }

  #begin(persistentAgent: PersistentAgent, cell: Cell, entry: TaskRecord): void {
    const { clock, runtime, events, enroll, steering } = this.#options;
    const { spec, memory } = persistentAgent;
    const wallTime = clock.wallTime();
    const { prompt, record } = openRun({ spec, task: entry.task, memory, wallTime });
    const run = new Run({
      cell,
      task: entry,
      spec,
      parent: null,
      record,
      startedAt: clock.now(),
    });
    run.hasStarted = true;
    persistentAgent.waiting.delete(entry);
    persistentAgent.run = run;
    enroll(entry, run);
    events.emit('task_started', run.subject, {});
    const steers = steering.handOver(entry);
    runtime.send(cell, { type: 'run', runId: entry.id, messages: [prompt], ...steers });
  }
}
