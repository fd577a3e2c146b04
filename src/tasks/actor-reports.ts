// Owns what follows each thing that the supervision tree reports of an actor, and each run event of its thread.
// Leaves out which agent gets a slot (slots.ts), how runs begin (activations.ts) and end (completion/).
import type { Cell } from '../actor/cell.ts';
import { type Exit, isNormalExit } from '../actor/exit.ts';
import type { Clock } from '../base/clock.ts';
import { type Failure, failure, toFailure } from '../base/failures.ts';
import type { PartialResult } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import { parseRunEvent } from '../protocol/run-event-schema.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { TreeObserver } from '../supervision/tree-options.ts';
import type { Activations } from './activations.ts';
import { type Completion, stopOf } from './completion/completion.ts';
import { failedActivation, type IdlePassivation } from './idle-passivation.ts';
import type { OpenToolsets } from './open-toolsets.ts';
import { changesWaits, followParking } from './parking.ts';
import type { RunClocks } from './run-clocks.ts';
import { publishFilesLeftOut, publishPassivated, publishRunEvent } from './run-event-publisher.ts';
import type { SlotQueue } from './slot-queue.ts';
import type { Slots } from './slots.ts';
import type { Spending } from './spending.ts';
import type { Agent, Run } from './state.ts';
import type { SteeringQueue } from './steering-queue.ts';
import type { TaskPause } from './task-pause.ts';
import type { TaskRegistry } from './task-registry.ts';
import { onlyWaits } from './waits.ts';

export type ActorReportsOptions = {
  readonly registry: TaskRegistry;
  readonly queue: SlotQueue;
  readonly slots: Slots;
  readonly activations: Activations;
  readonly completion: Completion;
  readonly spending: Spending;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly clocks: RunClocks;
  readonly pauses: TaskPause;
  readonly steering: SteeringQueue;
  readonly idlePassivation: IdlePassivation;
  readonly openToolsets: OpenToolsets;
};

export class ActorReports implements TreeObserver {
  readonly #options: ActorReportsOptions;

  constructor(options: ActorReportsOptions) {
    this.#options = options;
  }

  started(cell: Cell): void {
    const agent = this.#agentOf(cell);
    if (agent !== null) this.#options.activations.started(agent);
  }

  published(cell: Cell, value: unknown): void {
    const run = this.#options.registry.runOf(cell.address.id);
    if (run === null) return;
    let event: RunEvent;
    try {
      event = parseRunEvent(value);
    } catch (error) {
      // A thread that forges run events is not trusted any further.
      run.endFor('crashed', toFailure(error, 'protocol_violation'));
      cell.kill('crashed');
      return;
    }
    this.received(run, event);
  }

  parked(cell: Cell): void {
    const run = this.#options.registry.runOf(cell.address.id);
    if (run === null) return;
    this.#options.spending.endActivation(run.agent, cell);
    run.timers.idle?.pause();
    this.#options.steering.parked(run.task);
    this.#options.queue.freeSlot(run.agent, 'parked');
    this.#options.events.emit('agent_parked', run.subject, {});
    this.#options.slots.waitChanged(run);
    this.#options.slots.pump();
  }

  released(cell: Cell, exit: Exit): void {
    const agent = this.#agentOf(cell);
    if (agent === null) return;
    this.#options.spending.endActivation(agent, cell);
    // An unresponsive thread still uses its slot: it is counted until it is gone (S7).
    if (exit.reason !== 'unresponsive') this.#options.queue.freeSlot(agent, 'released');
    const { run } = agent;
    this.#options.completion.afterCalls(run, () => {
      if (run !== null) this.#options.completion.released(run, exit);
      if (agent.lifetime === 'persistent') this.#ended(agent, exit);
    });
    this.#options.slots.pump();
  }

  /** A persistent agent has no thread any more; the run that it lost with it is over. */
  passivated(cell: Cell, lost: Exit | null): void {
    const agent = this.#agentOf(cell);
    if (agent?.lifetime !== 'persistent') return;
    const { run } = agent;
    this.#options.spending.endActivation(agent, cell);
    this.#options.queue.freeSlot(agent, 'released');
    this.#options.completion.afterCalls(run, () => {
      if (run !== null && lost !== null) this.#options.completion.released(run, lost);
      this.#options.idlePassivation.leave(agent);
      publishPassivated(this.#options.events, agent, lost);
      this.#options.activations.next(agent);
    });
    this.#options.slots.pump();
  }

  /** A persistent agent was asked to passivate and did not. */
  stayedLive(cell: Cell): void {
    const agent = this.#agentOf(cell);
    if (agent === null) return;
    this.#options.idlePassivation.leave(agent);
    agent.hasStayed = true;
    this.#options.activations.next(agent);
  }

  activationFailed(cell: Cell, error: Failure): void {
    const { path } = cell.address;
    const message = `${path} was not activated`;
    this.#options.events.emit('log', {}, { level: 'error', message, failure: error });
    this.passivated(cell, failedActivation(path, error));
  }

  unresponsive(cell: Cell): void {
    const agent = this.#agentOf(cell);
    if (agent === null) return;
    this.#options.events.emit('agent_unresponsive', agent.run?.subject ?? agent.subject, {});
  }

  /** An unresponsive thread exited after all. */
  gone(): void {
    this.#options.queue.freeUnresponsive();
    this.#options.slots.pump();
  }

  onlyWaits(cell: Cell): boolean {
    const run = this.#options.registry.runOf(cell.address.id);
    return run !== null && onlyWaits(run);
  }

  partialOf(cell: Cell): PartialResult | null {
    return this.#options.registry.runOf(cell.address.id)?.record.partial() ?? null;
  }

  #agentOf(cell: Cell): Agent | null {
    return this.#options.registry.agents.get(cell.address.id) ?? null;
  }

  /** The actor of a persistent agent is over. */
  #ended(agent: Agent, exit: Exit): void {
    const { idlePassivation, openToolsets, events } = this.#options;
    this.#options.registry.agents.delete(agent.id);
    idlePassivation.leave(agent);
    this.#options.queue.leave(agent);
    openToolsets.end(agent.id);
    if (agent.hasStarted) events.emit('agent_stopped', agent.subject, stopOf(exit));
    const error = failure('actor_terminated', `${agent.path} has ended (${exit.reason})`);
    agent.setEnded(exit.failure ?? error);
    const wasEnded = isNormalExit(exit.reason) || exit.reason === 'killed';
    this.#options.completion.endQueue(agent, {
      exitReason: wasEnded ? 'interrupted' : 'rejected',
      error,
    });
  }

  /** One of its run events, or what the host publishes on behalf of a run whose thread can no longer send it. */
  received(run: Run, event: RunEvent): void {
    const { clock, clocks, events, steering, pauses, spending, slots, completion } = this.#options;
    run.record.apply(event, clock.now());
    run.touch();
    followParking(run, event);
    clocks.onRunEvent(run, event);
    publishRunEvent(events, run.subject, event);
    if (event.type === 'touched' && run.record.files.leftOut === 1) {
      publishFilesLeftOut(events, run);
    }
    spending.onRunEvent(run, event);
    steering.onRunEvent(run.task, event);
    pauses.onRunEvent(run, event);
    if (event.type === 'run_ended' && run.agent.lifetime === 'persistent') {
      completion.runEnded(run);
    } else if (changesWaits.has(event.type)) {
      slots.parkIfNeeded();
    }
  }
}
