// Owns how agents get their activations and runs begin on them: on a new actor, on the current thread, or on the next (P2, V7).
// Leaves out which agent gets a slot (slots.ts) and how runs end (completion/).
import type { Cell } from '../actor/cell.ts';
import { taskMessage } from '../agent/prompt/task-message.ts';
import type { Clock } from '../base/clock.ts';
import { toFailure } from '../base/failures.ts';
import type { EventBus } from '../events/events.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import type { Completion } from './completion/completion.ts';
import type { IdlePassivation } from './idle-passivation.ts';
import { type OpenedRun, openRun } from './open-run.ts';
import { noSpace, overLimit, refuseWithoutSpace } from './refusals.ts';
import type { RunClocks } from './run-clocks.ts';
import { publishAgentStart, publishPassivated, publishTaskStart } from './run-event-publisher.ts';
import type { RunServices } from './services/run-services.ts';
import type { SlotQueue } from './slot-queue.ts';
import type { Slots } from './slots.ts';
import { type Agent, Run, type TaskRecord } from './state.ts';
import type { SteeringQueue } from './steering-queue.ts';
import type { TaskRegistry } from './task-registry.ts';

export type ActivationsOptions = {
  readonly registry: TaskRegistry;
  readonly queue: SlotQueue;
  readonly services: RunServices;
  readonly completion: Completion;
  readonly runtime: AgentRuntime;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly clocks: RunClocks;
  readonly steering: SteeringQueue;
  readonly idlePassivation: IdlePassivation;
  readonly slots: Slots;
};

export class Activations {
  readonly #options: ActivationsOptions;

  constructor(options: ActivationsOptions) {
    this.#options = options;
  }

  /** Gives an agent a slot and its first or next activation; the run that it is for begins or continues there. */
  activate(agent: Agent): void {
    if (agent.cell === null) this.#spawn(agent);
    else this.#resume(agent, agent.cell);
  }

  /** The actor of the agent runs. */
  started(agent: Agent): void {
    if (agent.hasStarted) return;
    this.#publishStart(agent);
    if (agent.status === 'starting') agent.setLive();
    if (agent.lifetime === 'persistent') this.next(agent);
  }

  /** A persistent agent without a run needs neither thread nor slot: its first run acquires them (P2). Throws `name_taken`. */
  beginPassive(agent: Agent): void {
    const { registry, runtime } = this.#options;
    const { name = agent.spec.name, survivesCrash } = agent;
    runtime.spawnPassive({
      name,
      survivesCrash,
      onCreated: (cell) => {
        agent.cell = cell;
        agent.setLive();
        registry.agents.set(agent.id, agent);
      },
    });
    this.#publishStart(agent);
    publishPassivated(this.#options.events, agent, null);
  }

  /** Begins the next run of a persistent agent when it is free and nothing is paused. */
  next(agent: Agent): void {
    const { queue, slots, runtime, idlePassivation, completion } = this.#options;
    const { cell, run, isOpening } = agent;
    if (cell === null || agent.status !== 'live' || run !== null || isOpening) return;
    const [task] = agent.queue;
    if (task === undefined) {
      if (isPassive(agent)) return;
      idlePassivation.idle(agent);
      // A queued agent may need its slot.
      slots.parkIfNeeded();
      return;
    }
    if (!runtime.hasSpace(taskMessage(task.task))) {
      completion.endWaiting(task, noSpace);
      this.next(agent);
      return;
    }
    // An agent that is being passivated continues here once it is passivated.
    if (queue.isPaused || cell.state.status === 'passivating') return;
    idlePassivation.leave(agent);
    if (cell.state.status === 'passivated') {
      this.#enqueue(agent);
      return;
    }
    agent.hasStayed = false;
    const opening = runtime.openTree(cell, task.id);
    if (opening === null) {
      this.#begin(agent, cell, task, this.#open(agent, task));
      return;
    }
    agent.isOpening = true;
    void opening.then(() => {
      agent.isOpening = false;
      // It may have been interrupted meanwhile, and the next one has a budget of its own.
      if (task.isEnded || queue.isPaused || agent.status !== 'live') this.next(agent);
      else this.#begin(agent, cell, task, this.#open(agent, task));
    });
  }

  /** A passivated agent has a run to begin: it needs a slot, as a root does (V7, P2). */
  #enqueue(agent: Agent): void {
    const { queue, slots, completion } = this.#options;
    if (queue.has(agent)) return;
    const verdict = slots.admitRoot();
    if (verdict.type === 'reject') completion.endQueue(agent, overLimit(verdict));
    else slots.enter(agent, verdict);
  }

  #spawn(agent: Agent): void {
    const { registry, queue, runtime, services, completion } = this.#options;
    const [task] = agent.queue;
    const above = agent.parent?.cell.address ?? null;
    try {
      const opened = task === undefined ? null : this.#open(agent, task);
      if (opened !== null) refuseWithoutSpace(runtime, opened.prompt);
      runtime.spawn({
        name: agent.name,
        parent: task?.scope === 'run' ? above : null,
        below: above,
        survivesCrash: agent.survivesCrash,
        activationOf: (cell) => {
          agent.cell = cell;
          agent.status = 'starting';
          queue.takeSlot(agent);
          // It can be found before its activation begins: a warm thread may answer within the same call.
          registry.agents.set(agent.id, agent);
          if (task !== undefined && opened !== null) this.#begin(agent, cell, task, opened);
          return services.activationOf(agent);
        },
      });
    } catch (thrown) {
      const error = toFailure(thrown, 'spawn_failed');
      const exitReason = error.code === 'interrupting' ? 'interrupted' : 'rejected';
      agent.setEnded(error);
      if (task !== undefined) completion.endWaiting(task, { exitReason, error });
    }
  }

  /** The run exists before the activation: its message is sent with the start, and it ends if the start fails (P2). */
  #resume(agent: Agent, cell: Cell): void {
    const { queue, events, runtime, services } = this.#options;
    const { run } = agent;
    const [task] = agent.queue;
    // The run that a passivated agent was queued for may have been cancelled.
    if (run === null && task === undefined) return;
    queue.takeSlot(agent);
    agent.hasStayed = false;
    run?.timers.idle?.resume();
    events.emit('agent_activated', run?.subject ?? agent.subject, {});
    if (run === null && task !== undefined) {
      this.#begin(agent, cell, task, this.#open(agent, task));
    }
    runtime.activate(cell, services.activationOf(agent));
  }

  #open({ spec, memory }: Agent, { task }: TaskRecord): OpenedRun {
    const { clock } = this.#options;
    return openRun({ spec, task, memory, wallTime: clock.wallTime(), startedAt: clock.now() });
  }

  #begin(agent: Agent, cell: Cell, task: TaskRecord, opened: OpenedRun): void {
    const { services, clocks, steering, runtime, events } = this.#options;
    const { prompt, record, startedAt } = opened;
    const run = new Run({ agent, cell, task, record, startedAt });
    agent.queue.delete(task);
    agent.run = run;
    task.run = run;
    run.hostTools = services.hostToolsOf(run);
    run.hostHooks = services.hostHooksOf(run);
    clocks.start(run);
    if (agent.hasStarted) publishTaskStart(events, run);
    const steers = steering.handOver(task);
    runtime.send(cell, { type: 'run', runId: task.id, messages: [prompt], ...steers });
  }

  #publishStart(agent: Agent): void {
    agent.hasStarted = true;
    publishAgentStart(this.#options.events, agent);
  }
}

/** It has no thread, or is about to give it up. */
export function isPassive({ run, cell }: Agent): boolean {
  const status = cell?.state.status;
  return run === null && (status === 'passivated' || status === 'passivating');
}
